"""The table service on a real server in the test process, over a real database and a real Valkey."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from random import Random
from typing import Any

import grpc
import pytest

from mahjong_kit.auth import InternalTokens, Service
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.redis import open_redis
from mahjong_kit.server import build_server, service_layers, serving
from mahjong_kit.sql import open_database
from mahjong_table import migrations
from mahjong_table.courier import Destination
from mahjong_table.metrics import TableMetrics
from mahjong_table.peers import Peers
from mahjong_table.reports import FINISH_MATCH, REPORT_MATCH, START_MATCH, STORE_HAND
from mahjong_table.servicer import TableServicer
from mahjong_table.settings import TableSettings
from mahjong_table.shared import SharedStreams
from mahjong_table.worker import Worker
from mahjong_table.worker_servicer import WorkerServicer
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2 import ReportNoShowsRequest
from mahjongplanet.options.v1.options_pb2 import CALLER_PLAYER
from mahjongplanet.rating.v1 import rating_service_pb2 as rating
from mahjongplanet.replay.v1 import replay_service_pb2 as replay
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from mahjongplanet.table.v1.worker_service_pb2_grpc import WorkerServiceStub
from tests.contract.table.shared_watch import SharedStream
from tests.kit.shared_stub import SharedStub
from tests.kit.table_client import SeatClient, table_request
from tests.kit.tokens import SERVICE_KEY, Metadata, TokenIssuer

REQUESTS = {
    START_MATCH: replay.StartMatchRequest,
    STORE_HAND: replay.StoreHandRequest,
    FINISH_MATCH: replay.FinishMatchRequest,
    REPORT_MATCH: rating.ReportMatchRequest,
}


class Inbox:
    """Stands in for replay and rating behind the courier's protocol: keeps what it is sent, or refuses it."""

    def __init__(self) -> None:
        self.started: list[replay.StartMatchRequest] = []
        self.taken: list[tuple[str, Any]] = []
        """All but the starts."""
        self.refusals = 0
        """How many of the next reports are refused."""
        self.arrived = asyncio.Event()

    def destinations(self) -> dict[str, Destination]:
        return {
            kind: Destination("rating" if kind == REPORT_MATCH else "replay", self._sender(kind)) for kind in REQUESTS
        }

    def _sender(self, kind: str) -> Callable[[bytes], Any]:
        async def send(body: bytes) -> None:
            if self.refusals:
                self.refusals -= 1
                raise ConnectionError("not now")
            report = REQUESTS[kind].FromString(body)
            if kind == START_MATCH:
                self.started.append(report)
                return
            self.taken.append((kind, report))
            self.arrived.set()

        return send

    async def until(self, count: int) -> list[tuple[str, Any]]:
        """Waits until that many reports have come."""
        async with asyncio.timeout(60):
            while len(self.taken) < count:
                self.arrived.clear()
                await self.arrived.wait()
        return self.taken


class TableHouse:
    """A table service that can be stopped and started again over the same stores."""

    def __init__(self, settings: TableSettings, issuer: TokenIssuer) -> None:
        self.settings = settings
        self.issuer = issuer
        self.inbox = Inbox()
        self.no_shows: list[ReportNoShowsRequest] = []
        """What the matchmaker was told."""
        self.stub: Any = None
        self.workers: Any = None
        self.shared_stub: Any = None
        self.is_shared = False
        """Whether players watch by a shared stream."""
        self.worker: Worker | None = None
        self.metrics: ServiceMetrics | None = None
        self._stack = AsyncExitStack()
        self._clients: list[SeatClient] = []

    async def start(self) -> "TableHouse":
        """Opens the stores and serves."""
        stack = self._stack = AsyncExitStack()
        settings = self.settings
        self.metrics = ServiceMetrics("table")
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations))
        client = await stack.enter_async_context(open_redis(settings.redis_url))
        tokens = InternalTokens(Service("table"), SERVICE_KEY)
        peers = await stack.enter_async_context(Peers(tokens, timeout_s=20))
        self.worker = Worker(
            settings,
            TableMetrics(self.metrics),
            database,
            client,
            self.inbox.destinations(),
            Random(7),
            peers,
            self._take_no_shows,
        )
        self.database, self.redis = database, client
        authenticator = self.issuer.authenticator()
        opening = service_layers(CALLER_PLAYER, settings, self.metrics, authenticator)
        streams = SharedStreams(self.worker.service, opening, settings, self.worker.env.metrics)
        servicers = TableServicer(self.worker.service), WorkerServicer(self.worker.holder, self.worker.keeper, streams)
        built = build_server(*servicers, settings=settings, metrics=self.metrics, authenticator=authenticator)
        await stack.enter_async_context(self.worker.running(settings.port))
        # Without the kit's retries: tests see every refusal.
        options = [("grpc.enable_retries", 0)]
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{built.port}", options)
        stack.push_async_callback(channel.close, 10)  # Calls still read how the server has ended them.
        self.stub = TableServiceStub(channel)
        self.workers = WorkerServiceStub(channel)
        self.shared_stub = SharedStub(channel, self.issuer.internal_tokens("gateway"))
        await stack.enter_async_context(serving(built, settings))
        return self

    async def _take_no_shows(self, report: ReportNoShowsRequest) -> None:
        self.no_shows.append(report)

    async def stop(self) -> None:
        """Goes down in order."""
        for client in self._clients:
            await client.unwatch()
        await self._stack.aclose()

    async def restart(self) -> None:
        """Goes down and comes up again."""
        await self.stop()
        await self.start()
        for client in self._clients:
            client.stub = self.shared_stub if self.is_shared else self.stub

    async def open(self, *player_ids: str, **changed: Any) -> str:
        """Opens a table; returns its id."""
        request = table_request(*player_ids, **changed)
        response = await self.stub.CreateTable(request, metadata=self.issuer.service("matchmaker"))
        return str(response.table_id)

    async def seats(self, count: int = 1, **changed: Any) -> list[SeatClient]:
        """Opens a table for that many new players, who all watch it."""
        player_ids = [str(uuid.uuid4()) for _ in range(count)]
        table_id = await self.open(*player_ids, **changed)
        return [await self.client(player_id, table_id).watch() for player_id in player_ids]

    def client(self, player_id: str, table_id: str) -> SeatClient:
        """Returns a player at a table, not watching yet."""
        stub = self.shared_stub if self.is_shared else self.stub
        client = SeatClient(stub, self.issuer, player_id, table_id)
        self._clients.append(client)
        return client

    @contextmanager
    def shared_stream(self, metadata: Metadata | None = None) -> Iterator[SharedStream]:
        """Opens a stream as a gateway does; gives it before anything is read."""
        stream = SharedStream(self.workers.WatchTables(metadata=metadata or self.issuer.service("gateway")))
        try:
            yield stream
        finally:
            stream.cancel()

    async def until_projected(self, table_id: str) -> None:
        """Waits until Redis has all that has happened at a table."""
        table = self.worker.keeper.find(table_id)
        async with asyncio.timeout(60):
            while (
                table.sent is None
                or table.sent.sequence != table.state.sequence
                or any(viewer.projected != viewer.head for viewer in table.audience.viewers.values())
            ):
                await asyncio.sleep(0.01)

    def metric(self, name: str, **labels: str) -> float:
        """Returns the value of a metric."""
        assert self.metrics is not None
        return self.metrics.registry.get_sample_value(f"mahjong_table_{name}", labels) or 0.0


def table_settings(database_dsn: str, redis_url: str, **changed: Any) -> TableSettings:
    """Returns settings without pauses."""
    fields: dict[str, Any] = {
        "port": 0,
        "metrics_port": 0,
        "service_key": SERVICE_KEY,
        "probe_period_s": 0,
        "drain_grace_s": 2,
        "database_dsn": database_dsn,
        "redis_url": redis_url,
        "nonce_window_ms": 0,
        "floor_min_ms": 0,
        "floor_max_ms": 0,
        "computer_min_ms": 0,
        "computer_max_ms": 0,
        "alive_period_s": 0.2,
        "lease_s": 60,  # A machine that stands still for seconds is not what these tests are about.
    }
    return TableSettings(**(fields | changed))


@pytest.fixture
def open_house(issuer: TokenIssuer, redis_url: str, sqlite_dsn: str) -> Callable[..., Any]:
    """Opens a table service with changed settings, over SQLite unless a DSN is given."""

    @asynccontextmanager
    async def opened(**changed: Any) -> AsyncIterator[TableHouse]:
        house = TableHouse(table_settings(**({"database_dsn": sqlite_dsn, "redis_url": redis_url} | changed)), issuer)
        await house.start()
        try:
            yield house
        finally:
            await house.stop()

    return opened


@pytest.fixture
async def house(open_house: Callable[..., Any]) -> AsyncIterator[TableHouse]:
    """A table service over SQLite."""
    async with open_house() as opened:
        yield opened


@pytest.fixture
async def any_house(open_house: Callable[..., Any], database_dsn: str) -> AsyncIterator[TableHouse]:
    """A table service over SQLite, and once more over PostgreSQL."""
    async with open_house(database_dsn=database_dsn) as opened:
        yield opened


@pytest.fixture
def service(issuer: TokenIssuer) -> Any:
    """Metadata of a call of the matchmaker."""
    return issuer.service("matchmaker")
