"""A rating service and a friend service that know what tests tell them. On the wire they are the real thing."""

from typing_extensions import override

from mahjong_kit.auth import current_player
from mahjongplanet.account.v1 import friend_service_pb2 as friends
from mahjongplanet.account.v1.friend_service_pb2_grpc import FriendServiceServicer
from mahjongplanet.rating.v1 import rating_service_pb2 as ratings
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceServicer


class Ledger(RatingServiceServicer):
    """Ratings by player."""

    def __init__(self) -> None:
        self.ratings: dict[str, int] = {}
        self.callers: list[str] = []
        """Players on whose behalf ratings were read."""

    @override
    async def BatchGetRatings(
        self, request: ratings.BatchGetRatingsRequest, context: object
    ) -> ratings.BatchGetRatingsResponse:
        self.callers.append(current_player().player_id)
        known = [
            ratings.Rating(player_id=one, shown=self.ratings[one]) for one in request.player_ids if one in self.ratings
        ]
        return ratings.BatchGetRatingsResponse(ratings=known)


class Feuds(FriendServiceServicer):
    """Pairs of players of whom one has blocked the other."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def add(self, one: str, other: str) -> None:
        """Lets one block the other."""
        self.pairs.append((min(one, other), max(one, other)))

    @override
    async def ListBlockedPairs(
        self, request: friends.ListBlockedPairsRequest, context: object
    ) -> friends.ListBlockedPairsResponse:
        asked = set(request.player_ids)
        return friends.ListBlockedPairsResponse(
            pairs=[
                friends.BlockedPair(first_player_id=first, second_player_id=second)
                for first, second in self.pairs
                if {first, second} <= asked
            ]
        )
