"""Who must not meet whom, as the account service knows it: the matchmaker asks about those it would seat together."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import grpc

from mahjong_kit.log import get_logger
from mahjong_matchmaker.grouping import Blocks
from mahjongplanet.account.v1.friend_service_pb2 import ListBlockedPairsRequest

if TYPE_CHECKING:
    from mahjongplanet.account.v1.friend_service_pb2_grpc import FriendServiceAsyncStub  # There for types only.

_PLAYERS_MAX: Final = 1_000
"""Most players of one request."""
_TIMEOUT_S: Final = 1.0
_LEFT_ALONE_S: Final = 10.0
"""How long an account service that did not answer is not asked: a wave must not wait for it each time."""
_KEPT_S: Final = 60.0
"""How long an answer is remembered, so that a block that was taken back does not count for ever."""

_log = get_logger()


class BlockList:
    """Remembers blocks. While the account service is away nobody is kept apart whom it has not named before."""

    def __init__(self, stub: "FriendServiceAsyncStub", clock_s: Callable[[], float]) -> None:
        self._stub = stub
        self._clock_s = clock_s
        self._away_until = 0.0
        self._forget_at = 0.0
        self._known: defaultdict[str, set[str]] = defaultdict(set)

    @property
    def known(self) -> Blocks:
        """The blocks that were named of late."""
        return self._known

    async def learn(self, player_ids: Sequence[str]) -> bool:
        """Asks who of the players must not meet; returns whether there was something new."""
        is_new = False
        for start in range(0, len(player_ids), _PLAYERS_MAX):
            pairs = await self._pairs(player_ids[start : start + _PLAYERS_MAX])
            if pairs is None:
                break
            self._forget()
            for one, other in pairs:
                is_new = is_new or other not in self._known[one]
                self._known[one].add(other)
                self._known[other].add(one)
        return is_new

    async def are_apart(self, one: str, others: Sequence[str]) -> bool:
        """Whether a player must not meet one of the others."""
        return any(one in pair for pair in await self._pairs([one, *others]) or ())

    def _forget(self) -> None:
        """Forgets the blocks if they are old; only while the account service answers, which can name them again."""
        now = self._clock_s()
        if now >= self._forget_at:
            self._known.clear()
            self._forget_at = now + _KEPT_S

    async def _pairs(self, player_ids: Sequence[str]) -> list[tuple[str, str]] | None:
        """Returns what the account service says; None while it is away."""
        if self._clock_s() < self._away_until:
            return None
        try:
            found = await self._stub.ListBlockedPairs(
                ListBlockedPairsRequest(player_ids=player_ids), timeout=_TIMEOUT_S
            )
        except grpc.aio.AioRpcError as error:
            _log.warning("blocks.unread", code=error.code().name, problem=error.details())
            self._away_until = self._clock_s() + _LEFT_ALONE_S
            return None
        return [(pair.first_player_id, pair.second_player_id) for pair in found.pairs]
