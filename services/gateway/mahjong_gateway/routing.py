"""Where the services behind the gateway are.

Each has one address, but for the tables: a call that names a table goes to the worker that owns the table's shard. Any
worker knows the owners of all shards. They are asked for once a second and whenever a worker says that a table is not
its own; calls that are still under way at a worker that has lost the shard are ended, so that they are made anew.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import grpc

from mahjong_gateway.routes import Route
from mahjong_kit.auth import InternalTokens
from mahjong_kit.layers import AUTHORIZATION_KEY
from mahjong_kit.log import get_logger
from mahjong_kit.sharding import shard_of
from mahjong_kit.tls import new_channel
from mahjongplanet.table.v1 import worker_service_pb2 as workers_pb
from mahjongplanet.table.v1.worker_service_pb2_grpc import WorkerServiceStub

TABLES: Final = "table"
"""The service whose calls are routed by table."""
_PERIOD_S: Final = 1.0
_LOOK_UP_TIMEOUT_S: Final = 1.0
_CLOSE_GRACE_S: Final = 30.0
_OPTIONS: Final = (
    ("grpc.enable_retries", 0),  # What may be repeated is repeated by the forwarder, within its own time.
    ("grpc.service_config", '{"loadBalancingConfig": [{"round_robin": {}}]}'),  # Where an address stands for several.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
)

_log = get_logger()


@dataclass(slots=True, eq=False)
class Lane:
    """The way of one call to the process that takes it."""

    channel: grpc.aio.Channel
    shard: int | None = None
    address: str = ""
    has_moved: bool = False
    """Whether the shard has got another owner meanwhile; the call was ended."""
    call: Any = field(default=None, repr=False)

    def end(self) -> None:
        """Ends the call, for another worker owns the shard now."""
        self.has_moved = True
        if self.call is not None:
            self.call.cancel()


class Routing:
    """Knows the channel for each call."""

    def __init__(
        self,
        channels: Mapping[str, grpc.aio.Channel],
        tokens: InternalTokens,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        self._channels = channels
        self._credentials = credentials
        self._tokens = tokens
        self._locate = WorkerServiceStub(channels[TABLES]).LocateShards
        self._owners: dict[int, str] = {}
        """Address of each shard's owner, as far as it is known."""
        self._workers: dict[str, grpc.aio.Channel] = {}
        self._lanes: set[Lane] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @contextmanager
    def lane(self, route: Route, request: bytes) -> Iterator[Lane]:
        """Gives the way that a request goes by."""
        shard = _shard_of(route, request)
        address = self._owners.get(shard, "") if shard is not None else ""
        lane = Lane(self._worker(address) if address else self._channels[route.service], shard, address)
        self._lanes.add(lane)
        try:
            yield lane
        finally:
            self._lanes.discard(lane)

    async def look_up(self) -> None:
        """Asks anew who owns what; calls that come meanwhile wait for the same answer."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_up())
        await asyncio.shield(self._looking)

    async def run(self) -> None:
        """Keeps the owners up to date until cancelled."""
        while True:
            await self.look_up()
            await asyncio.sleep(_PERIOD_S)

    async def close(self) -> None:
        """Closes the channels to the workers."""
        for channel in self._workers.values():
            await channel.close()

    async def _look_up(self) -> None:
        metadata = ((AUTHORIZATION_KEY, f"Bearer {self._tokens.token()}"),)
        try:
            found = await self._locate(workers_pb.LocateShardsRequest(), timeout=_LOOK_UP_TIMEOUT_S, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            _log.debug("owners.unknown", code=error.code().name)
            return
        self._owners = {shard: worker.address for worker in found.workers for shard in worker.shards}
        for lane in list(self._lanes):
            owner = self._owners.get(lane.shard) if lane.shard is not None else None
            if owner is not None and lane.address and owner != lane.address:
                lane.end()
        self._forget({worker.address for worker in found.workers})

    def _worker(self, address: str) -> grpc.aio.Channel:
        if address not in self._workers:
            self._workers[address] = new_channel(address, self._credentials, _OPTIONS)
        return self._workers[address]

    def _forget(self, addresses: set[str]) -> None:
        """Closes channels to workers that own nothing any more, once their last calls are over."""
        for address in self._workers.keys() - addresses:
            closing = asyncio.create_task(self._workers.pop(address).close(_CLOSE_GRACE_S))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)


@asynccontextmanager
async def open_routing(
    addresses: Mapping[str, str], tokens: InternalTokens, credentials: grpc.ChannelCredentials | None = None
) -> AsyncIterator[Routing]:
    """Gives the routing over channels to the services; connections are made when they are first needed.

    Args:
        addresses: host and port of each service, by its name; of several table workers all (`ipv4:…,…`), or a name
            that stands for them.
        tokens: by which the gateway asks workers.
        credentials: what connections are secured by, if they are.
    """
    async with AsyncExitStack() as stack:
        channels = {
            name: await stack.enter_async_context(new_channel(address, credentials, _OPTIONS))
            for name, address in addresses.items()
        }
        routing = Routing(channels, tokens, credentials)
        stack.push_async_callback(routing.close)
        running = asyncio.create_task(routing.run())
        try:
            yield routing
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


def _shard_of(route: Route, request: bytes) -> int | None:
    """Returns the shard of the table that a request names, or None if any worker answers it."""
    if route.service != TABLES or "table_id" not in route.request.DESCRIPTOR.fields_by_name:
        return None
    return shard_of(getattr(route.request.FromString(request), "table_id"))  # noqa: B009 - the type is not known here
