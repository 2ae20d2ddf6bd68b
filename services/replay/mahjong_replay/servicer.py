"""ReplayService on the wire."""

from typing import Any

from mahjong_kit.auth import check_service, current_player
from mahjong_kit.fields import checked_uuid, is_uuid
from mahjong_kit.paging import checked_page_size
from mahjong_replay import errors, wire
from mahjong_replay.filters import MatchList
from mahjong_replay.reception import Reception
from mahjong_replay.service import OpenHand, ReplayService
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceServicer


class ReplayServicer(ReplayServiceServicer):
    """Checks requests, calls the use cases, writes answers."""

    def __init__(self, reception: Reception, replays: ReplayService) -> None:
        self._reception = reception
        self._replays = replays

    async def StartMatch(self, request: pb.StartMatchRequest, context: Any) -> pb.StartMatchResponse:
        await self._reception.start_match(wire.terms_of(request))
        return pb.StartMatchResponse()

    async def StoreHand(self, request: pb.StoreHandRequest, context: Any) -> pb.StoreHandResponse:
        terms = wire.terms_of(request)
        summary = wire.summary_of(request, terms)
        await self._reception.store_hand(terms, summary, request.record_json)
        return pb.StoreHandResponse()

    async def FinishMatch(self, request: pb.FinishMatchRequest, context: Any) -> pb.FinishMatchResponse:
        await self._reception.finish_match(wire.terms_of(request), wire.end_of(request))
        return pb.FinishMatchResponse()

    async def AnonymisePlayer(self, request: pb.AnonymisePlayerRequest, context: Any) -> pb.AnonymisePlayerResponse:
        check_service("account")
        match_count = await self._replays.anonymise_player(checked_uuid("player_id", request.player_id))
        return pb.AnonymisePlayerResponse(match_count=match_count)

    async def ListMyMatches(self, request: pb.ListMyMatchesRequest, context: Any) -> pb.ListMyMatchesResponse:
        me = current_player().player_id
        page_size, listed = checked_page_size(request.page_size), MatchList(me, me, wire.filter_of(request))
        page = await self._replays.list_matches(listed, page_size, request.page_token)
        return pb.ListMyMatchesResponse(matches=map(wire.match_message, page.matches), next_page_token=page.next_token)

    async def ListPlayerMatches(
        self, request: pb.ListPlayerMatchesRequest, context: Any
    ) -> pb.ListPlayerMatchesResponse:
        player_id = checked_uuid("player_id", request.player_id)
        listed = MatchList(player_id, current_player().player_id, wire.filter_of(request))
        page = await self._replays.list_matches(listed, checked_page_size(request.page_size), request.page_token)
        matches = map(wire.match_message, page.matches)
        return pb.ListPlayerMatchesResponse(matches=matches, next_page_token=page.next_token)

    async def GetMatch(self, request: pb.GetMatchRequest, context: Any) -> pb.GetMatchResponse:
        match_id = checked_match_id(request.match_id)
        match, hands, awards = await self._replays.find_match(match_id, current_player().player_id)
        return pb.GetMatchResponse(
            match=wire.match_message(match), hands=[wire.hand_message(hand, awards) for hand in hands]
        )

    async def GetHandRecord(self, request: pb.GetHandRecordRequest, context: Any) -> pb.GetHandRecordResponse:
        match_id = checked_match_id(request.match_id)
        record_json = await self._replays.find_record(match_id, request.hand_number, current_player().player_id)
        return pb.GetHandRecordResponse(record_json=record_json)

    async def ListHandEvents(self, request: pb.ListHandEventsRequest, context: Any) -> pb.ListHandEventsResponse:
        return wire.events_message(request, await self._open_hand(request))

    async def GetHandState(self, request: pb.GetHandStateRequest, context: Any) -> pb.GetHandStateResponse:
        hand = await self._open_hand(request)
        position = wire.position_of(request.position, hand.timeline)
        return wire.state_message(hand, await self._replays.find_moment(hand, position))

    async def VerifyMatch(self, request: pb.VerifyMatchRequest, context: Any) -> pb.VerifyMatchResponse:
        match_id = checked_match_id(request.match_id)
        played, finding = await self._replays.verify_match(match_id, current_player().player_id)
        return pb.VerifyMatchResponse(hand_count=played.hand_count, flaws=wire.flaw_messages(finding))

    async def _open_hand(self, request: pb.ListHandEventsRequest | pb.GetHandStateRequest) -> OpenHand:
        match_id = checked_match_id(request.match_id)
        reader_id, seat = current_player().player_id, wire.seat_of(request)
        return await self._replays.open_hand(match_id, request.hand_number, reader_id, seat)


def checked_match_id(match_id: str) -> str:
    """Returns the id; what is no id names no match."""
    if not is_uuid(match_id):
        raise errors.match_not_found(match_id[:36])
    return match_id
