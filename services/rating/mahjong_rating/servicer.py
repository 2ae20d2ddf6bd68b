"""RatingService on the wire."""

from typing import Any

from mahjong_kit.auth import current_player
from mahjong_kit.call import time_left_s
from mahjong_kit.fields import is_uuid, value_of
from mahjong_rating import errors, wire
from mahjong_rating.service import RatingService
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from mahjongplanet.rating.v1 import rating_service_pb2_grpc as pb_grpc

_ANSWER_MARGIN_S = 0.25
"""A wait ends so long before the deadline of its call, so that the answer still gets there."""


class RatingServicer(pb_grpc.RatingServiceServicer):
    """Checks requests, calls the use cases, writes answers."""

    def __init__(self, ratings: RatingService) -> None:
        self._ratings = ratings

    async def ReportMatch(self, request: pb.ReportMatchRequest, context: Any) -> pb.ReportMatchResponse:
        outcome = await self._ratings.report(wire.report_of(request))
        return pb.ReportMatchResponse(outcome=value_of(pb.RatingOutcome, outcome))

    async def GetMatchRating(self, request: pb.GetMatchRatingRequest, context: Any) -> pb.GetMatchRatingResponse:
        player_id = current_player().player_id
        wait_s = wire.wait_s_of(request)
        if not is_uuid(request.match_id):
            raise errors.match_not_found(request.match_id[:36])
        left_s = time_left_s()
        if left_s is not None:
            wait_s = min(wait_s, left_s - _ANSWER_MARGIN_S)
        found = await self._ratings.find_match_rating(request.match_id, player_id, wait_s)
        return wire.match_rating_message(found.outcome, found.changes)

    async def BatchGetRatings(self, request: pb.BatchGetRatingsRequest, context: Any) -> pb.BatchGetRatingsResponse:
        standings = await self._ratings.list_standings(*wire.batch_of(request))
        return pb.BatchGetRatingsResponse(ratings=map(wire.rating_message, standings))
