"""RatingService on the wire."""

from typing import Any

from mahjong_kit.auth import check_service, current_player
from mahjong_kit.call import time_left_s
from mahjong_kit.fields import checked_uuid, is_uuid, value_of
from mahjong_kit.paging import checked_page_size
from mahjong_rating import errors, wire
from mahjong_rating.disposal import Disposal
from mahjong_rating.ladder import Ladder
from mahjong_rating.service import RatingService
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from mahjongplanet.rating.v1 import rating_service_pb2_grpc as pb_grpc

_ANSWER_MARGIN_S = 0.25
"""A wait ends so long before the deadline of its call, so that the answer still gets there."""


class RatingServicer(pb_grpc.RatingServiceServicer):
    """Checks requests, calls the use cases, writes answers."""

    def __init__(self, ratings: RatingService, ladder: Ladder, disposal: Disposal) -> None:
        self._ratings = ratings
        self._ladder = ladder
        self._disposal = disposal

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

    async def GetPlayerRating(self, request: pb.GetPlayerRatingRequest, context: Any) -> pb.GetPlayerRatingResponse:
        player_id = wire.player_of(request.player_id, current_player().player_id)
        season = wire.season_number_of(request.season)
        found = await self._ladder.find_rating(wire.rule_set_of(request.rule_set), player_id, season)
        return wire.player_rating_message(player_id, found)

    async def ListRatingHistory(
        self, request: pb.ListRatingHistoryRequest, context: Any
    ) -> pb.ListRatingHistoryResponse:
        player_id = wire.player_of(request.player_id, current_player().player_id)
        rule_set, season = wire.rule_set_of(request.rule_set), wire.season_number_of(request.season)
        page_size = checked_page_size(request.page_size)
        page = await self._ladder.list_history(rule_set, player_id, season, page_size, request.page_token)
        return wire.history_message(page)

    async def ListLeaderboard(self, request: pb.ListLeaderboardRequest, context: Any) -> pb.ListLeaderboardResponse:
        rule_set, season = wire.rule_set_of(request.rule_set), wire.season_number_of(request.season)
        page_size = checked_page_size(request.page_size)
        return wire.leaderboard_message(await self._ladder.list_board(rule_set, season, page_size, request.page_token))

    async def ListSeasons(self, request: pb.ListSeasonsRequest, context: Any) -> pb.ListSeasonsResponse:
        return pb.ListSeasonsResponse(seasons=map(wire.season_message, await self._ladder.list_seasons()))

    async def AnonymisePlayer(self, request: pb.AnonymisePlayerRequest, context: Any) -> pb.AnonymisePlayerResponse:
        check_service("account")
        match_count = await self._disposal.anonymise(checked_uuid("player_id", request.player_id))
        return pb.AnonymisePlayerResponse(match_count=match_count)
