"""Installs of the chart, rendered by Helm's own library."""

import json
from functools import cache
from typing import Any

import pytest

from deploy.chart.rendering import CHART, Object, Values, objects_of, overlaid, read_values, render
from deploy.chart.settings import SETTINGS

LAPTOP = CHART / "values-laptop.yaml"
PRODUCTION = CHART / "values-production.yaml"
INSTALLS: dict[str, Values] = {
    "defaults": {},
    "laptop": read_values(LAPTOP),
    "production": read_values(PRODUCTION),
    "production by gateway api": overlaid(
        read_values(PRODUCTION),
        {
            "ingress": {"enabled": False},
            "migrations": {"enabled": False},
            "gatewayApi": {
                "enabled": True,
                "parentRefs": [{"name": "public", "namespace": "edge", "sectionName": "https"}],
                "grpcHostnames": ["grpc.mahjong.example"],
            },
        },
    ),
    "own certificates, nodes and labels": {
        "image": {"digest": f"sha256:{'0' * 64}", "pullSecrets": ["registry"]},
        "tls": {"enabled": True, "mode": "server", "secretNames": {"table": "table-certificate"}},
        "nodeSelector": {"kubernetes.io/arch": "amd64"},
        "tolerations": [{"key": "games", "operator": "Exists"}],
        "priorityClassName": "games",
        "podAnnotations": {"reloader.example/auto": "true"},
        "settings": {"COMPUTER_FILL_S": 20},
        "table": {"settings": {"TABLES_MAX": 1000}},
        "account": {
            "openid": {
                "issuer": "https://accounts.example",
                "clientId": "mahjong",
                "clientSecret": {"name": "openid", "key": "client-secret"},
                "redirectUris": ["https://mahjong.example/signed-in", "https://mahjong.example/app"],
            }
        },
        "secrets": {"signingKey": {"name": "signing-key"}},
        "gateway": {"service": {"type": "LoadBalancer", "annotations": {"example/internal": "false"}}},
        "connectionAgeSeconds": 0,
        "storeAuthorities": {"configMapName": "store-authorities", "key": "all.pem"},
        "networkPolicy": {"extraEgress": [{"ports": [{"port": 4317}]}]},
    },
}
"""Installs that every check of an object is made for."""


class Install:
    """The objects of one rendered install."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.objects = list(objects_of(render(INSTALLS[name])))

    def all(self, *kinds: str) -> list[Object]:
        """Returns the objects of these kinds."""
        return [item for item in self.objects if item["kind"] in kinds]

    def one(self, kind: str, name: str) -> Object:
        """Returns the object of a kind with a name, without the release's part of it."""
        found = [item for item in self.all(kind) if item["metadata"]["name"] == f"mahjong-planet-{name}"]
        assert len(found) == 1, f"{len(found)} of {kind} {name}"
        return found[0]

    def workloads(self) -> list[Object]:
        """Returns everything that runs pods."""
        return self.all("Deployment", "StatefulSet", "Job")

    def services(self) -> dict[str, Object]:
        """Returns the workloads that run a service of ours, by its name."""
        return {component(item): item for item in self.workloads() if component(item) in SETTINGS}


@cache
def install(name: str) -> Install:
    """Returns an install, rendered once for all tests."""
    return Install(name)


@pytest.fixture(params=INSTALLS)
def rendered(request: pytest.FixtureRequest) -> Install:
    """Each install in turn."""
    return install(request.param)


def component(item: Object) -> str:
    return str(item["metadata"]["labels"]["app.kubernetes.io/component"])


def pod_of(workload: Object) -> Object:
    """Returns the specification of a workload's pods."""
    return workload["spec"]["template"]["spec"]


def container_of(workload: Object) -> Object:
    """Returns the only container of a workload's pods."""
    (container,) = pod_of(workload)["containers"]
    return container


def environment_of(workload: Object, secrets: dict[str, str] | None = None) -> dict[str, Any]:
    """Returns the variables of a container; what a Secret gives is looked up by the variable's name."""
    environment: dict[str, Any] = {}
    for variable in container_of(workload)["env"]:
        assert variable["name"] not in environment, f"{variable['name']} is set twice"
        value = variable.get("value")
        if value is None:
            value = (secrets or {}).get(variable["name"], json.dumps(variable["valueFrom"]))
        for name, known in environment.items():
            value = value.replace(f"$({name})", known)
        environment[variable["name"]] = value
    return environment
