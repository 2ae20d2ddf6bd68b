"""MatchmakerService on the wire."""

from collections.abc import AsyncIterator, Callable
from typing import Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_uuid, checked_word
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.seating import seat_practice
from mahjong_matchmaker.service import MatchmakerService
from mahjong_matchmaker.ticket import Ticket, TicketState
from mahjong_matchmaker.waves import SEATS, WaveRules, wait_left_ms
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, MatchLength, Occupant, RuleSet
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2_grpc import MatchmakerServiceServicer

_STATES: Final = {
    TicketState.QUEUED: pb.TICKET_STATE_QUEUED,
    TicketState.FORMING: pb.TICKET_STATE_QUEUED,
    TicketState.MATCHED: pb.TICKET_STATE_MATCHED,
    TicketState.CANCELLED: pb.TICKET_STATE_CANCELLED,
    TicketState.EXPIRED: pb.TICKET_STATE_EXPIRED,
}


class MatchmakerServicer(MatchmakerServiceServicer):
    """Answers the calls of players."""

    def __init__(self, service: MatchmakerService, clock_ms: Callable[[], int], rules: WaveRules) -> None:
        self._service = service
        self._clock_ms = clock_ms
        self._rules = rules

    async def JoinQueue(self, request: pb.JoinQueueRequest, context: object) -> pb.JoinQueueResponse:
        request_id = checked_uuid("request_id", request.request_id)
        checked_word("rule_set", RuleSet, request.rule_set)
        ticket = await self._service.join(current_player(), request_id, Pool(request.rule_set, request.rated))
        return pb.JoinQueueResponse(ticket=self._ticket(ticket))

    async def CancelTicket(self, request: pb.CancelTicketRequest, context: object) -> pb.CancelTicketResponse:
        ticket_id = checked_uuid("ticket_id", request.ticket_id)
        ticket = await self._service.cancel(current_player().player_id, ticket_id)
        return pb.CancelTicketResponse(ticket=self._ticket(ticket))

    async def GetMyTicket(self, request: pb.GetMyTicketRequest, context: object) -> pb.GetMyTicketResponse:
        return pb.GetMyTicketResponse(ticket=self._ticket(await self._service.ticket(current_player().player_id)))

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: object
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        ticket_id = checked_uuid("ticket_id", request.ticket_id)
        async for ticket in self._service.watch(current_player().player_id, ticket_id):
            yield pb.WatchTicketResponse(ticket=self._ticket(ticket))

    async def ListPools(self, request: pb.ListPoolsRequest, context: object) -> pb.ListPoolsResponse:
        counts = await self._service.waiting_counts()
        fill = _duration(self._rules.fill_after_ms)
        pools = [
            pb.Pool(
                rule_set=pool.rule_set,
                clock=Clock.CLOCK_STANDARD,
                rated=pool.rated,
                waiting_count=count,
                expected_wait_duration=fill,
                fill_duration=fill,
            )
            for pool, count in counts.items()
        ]
        return pb.ListPoolsResponse(pools=pools)

    async def StartPractice(self, request: pb.StartPracticeRequest, context: object) -> pb.StartPracticeResponse:
        request_id = checked_uuid("request_id", request.request_id)
        checked_word("rule_set", RuleSet, request.rule_set)
        checked_word("clock", Clock, request.clock)
        checked_word("length", MatchLength, request.length)
        if len(request.computers) != SEATS - 1:
            raise invalid_field("computers", f"must be {SEATS - 1} levels")
        for index, level in enumerate(request.computers):
            checked_word(f"computers[{index}]", ComputerLevel, level)
        player = current_player()
        person = Occupant(player_id=player.player_id, display_name=player.display_name)
        wish = seat_practice(person, request.rule_set, request.clock, request.length, request.computers)
        table_id, match_id = await self._service.practise(player.player_id, request_id, wish)
        return pb.StartPracticeResponse(table_id=table_id, match_id=match_id)

    def _ticket(self, ticket: Ticket) -> pb.Ticket:
        wire = pb.Ticket(
            ticket_id=ticket.ticket_id,
            rule_set=ticket.pool.rule_set,
            rated=ticket.pool.rated,
            state=_STATES[ticket.state],
            join_time=_timestamp(ticket.joined_at_ms),
            waiting_count=ticket.waiting_count,
        )
        if ticket.state is TicketState.QUEUED:
            left_ms = wait_left_ms(ticket.oldest_joined_at_ms, self._clock_ms(), self._rules)
            wire.expected_wait_duration.CopyFrom(_duration(left_ms))
        if ticket.state is TicketState.MATCHED:
            wire.table_id, wire.match_id = ticket.table_id, ticket.match_id
        return wire


def _timestamp(time_ms: int) -> Timestamp:
    return Timestamp(seconds=time_ms // 1000, nanos=time_ms % 1000 * 1_000_000)


def _duration(time_ms: int) -> Duration:
    return Duration(seconds=time_ms // 1000, nanos=time_ms % 1000 * 1_000_000)
