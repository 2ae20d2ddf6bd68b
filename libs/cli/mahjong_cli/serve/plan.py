"""What `mahjong serve` runs: one child per process, with its ports and environment. Pure; nothing is started here."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

HOST: Final = "127.0.0.1"

METRICS_PORT_OFFSET: Final = 2000
"""A service's metrics port is its gRPC port plus this."""

INNER_PORT_MAX: Final = 63_000
"""Highest first port of the inner services, so that all of them and their metrics find room."""

SERVICES: Final = ("account", "matchmaker", "table", "rating", "replay")
"""The inner services, in the order of their default ports from 7001."""

PLACE: Final = "{service}"
"""Stands for a service's name in the URL of databases: each service owns one of its own."""

TABLE: Final = "table"
"""The service of which several workers may run, over one database."""

WITH_DATABASE: Final = frozenset({"account", "table", "rating", "replay"})
WITH_REDIS: Final = frozenset({"matchmaker", "table"})


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of one stack: two public ones, and one for each inner process and the gateway's metrics."""

    http: int
    grpc: int
    services: Mapping[str, int]
    metrics: Mapping[str, int]

    def named(self) -> dict[str, int]:
        """Returns every port by the name that messages use for it."""
        return {
            "gateway http": self.http,
            "gateway grpc": self.grpc,
            **{f"{name} grpc": port for name, port in self.services.items()},
            **{f"{name} metrics": port for name, port in self.metrics.items()},
        }


@dataclass(frozen=True, slots=True)
class Child:
    """One process to run. `grpc_port` is where its health is asked, None for Valkey."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    grpc_port: int | None = None


def processes(workers: int = 1) -> tuple[str, ...]:
    """Returns the names of the inner processes: the services, then the second and further table workers."""
    return (*SERVICES, *(f"{TABLE}-{number}" for number in range(2, workers + 1)))


def fixed_ports(http: int, grpc: int, inner: int, workers: int = 1) -> Ports:
    """Returns ports counted up from `inner` for the inner processes, with metrics `METRICS_PORT_OFFSET` above."""
    services = {name: inner + index for index, name in enumerate(processes(workers))}
    metrics = {name: port + METRICS_PORT_OFFSET for name, port in services.items()}
    return Ports(http, grpc, services, metrics | {"gateway": grpc + METRICS_PORT_OFFSET})


def scrape_targets(ports: Ports) -> list[dict[str, object]]:
    """Returns where each process shows its metrics, as Prometheus reads it from a file (`file_sd_configs`)."""
    return [
        {"targets": [f"{HOST}:{port}"], "labels": {"job": f"mahjong-{name.partition('-')[0]}"}}
        for name, port in ports.metrics.items()
    ]


def valkey(binary: Path, directory: Path, socket: Path) -> Child:
    """Returns the embedded Valkey: append-only file, unix socket only, never evicting."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "maxmemory-policy": "noeviction",
        "save": "",
    }
    arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Child("valkey", (str(binary), *arguments))


def services(ports: Ports, database: str, redis_url: str, service_key: str, web_root: Path | None) -> list[Child]:
    """Returns the inner processes and the gateway, in the order they are started.

    Args:
        ports: where they listen.
        database: URL of a service's database; `{service}` in it stands for the service.
        redis_url: the Redis that they share.
        service_key: what they sign for one another with.
        web_root: the built page, if there is one.
    """
    addresses = {f"{name.upper()}_ADDRESS": f"{HOST}:{ports.services[name]}" for name in SERVICES}
    workers = [f"{HOST}:{port}" for name, port in ports.services.items() if _service(name) == TABLE]
    if len(workers) > 1:
        addresses["TABLE_ADDRESS"] = "ipv4:" + ",".join(workers)
    children = [
        Child(
            name,
            (sys.executable, "-m", f"mahjong_{_service(name)}"),
            _environment(name, ports, database, redis_url, service_key, addresses),
            port,
        )
        for name, port in ports.services.items()
    ]
    gateway = _environment("gateway", ports, database, redis_url, service_key, addresses)
    gateway["GATEWAY_HTTP_PORT"] = str(ports.http)
    if web_root is not None:
        gateway["GATEWAY_WEB_ROOT"] = str(web_root)
    children.append(Child("gateway", (sys.executable, "-m", "mahjong_gateway"), gateway, ports.grpc))
    return children


def _environment(
    name: str, ports: Ports, database: str, redis_url: str, service_key: str, addresses: Mapping[str, str]
) -> dict[str, str]:
    service = _service(name)
    values = {
        "HOST": HOST,
        "PORT": str(ports.services.get(name, ports.grpc)),
        "METRICS_PORT": str(ports.metrics[name]),
        "SERVICE_KEY": service_key,
        # Nobody probes the processes of one machine, so they need not wait for probes to see them go.
        "PROBE_PERIOD_S": "0",
        **{key: address for key, address in addresses.items() if key != f"{service.upper()}_ADDRESS"},
    }
    if service in WITH_DATABASE:
        values["DATABASE_DSN"] = database.replace(PLACE, service)
    if service in WITH_REDIS:
        values["REDIS_URL"] = redis_url
    return {f"{service.upper()}_{key}": value for key, value in values.items()}


def _service(process: str) -> str:
    """Returns the service that a process runs: `table-2` is a table worker."""
    return process.partition("-")[0]
