"""The two services that are told of deletions, on a real server that fails as often as a test says."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mahjong_kit.auth import Service, current_identity
from mahjong_kit.errors import store_unreachable
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server, serving
from mahjongplanet.rating.v1 import rating_service_pb2 as rating_pb
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceServicer
from mahjongplanet.replay.v1 import replay_service_pb2 as replay_pb
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceServicer
from tests.kit.serving import plain_settings
from tests.kit.tokens import TokenIssuer

_PATIENCE_S = 60


class Receivers:
    """Notes who was told of whom."""

    def __init__(self) -> None:
        self.address = ""
        self.calls: list[tuple[str, str]] = []
        self.told: set[tuple[str, str]] = set()
        self.callers: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._changed = asyncio.Condition()

    def fail(self, service: str, times: int) -> None:
        """Lets the next calls of a service fail."""
        self._failures[service] = times

    async def tell(self, service: str, player_id: str) -> None:
        identity = current_identity()
        assert isinstance(identity, Service)
        self.callers.add(identity.name)
        fails = self._failures[service] > 0
        self._failures[service] -= fails
        async with self._changed:
            self.calls.append((service, player_id))
            if not fails:
                self.told.add((service, player_id))
            self._changed.notify_all()
        if fails:
            raise store_unreachable("database")

    async def wait_for_calls(self, count: int) -> None:
        """Waits until so many calls have come, well or not."""
        await self._wait(lambda: len(self.calls) >= count)

    async def wait_until_told(self, player_id: str) -> None:
        """Waits until both services know."""
        await self._wait(lambda: {("replay", player_id), ("rating", player_id)} <= self.told)

    async def _wait(self, is_so) -> None:
        async with asyncio.timeout(_PATIENCE_S), self._changed:
            await self._changed.wait_for(is_so)


@asynccontextmanager
async def receiving(issuer: TokenIssuer) -> AsyncIterator[Receivers]:
    """Serves both services on one port."""
    receivers = Receivers()

    class Replays(ReplayServiceServicer):
        async def AnonymisePlayer(self, request, context):
            await receivers.tell("replay", request.player_id)
            return replay_pb.AnonymisePlayerResponse()

    class Ratings(RatingServiceServicer):
        async def AnonymisePlayer(self, request, context):
            await receivers.tell("rating", request.player_id)
            return rating_pb.AnonymisePlayerResponse()

    settings = plain_settings()
    built = build_server(
        Replays(), Ratings(), settings=settings, metrics=ServiceMetrics("test"), authenticator=issuer.authenticator()
    )
    async with serving(built, settings):
        receivers.address = f"127.0.0.1:{built.port}"
        yield receivers
