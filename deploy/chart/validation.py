"""Holds objects to the schemas of Kubernetes, by version, and of the custom kinds that the chart uses."""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from deploy.chart.rendering import Object

KUBERNETES: Final = ("1.35", "1.36", "1.37")
"""The versions that objects are held to."""
CUSTOM_GROUPS: Final = ("monitoring.coreos.com", "cert-manager.io", "gateway.networking.k8s.io")
_CUSTOM: Final = Path(__file__).with_name("schemas")


def problems(item: Object, version: str) -> list[str]:
    """Returns what is wrong with an object for a version of Kubernetes; an unknown field is wrong too."""
    where = f"{item.get('kind')}/{item.get('metadata', {}).get('name')} ({version})"
    validator = _validator(item["kind"], item["apiVersion"], version)
    if validator is None:
        return [f"{where}: {item['apiVersion']} has no such kind"]
    return [
        f"{where}: {'.'.join(str(part) for part in error.absolute_path) or 'object'}: {error.message}"
        for error in validator.iter_errors(item)
    ]


@cache
def _validator(kind: str, api_version: str, version: str) -> Draft202012Validator | None:
    group, _, name = api_version.rpartition("/")
    if group in CUSTOM_GROUPS:
        custom = _CUSTOM / f"{kind.lower()}.json"
        return Draft202012Validator(json.loads(custom.read_text())) if custom.exists() else None
    parts = [kind.lower(), *([group.partition(".")[0]] if group else []), name]
    path = _folder(version) / f"{'-'.join(parts)}.json"
    return Draft202012Validator(json.loads(path.read_text()), registry=_definitions(version)) if path.exists() else None


@cache
def _definitions(version: str) -> Any:
    return Resource.from_contents(json.loads((_folder(version) / "_definitions.json").read_text())) @ Registry()


def _folder(version: str) -> Path:
    """Returns the folder of a version's schemas that refuse unknown fields."""
    package = Path(str(files("kubernetes_validate")))
    return package / "kubernetes-json-schema" / f"v{version}.0-local-strict"
