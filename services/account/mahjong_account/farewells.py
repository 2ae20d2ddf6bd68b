"""Tells the services that keep something of a player that the account is no more: at least once, until they answer.

What they do is idempotent, so that two replicas may tell them at once, and again after a crash.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

import grpc

from mahjong_account.metrics import AccountMetrics
from mahjong_account.models import Farewell
from mahjong_account.store import AccountStore
from mahjong_kit.auth import InternalTokens
from mahjong_kit.background import running
from mahjong_kit.client import open_stub
from mahjong_kit.log import get_logger
from mahjongplanet.rating.v1 import rating_service_pb2 as rating_pb
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from mahjongplanet.replay.v1 import replay_service_pb2 as replay_pb
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceStub

BATCH: Final = 100
_TIMEOUT_S: Final = 10.0

Tell = Callable[[str], Awaitable[object]]
"""Tells a service about a player's id; returns when it has done what it does."""

_log = get_logger()


class Farewells:
    """Sends what the database says is still to be told."""

    def __init__(self, store: AccountStore, tell: Mapping[str, Tell], metrics: AccountMetrics, period_s: float) -> None:
        self._store = store
        self._tell = tell
        self._metrics = metrics
        self._period_s = period_s
        self._news = asyncio.Event()

    def hurry(self) -> None:
        """Makes it look at once."""
        self._news.set()

    async def send(self) -> int:
        """Tells what is still to be told; returns how much of it failed."""
        return sum(await asyncio.gather(*map(self._send_to, self._tell)))

    async def run(self) -> None:
        """Sends at the start, at news and once a period, until cancelled."""
        while True:
            self._news.clear()
            try:
                await self.send()
            except Exception as error:  # noqa: BLE001 - a store that is away for a while must not end the sending
                _log.warning("farewells.unsent", problem=repr(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._period_s):
                    await self._news.wait()

    async def _send_to(self, service: str) -> int:
        """Tells one service, the oldest first, whatever becomes of the others; returns how much of it failed."""
        failed = 0
        for farewell in await self._store.list_farewells(service, BATCH):
            if not await self._sent(farewell):
                failed += 1
        return failed

    async def _sent(self, farewell: Farewell) -> bool:
        try:
            await self._tell[farewell.service](farewell.player_id)
        except grpc.aio.AioRpcError as error:
            self._metrics.farewells.labels(farewell.service, "failed").inc()
            _log.warning("farewell.failed", player_id=farewell.player_id, to=farewell.service, code=error.code().name)
            return False
        await self._store.remove_farewell(farewell)
        self._metrics.farewells.labels(farewell.service, "sent").inc()
        _log.info("farewell.sent", player_id=farewell.player_id, to=farewell.service)
        return True


@asynccontextmanager
async def open_farewells(
    store: AccountStore,
    metrics: AccountMetrics,
    tokens: InternalTokens,
    *,
    replay_address: str,
    rating_address: str,
    credentials: grpc.ChannelCredentials | None,
    period_s: float,
) -> AsyncIterator[Farewells]:
    """Gives the farewells over channels to the services, and sends them until the block ends."""
    async with (
        open_stub(ReplayServiceStub, replay_address, tokens=tokens, credentials=credentials) as replay,
        open_stub(RatingServiceStub, rating_address, tokens=tokens, credentials=credentials) as rating,
    ):

        async def tell_replay(player_id: str) -> object:
            request = replay_pb.AnonymisePlayerRequest(player_id=player_id)
            return await replay.AnonymisePlayer(request, timeout=_TIMEOUT_S)

        async def tell_rating(player_id: str) -> object:
            request = rating_pb.AnonymisePlayerRequest(player_id=player_id)
            return await rating.AnonymisePlayer(request, timeout=_TIMEOUT_S)

        farewells = Farewells(store, {"replay": tell_replay, "rating": tell_rating}, metrics, period_s)
        async with running(farewells.run()):
            yield farewells
