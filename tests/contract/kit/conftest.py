"""A server of the kit whose handlers do what the test says."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc
import pytest

from mahjong_kit.auth import Authenticator
from mahjong_kit.client import open_stub
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import BuiltServer, build_server, serving
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceServicer, TableServiceStub
from tests.kit.serving import plain_settings
from tests.kit.tokens import TokenIssuer

Act = Callable[[], Awaitable[Any]]


async def do_nothing() -> None:
    """Answers at once."""


class ScriptedTable(TableServiceServicer):
    """GetMyTable (players) and CreateTable (services) run `act`, WatchTable (players) sends what `watch` gives."""

    def __init__(self) -> None:
        self.act: Act = do_nothing
        self.watch: Callable[[], AsyncIterator[int]] | None = None

    async def GetMyTable(self, request: pb.GetMyTableRequest, context: object) -> pb.GetMyTableResponse:
        return pb.GetMyTableResponse(table_id=str(await self.act()))

    async def CreateTable(self, request: pb.CreateTableRequest, context: object) -> pb.CreateTableResponse:
        return pb.CreateTableResponse(table_id=str(await self.act()))

    async def WatchTable(self, request: pb.WatchTableRequest, context: object) -> AsyncIterator[pb.WatchTableResponse]:
        assert self.watch is not None
        async for sequence in self.watch():
            yield pb.WatchTableResponse(sequence=sequence)


class Bench:
    """A scripted servicer on a server that runs, a stub of it, and its plain channel."""

    def __init__(self, issuer: TokenIssuer, transport: str) -> None:
        self.issuer = issuer
        self.transport = transport
        self.script = ScriptedTable()
        self.metrics = ServiceMetrics("test")
        self.built: BuiltServer
        self.stub: TableServiceStub
        self.channel: grpc.aio.Channel
        self._serving: AsyncExitStack

    @asynccontextmanager
    async def open(
        self, authenticator: Authenticator | None = None, sneaked: Any = None, **settings: Any
    ) -> AsyncIterator["Bench"]:
        """Starts the server, until the block ends.

        `sneaked` are handlers of `sneaked.Service` that are added past the kit.
        """
        plain = plain_settings(transport=self.transport, **settings)
        self.built = build_server(
            self.script,
            settings=plain,
            metrics=self.metrics,
            authenticator=authenticator or self.issuer.authenticator(),
        )
        if sneaked is not None:
            self.built.server.add_registered_method_handlers("sneaked.Service", sneaked)
        address = f"127.0.0.1:{self.built.port}"
        async with AsyncExitStack() as stack:
            self.channel = await stack.enter_async_context(grpc.aio.insecure_channel(address))
            self.stub = await stack.enter_async_context(open_stub(TableServiceStub, address, tokens=None))
            self._serving = await stack.enter_async_context(AsyncExitStack())
            await self._serving.enter_async_context(serving(self.built, plain))
            yield self

    async def stop(self) -> None:
        """Stops the server in order; the channel stays open."""
        await self._serving.aclose()

    def raw(self, method: str) -> Any:
        """Returns a callable of a method that sends and gets bytes."""
        return self.channel.unary_unary(f"/mahjongplanet.table.v1.TableService/{method}")

    async def get_my_table(self, **kwargs: Any) -> pb.GetMyTableResponse:
        """Calls as a player, unless told otherwise."""
        kwargs.setdefault("metadata", self.issuer.player())
        return await self.stub.GetMyTable(pb.GetMyTableRequest(), **kwargs)

    async def create_table(self, **kwargs: Any) -> pb.CreateTableResponse:
        """Calls as a service, unless told otherwise."""
        kwargs.setdefault("metadata", self.issuer.service())
        return await self.stub.CreateTable(pb.CreateTableRequest(), **kwargs)

    def watch_table(self, **kwargs: Any) -> Any:
        """Opens a stream as a player, unless told otherwise."""
        kwargs.setdefault("metadata", self.issuer.player())
        return self.stub.WatchTable(pb.WatchTableRequest(), **kwargs)


@pytest.fixture(params=["grpc", "native"])
def closed_bench(request: pytest.FixtureRequest, issuer: TokenIssuer) -> Bench:
    return Bench(issuer, request.param)


@pytest.fixture
async def bench(closed_bench: Bench) -> AsyncIterator[Bench]:
    async with closed_bench.open():
        yield closed_bench
