"""ReplayService on the wire."""

from typing import Any

from mahjong_kit.auth import current_player
from mahjong_kit.fields import is_uuid
from mahjong_replay import errors, wire
from mahjong_replay.page import PageTokenError
from mahjong_replay.service import ReplayService
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceServicer


class ReplayServicer(ReplayServiceServicer):
    """Checks requests, calls the use cases, writes answers."""

    def __init__(self, replays: ReplayService) -> None:
        self._replays = replays

    async def StoreHand(self, request: pb.StoreHandRequest, context: Any) -> pb.StoreHandResponse:
        terms = wire.terms_of(request)
        summary = wire.summary_of(request, terms)
        await self._replays.store_hand(terms, summary, request.record_json)
        return pb.StoreHandResponse()

    async def FinishMatch(self, request: pb.FinishMatchRequest, context: Any) -> pb.FinishMatchResponse:
        await self._replays.finish_match(wire.terms_of(request), wire.end_of(request))
        return pb.FinishMatchResponse()

    async def ListMyMatches(self, request: pb.ListMyMatchesRequest, context: Any) -> pb.ListMyMatchesResponse:
        player_id, page_size = current_player().player_id, wire.page_size_of(request)
        try:
            page = await self._replays.list_matches(player_id, page_size, request.page_token)
        except PageTokenError as error:
            raise errors.malformed_page_token() from error
        return pb.ListMyMatchesResponse(matches=map(wire.match_message, page.matches), next_page_token=page.next_token)

    async def GetMatch(self, request: pb.GetMatchRequest, context: Any) -> pb.GetMatchResponse:
        match_id = _checked_match_id(request.match_id)
        match, hands = await self._replays.find_match(match_id, current_player().player_id)
        return pb.GetMatchResponse(match=wire.match_message(match), hands=map(wire.hand_message, hands))

    async def GetHandRecord(self, request: pb.GetHandRecordRequest, context: Any) -> pb.GetHandRecordResponse:
        match_id = _checked_match_id(request.match_id)
        record_json = await self._replays.find_record(match_id, request.hand_number, current_player().player_id)
        return pb.GetHandRecordResponse(record_json=record_json)


def _checked_match_id(match_id: str) -> str:
    """Returns the id; what is no id names no match."""
    if not is_uuid(match_id):
        raise errors.match_not_found(match_id[:36])
    return match_id
