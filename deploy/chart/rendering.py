"""Renders the chart by Helm's own library, which a wheel carries: no `helm` on the machine, no cluster."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import helm_python
import yaml

CHART: Final = Path(__file__).parents[1] / "helm" / "mahjong-planet"
RELEASE: Final = "mahjong-planet"
NAMESPACE: Final = "games"

Object = dict[str, Any]
"""One Kubernetes object, as YAML gives it."""
Values = dict[str, Any]


def read_values(*paths: Path) -> Values:
    """Returns the values of files, later ones over earlier ones, as `helm --values` takes them."""
    values: Values = {}
    for path in paths:
        values = overlaid(values, yaml.safe_load(path.read_text()) or {})
    return values


def overlaid(values: Mapping[str, Any], over: Mapping[str, Any]) -> Values:
    """Returns values with others over them, mapping by mapping."""
    result = dict(copy.deepcopy(values))
    for key, value in over.items():
        below = result.get(key)
        result[key] = overlaid(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result


def parse_set(assignments: Sequence[str]) -> Values:
    """Returns the values of assignments such as `image.tag=1.2.0`, as `helm --set` takes them."""
    values: Values = {}
    for assignment in assignments:
        values = overlaid(values, helm_python.parse_set_string(assignment))
    return values


def render(
    values: Values, *, chart: Path = CHART, release: str = RELEASE, namespace: str = NAMESPACE
) -> dict[str, str]:
    """Returns the text of each template that gives objects, by file name.

    Raises:
        helm_python.HelmError: A value is refused by the schema, or a template fails.
    """
    with helm_python.Chart.load(chart) as loaded:
        loaded.validate_schema(values)
        texts = loaded.render(values, name=release, namespace=namespace)
    return {Path(path).name: text for path, text in texts.items() if path.endswith(".yaml") and text.strip()}


def objects_of(texts: Mapping[str, str]) -> Iterator[Object]:
    """Gives the objects of rendered templates."""
    for text in texts.values():
        yield from (document for document in yaml.load_all(text, _StrictLoader) if document)


def lint(values: Values, *, chart: Path = CHART) -> list[str]:
    """Returns what Helm's linter finds, remarks included."""
    report = helm_python.lint(chart, values, strict=True, namespace=NAMESPACE)
    return [f"{message['path']}: {message['error']}" for message in report["messages"]] + report["errors"]


class _StrictLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in a mapping, which YAML's own loaders pass over."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - theirs
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if doubled := {key for key in keys if keys.count(key) > 1}:
            raise yaml.constructor.ConstructorError(None, None, f"keys stand twice: {doubled}", node.start_mark)
        return super().construct_mapping(node, deep)
