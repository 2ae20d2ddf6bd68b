"""MatchmakerService on the wire."""

from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_uuid, checked_word
from mahjong_kit.layers import AUTHORIZATION_KEY
from mahjong_kit.times import duration, timestamp
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.seating import seat_practice
from mahjong_matchmaker.service import MatchmakerService
from mahjong_matchmaker.ticket import Ticket, TicketState
from mahjong_matchmaker.ticket_store import PoolState
from mahjong_matchmaker.waves import SEATS, WaveRules, wait_left_ms
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, MatchLength, Occupant, RuleSet, TableKind
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

    def __init__(self, service: MatchmakerService, clock_ms: Callable[[], int]) -> None:
        self._service = service
        self._clock_ms = clock_ms

    async def JoinQueue(self, request: pb.JoinQueueRequest, context: object) -> pb.JoinQueueResponse:
        request_id = checked_uuid("request_id", request.request_id)
        checked_word("rule_set", RuleSet, request.rule_set)
        clock = request.clock or Clock.CLOCK_STANDARD
        checked_word("clock", Clock, clock)
        if clock == Clock.CLOCK_UNTIMED:
            raise invalid_field("clock", "never untimed in the queue")
        pool = Pool(request.rule_set, request.rated, clock)
        ticket = await self._service.join(current_player(), request_id, pool, authorization_of(context))
        return pb.JoinQueueResponse(ticket=self._ticket(ticket))

    async def CancelTicket(self, request: pb.CancelTicketRequest, context: object) -> pb.CancelTicketResponse:
        ticket_id = checked_uuid("ticket_id", request.ticket_id)
        ticket = await self._service.cancel(current_player().player_id, ticket_id)
        return pb.CancelTicketResponse(ticket=self._ticket(ticket))

    async def GetMyTicket(self, request: pb.GetMyTicketRequest, context: object) -> pb.GetMyTicketResponse:
        return pb.GetMyTicketResponse(ticket=self._ticket(await self._service.mine(current_player().player_id)))

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: object
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        ticket_id = checked_uuid("ticket_id", request.ticket_id)
        async for ticket in self._service.watch(current_player().player_id, ticket_id):
            yield pb.WatchTicketResponse(ticket=self._ticket(ticket))

    async def ListPools(self, request: pb.ListPoolsRequest, context: object) -> pb.ListPoolsResponse:
        end_ms = await self._service.cool_down_end_ms(current_player().player_id)
        return pb.ListPoolsResponse(
            pools=[self._pool(pool, state) for pool, state in (await self._service.pools()).items()],
            cool_down_end_time=None if end_ms is None else timestamp(end_ms),
        )

    async def ReportNoShows(self, request: pb.ReportNoShowsRequest, context: object) -> pb.ReportNoShowsResponse:
        match_id = checked_uuid("match_id", request.match_id)
        checked_word("table_kind", TableKind, request.table_kind)
        if not 1 <= len(request.player_ids) <= SEATS:
            raise invalid_field("player_ids", f"must be 1-{SEATS}")
        players = [checked_uuid(f"player_ids[{index}]", one) for index, one in enumerate(request.player_ids)]
        rated = request.table_kind == TableKind.TABLE_KIND_RATED
        await self._service.report_no_shows(match_id, players, rated=rated)
        return pb.ReportNoShowsResponse()

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

    async def expected_wait_ms(self, pool: Pool) -> int:
        """Returns how long a ticket that joins a pool now is likely to wait."""
        state = (await self._service.pools())[pool]
        return expected_wait_ms(state, self._service.rules(pool), self._clock_ms())

    def _pool(self, pool: Pool, state: PoolState) -> pb.Pool:
        rules = self._service.rules(pool)
        return pb.Pool(
            rule_set=pool.rule_set,
            clock=pool.clock,
            rated=pool.rated,
            waiting_count=state.waiting_count,
            expected_wait_duration=duration(expected_wait_ms(state, rules, self._clock_ms())),
            fill_duration=duration(rules.fill_after_ms),
        )

    def _ticket(self, ticket: Ticket) -> pb.Ticket:
        wire = pb.Ticket(
            ticket_id=ticket.ticket_id,
            rule_set=ticket.pool.rule_set,
            rated=ticket.pool.rated,
            state=_STATES[ticket.state],
            join_time=timestamp(ticket.joined_at_ms),
            waiting_count=ticket.waiting_count,
            clock=ticket.pool.clock,
            party_player_ids=ticket.party,
        )
        if ticket.state is TicketState.QUEUED:
            state = PoolState(ticket.waiting_count, ticket.oldest_joined_at_ms, ticket.typical_wait_ms)
            now_ms, rules = self._clock_ms(), self._service.rules(ticket.pool)
            left_ms = expected_wait_ms(state, rules, now_ms, joined_at_ms=ticket.joined_at_ms)
            wire.expected_wait_duration.CopyFrom(duration(left_ms))
        if ticket.state is TicketState.MATCHED:
            wire.table_id, wire.match_id = ticket.table_id, ticket.match_id
        return wire


def expected_wait_ms(state: PoolState, rules: WaveRules, now_ms: int, *, joined_at_ms: int | None = None) -> int:
    """Returns how long a ticket is likely to wait from now on.

    As long as others have waited of late; and until computers join the oldest ticket, if that is earlier, if nobody has
    been seated lately, or if this ticket has waited longer already.

    Args:
        state: the ticket's pool.
        rules: what its waves go by.
        now_ms: the time, in milliseconds since the epoch.
        joined_at_ms: when the ticket joined; now if it does not wait yet.
    """
    joined_at_ms = now_ms if joined_at_ms is None else joined_at_ms
    most_ms = wait_left_ms(state.oldest_joined_at_ms or joined_at_ms, now_ms, rules)
    typical_ms = (state.typical_wait_ms or 0) + joined_at_ms - now_ms
    return min(typical_ms, most_ms) if typical_ms > 0 else most_ms


def authorization_of(context: Any) -> str:
    """Returns the metadata by which the caller has shown who they are."""
    return str(dict(context.invocation_metadata() or ()).get(AUTHORIZATION_KEY, ""))
