"""What players do: join, cancel, look, watch, practise."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing

import grpc

from mahjong_kit.auth import Player
from mahjong_kit.forwarding import forwarded
from mahjong_kit.log import get_logger
from mahjong_matchmaker import limits
from mahjong_matchmaker.cool_downs import CoolDowns, NoShowOutcome
from mahjong_matchmaker.errors import (
    already_seated,
    cooling_down,
    request_id_reused,
    ticket_already_queued,
    ticket_not_found,
)
from mahjong_matchmaker.leader import PoolLeader
from mahjong_matchmaker.limits import Limits
from mahjong_matchmaker.metrics import MatchmakerMetrics
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.ratings import Ratings
from mahjong_matchmaker.seating import practice_terms
from mahjong_matchmaker.tables import Tables
from mahjong_matchmaker.ticket import Ticket, TicketState
from mahjong_matchmaker.ticket_store import Joining, JoinOutcome, PoolState, PracticeOutcome, TicketStore
from mahjong_matchmaker.watching import Watching
from mahjong_matchmaker.waves import WaveRules
from mahjongplanet.table.v1.table_service_pb2 import CreateTableRequest

_log = get_logger()


class MatchmakerService:
    """The use cases of players; leaders do the rest."""

    def __init__(
        self,
        store: TicketStore,
        tables: Tables,
        watching: Watching,
        tell: Callable[[Iterable[str]], None],
        limiter: Limits,
        ratings: Ratings,
        cool_downs: CoolDowns,
        leaders: Mapping[Pool, PoolLeader],
        clock_ms: Callable[[], int],
        metrics: MatchmakerMetrics,
        *,
        cancel_wait_s: float,
    ) -> None:
        self._store = store
        self._tables = tables
        self._watching = watching
        self._tell = tell
        """Tells the watchers of players that their tickets have changed."""
        self._limits = limiter
        self._ratings = ratings
        self._cool_downs = cool_downs
        self._leaders = leaders
        self._clock_ms = clock_ms
        self._metrics = metrics
        self._cancel_wait_s = cancel_wait_s

    async def join(self, player: Player, request_id: str, pool: Pool, authorization: str) -> Ticket:
        """Gives the player a ticket; a repeated request gets the ticket of the first.

        Raises:
            AlreadyExistsError: `TICKET_ALREADY_QUEUED`, `ALREADY_SEATED`, `REQUEST_ID_REUSED`.
            ThrottledError: `RATE_LIMITED`, `COOLING_DOWN`.
            NotFoundError: `TICKET_NOT_FOUND`: the request is an old one, and the player has got another ticket since.
        """
        if not await self._store.is_known(player.player_id, request_id):
            await self._limits.count(limits.JOINS, player.player_id)
            if pool.rated:
                await self._check_cool_down(player.player_id)
            await self._check_not_seated(player.player_id)
        ratings = await self._ratings.of([player.player_id], pool.rule_set, authorization)
        rating = ratings[player.player_id]
        joining = Joining(request_id, str(uuid.uuid4()), player.player_id, player.display_name, pool, rating)
        outcome, ticket_id = await self._store.join(joining, self._clock_ms())
        if outcome is JoinOutcome.LIVE:
            raise ticket_already_queued(ticket_id)
        if outcome is JoinOutcome.JOINED:
            self._metrics.tickets_joined.labels(pool.name).inc()
            _log.info("ticket.joined", ticket_id=ticket_id, pool=pool.name)
            self._leaders[pool].look()
        ticket = await self.ticket(player.player_id, ticket_id)
        if ticket.pool != pool:
            raise request_id_reused(request_id)
        return ticket

    async def ticket(self, player_id: str, ticket_id: str | None = None) -> Ticket:
        """Returns the player's newest ticket, if it is the one that is asked for.

        Raises:
            NotFoundError: `TICKET_NOT_FOUND`.
        """
        newest = await self._store.newest(player_id)
        if newest is None or newest.ticket_id != (ticket_id or newest.ticket_id):
            raise ticket_not_found(ticket_id or "")
        seen = await self._store.observe(newest.pool, [player_id], None)
        return seen.get(player_id, newest)

    async def mine(self, player_id: str) -> Ticket:
        """Returns the player's newest ticket and puts its expiry off: who asks has not left.

        Raises:
            NotFoundError: `TICKET_NOT_FOUND`.
        """
        newest = await self._store.newest(player_id)
        if newest is None:
            raise ticket_not_found("")
        seen = await self._store.observe(newest.pool, [player_id], self._clock_ms())
        return seen.get(player_id, newest)

    async def pools(self) -> dict[Pool, PoolState]:
        """Returns how it looks in each pool."""
        return await self._store.pool_states(list(self._leaders))

    def rules(self, pool: Pool) -> WaveRules:
        """Returns what the waves of a pool go by."""
        return self._leaders[pool].rules

    async def cancel(self, player_id: str, ticket_id: str) -> Ticket:
        """Takes a ticket and those of its party out of the queue; returns it as it is then, matched perhaps.

        Raises:
            NotFoundError: `TICKET_NOT_FOUND`.
        """
        ticket = await self.ticket(player_id, ticket_id)
        if await self.withdraw(ticket) is TicketState.FORMING:
            await self._wait_for_end(ticket)
        return await self.ticket(player_id, ticket_id)

    async def withdraw(self, ticket: Ticket) -> TicketState | None:
        """Takes a ticket and those of its party out of the queue, or notes the wish if their table is being made.

        Returns:
            The state before; None if the ticket is no longer the player's newest.
        """
        before = await self._store.cancel(ticket)
        if before is TicketState.QUEUED:
            players = ticket.party or (ticket.player_id,)
            self._metrics.tickets_ended.labels(ticket.pool.name, "cancelled").inc(len(players))
            self._tell(players)
        return before

    async def watch(self, player_id: str, ticket_id: str) -> AsyncIterator[Ticket]:
        """Gives a ticket at once, at each change and every few seconds, until something has become of it.

        Raises:
            NotFoundError: `TICKET_NOT_FOUND`; also when the player has got another ticket since.
        """
        ticket = await self.ticket(player_id, ticket_id)
        async with aclosing(self._watching.watch(ticket)) as states:  # type: ignore[type-var]
            async for state in states:
                if state is None:
                    raise ticket_not_found(ticket_id)
                yield state
                if not state.state.is_live:
                    return

    async def practise(self, player_id: str, request_id: str, wish: CreateTableRequest) -> tuple[str, str]:
        """Opens a practice table; a repeated request gets the table of the first.

        Returns:
            The ids of table and match.

        Raises:
            AlreadyExistsError: `TICKET_ALREADY_QUEUED`, `ALREADY_SEATED`, `REQUEST_ID_REUSED`.
            ServiceError: what else the table service says.
        """
        outcome, value = await self._store.plan_practice(player_id, request_id, wish.SerializeToString())
        if outcome is PracticeOutcome.LIVE:
            raise ticket_already_queued(value.decode())
        planned = CreateTableRequest.FromString(value)
        if practice_terms(planned) != practice_terms(wish):
            raise request_id_reused(request_id)
        try:
            table_id = await self._tables.create_now(planned)
        except grpc.aio.AioRpcError as error:
            raise forwarded(error, "table") from error
        if outcome is PracticeOutcome.NEW:
            self._metrics.practices_started.inc()
        return table_id, planned.match_id

    async def report_no_shows(self, match_id: str, player_ids: Sequence[str], *, rated: bool) -> None:
        """Takes the report of who did not come to a match; a repeated one changes nothing."""
        outcome = await self._cool_downs.report(match_id, player_ids, self._clock_ms()) if rated else None
        if outcome is not NoShowOutcome.KNOWN:
            self._metrics.no_shows.labels("casual" if outcome is None else outcome.value).inc(len(player_ids))
            _log.info("no_shows.reported", match_id=match_id, people=len(player_ids), outcome=outcome)

    async def cool_down_end_ms(self, player_id: str) -> int | None:
        """Returns until when rated pools refuse a player; None if they do not."""
        return await self._cool_downs.end_ms(player_id, self._clock_ms())

    async def _check_cool_down(self, player_id: str) -> None:
        end_ms = await self.cool_down_end_ms(player_id)
        if end_ms is not None:
            raise cooling_down(end_ms, self._clock_ms())

    async def _check_not_seated(self, player_id: str) -> None:
        try:
            table = await self._tables.find(player_id)
        except grpc.aio.AioRpcError as error:
            # Whoever sits elsewhere is found out again when the table is made; until then nobody is kept from queueing.
            _log.warning("seat.unchecked", code=error.code().name, problem=error.details())
            return
        if table is not None:
            raise already_seated(table.table_id)

    async def _wait_for_end(self, ticket: Ticket) -> None:
        try:
            async with asyncio.timeout(self._cancel_wait_s):
                async for _ in self.watch(ticket.player_id, ticket.ticket_id):
                    pass
        except TimeoutError:
            return
