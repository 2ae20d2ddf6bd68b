"""The rating service as the matchmaker knows it: it can do without."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import grpc

from mahjong_kit.layers import AUTHORIZATION_KEY
from mahjong_kit.log import get_logger
from mahjong_matchmaker.ticket import FIRST_RATING
from mahjongplanet.game.v1.terms_pb2 import RuleSet
from mahjongplanet.rating.v1.rating_service_pb2 import BatchGetRatingsRequest

if TYPE_CHECKING:
    from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceAsyncStub  # There for types only.

_TIMEOUT_S: Final = 1.0
_LEFT_ALONE_S: Final = 10.0
"""How long a rating service that did not answer is not asked: joining must not wait for it each time."""

_log = get_logger()


class Ratings:
    """Reads ratings, on behalf of a player: everybody may see everybody's."""

    def __init__(self, stub: "RatingServiceAsyncStub", clock_s: Callable[[], float]) -> None:
        self._stub = stub
        self._clock_s = clock_s
        self._away_until = 0.0

    async def of(self, player_ids: Sequence[str], rule_set: RuleSet.ValueType, authorization: str) -> dict[str, int]:
        """Returns the shown rating of each player; that of a new player for those whose rating is not to be had.

        Args:
            player_ids: the players, at most 100.
            rule_set: the rule set.
            authorization: the metadata by which a player has called.
        """
        ratings = dict.fromkeys(player_ids, FIRST_RATING)
        if self._clock_s() < self._away_until:
            return ratings
        request = BatchGetRatingsRequest(rule_set=rule_set, player_ids=player_ids)
        try:
            found = await self._stub.BatchGetRatings(
                request, timeout=_TIMEOUT_S, metadata=((AUTHORIZATION_KEY, authorization),)
            )
        except grpc.aio.AioRpcError as error:
            _log.warning("ratings.unread", code=error.code().name, problem=error.details())
            self._away_until = self._clock_s() + _LEFT_ALONE_S
            return ratings
        return ratings | {one.player_id: one.shown for one in found.ratings if one.player_id in ratings}
