"""Real table workers to measure, and what the kernel says that they used."""

import os
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mahjong_cli.serve.supervisor import free_ports
from tests.kit.processes import ServiceProcess, service_process
from tests.kit.stores import new_postgres_database, postgres_server, valkey_server
from tests.kit.tokens import SERVICE_KEY, TokenIssuer

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
AT_ONCE: dict[str, Any] = {"nonce_window_ms": 0, "result_window_ms": 0, "floor_min_ms": 0, "floor_max_ms": 0}
"""Settings with which no table waits for anything but its players."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a process has used so far."""

    cpu_s: float
    rss_kib: int


@dataclass
class Fleet:
    """Table workers over one database, and a gateway before them if there are several."""

    issuer: TokenIssuer
    dsn: str
    workers: list[ServiceProcess] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    metrics_ports: list[int] = field(default_factory=list)
    public_address: str = ""
    """Where players call: the gateway, or the only worker."""


@contextmanager
def table_fleet(*, workers: int = 1, store: str = "sqlite", **settings: Any) -> Iterator[Fleet]:
    """Starts workers with these settings beside the defaults of production, on free ports.

    Args:
        workers: how many; from two on, players call through a gateway.
        store: `sqlite` or `postgresql`.
        settings: of the table service.
    """
    issuer = TokenIssuer(lifetime_s=3600)
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="mahjong-load-"))
        if store == "postgresql":
            dsn = new_postgres_database(stack.enter_context(postgres_server()))
        else:
            dsn = f"sqlite:///{Path(directory, 'table.db')}"
        valkey = stack.enter_context(valkey_server())
        account = {
            "database_dsn": f"sqlite:///{directory}/account.db",
            "service_key": SERVICE_KEY,
            "signing_key": issuer.signing_key_pem,
        }
        shared = {
            "service_key": SERVICE_KEY,
            "account_address": stack.enter_context(service_process("account", **account)).started(),
        }
        ports = free_ports(2 * workers)
        fleet = Fleet(issuer, dsn, metrics_ports=ports[workers:])
        table = {"database_dsn": dsn, "redis_url": valkey.connection_url, **settings}
        unreachable = {"replay_address": "127.0.0.1:1", "rating_address": "127.0.0.1:1"}
        for port, metrics_port in zip(ports, fleet.metrics_ports, strict=False):
            own = {"port": port, "metrics_port": metrics_port}
            fleet.workers.append(stack.enter_context(service_process("table", **shared, **(unreachable | table | own))))
            fleet.addresses.append(f"127.0.0.1:{port}")
        for process in fleet.workers:
            process.started()
        fleet.public_address = fleet.addresses[0]
        if workers > 1:
            gateway = {"table_address": "ipv4:" + ",".join(fleet.addresses), "http_port": 0, "web_root": "/nowhere"}
            fleet.public_address = stack.enter_context(service_process("gateway", **shared, **gateway)).started()
        yield fleet


def used(pid: int) -> Used:
    """Returns what a process has used: processor time of all its threads, and memory that is its own or shared."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    rss = next(line for line in status if line.startswith("VmRSS:"))
    return Used((int(fields[11]) + int(fields[12])) / _TICKS_PER_S, int(rss.split()[1]))


def counted(metrics_port: int, name: str) -> float:
    """Returns the sum over all labels of one series of a worker's metrics, such as `commit_tables_sum`."""
    with urllib.request.urlopen(f"http://127.0.0.1:{metrics_port}/metrics", timeout=10) as page:
        lines = page.read().decode().splitlines()
    series = f"mahjong_table_{name}"
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith((f"{series} ", f"{series}{{")))


def machine() -> str:
    """Returns how many cores there are and how busy they were in the last minute, for the record."""
    return f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
