"""The use cases of the table service."""

import asyncio
import uuid
from collections.abc import AsyncIterator

from mahjong_engine.action import Action, Discard
from mahjong_engine.errors import IllegalActionError
from mahjong_engine.tile import CODES, Seat
from mahjong_engine.wall import SERVER_SEED_SIZE
from mahjong_kit.errors import AlreadyExistsError, ServiceError
from mahjong_kit.log import get_logger
from mahjong_table import errors
from mahjong_table.channel import Backlog, Channel, Outlet
from mahjong_table.core.decide import Answer, Command, ConfirmResult, GiveNonce, Leave
from mahjong_table.core.draft import Outcome
from mahjong_table.core.entry import Answered
from mahjong_table.core.refusal import Refusal, RefusedError
from mahjong_table.core.state import EPOCH, Opening, Receipt
from mahjong_table.core.terms import Terms
from mahjong_table.environment import Environment
from mahjong_table.live import ConflictError, LiveTable
from mahjong_table.opener import Opener
from mahjong_table.shards import shard_of
from mahjong_table.store.log import Log
from mahjong_table.store.open_tables import (
    AlreadySeatedError,
    CapacityError,
    FencedError,
    MatchIdReusedError,
    Wanted,
)
from mahjong_table.store.tables import Seated, Tables
from mahjong_table.watch import Watch
from mahjong_table.wire.response import payload_of
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb

_MAYBE_ANSWERED = frozenset(
    {Refusal.DECISION_CLOSED, Refusal.DECISION_NOT_FOUND, Refusal.NOT_YOUR_TURN, Refusal.MATCH_OVER}
)
"""Refusals that a retry of an accepted answer may meet: the log knows better."""

_log = get_logger()


class TableService:
    """Opens tables, takes commands, streams views."""

    def __init__(self, env: Environment, log: Log, tables: Tables) -> None:
        self._env = env
        self._store = log
        self._tables = tables
        self._opener = Opener(tables, openings_per_s=env.settings.openings_per_s)

    async def create_table(self, terms: Terms) -> str:
        """Opens the table of a match, once; returns its id.

        Raises:
            ServiceError: `NO_TABLE_CAPACITY`, `MATCH_ID_REUSED`, `ALREADY_SEATED` or `LEASE_LOST`.
        """
        keeper, settings = self._env.keeper, self._env.settings
        opening = Opening(
            self._new_table_id(),
            terms,
            self._env.chance.randbytes(SERVER_SEED_SIZE),
            self._env.clock.now(),
            settings.nonce_window_ms,
            settings.result_window_ms,
        )
        shard = shard_of(opening.table_id)
        try:
            is_full = len(keeper) >= settings.tables_max
            epoch = keeper.epochs[shard]
            table_id = await self._opener.open(Wanted(opening, shard, epoch, is_full))
        except CapacityError as error:
            raise errors.no_capacity() from error
        except MatchIdReusedError as error:
            raise AlreadyExistsError(ErrorReason.ERROR_REASON_MATCH_ID_REUSED, match_id=terms.match_id) from error
        except AlreadySeatedError as error:
            raise AlreadyExistsError(ErrorReason.ERROR_REASON_ALREADY_SEATED, table_id=error.table_id) from error
        except FencedError as error:
            raise errors.lease_lost() from error
        if keeper.epochs.get(shard_of(table_id)) is None:
            pass  # Another worker has it, or is just getting it and loads it.
        elif table_id == opening.table_id and keeper.epochs[shard] == epoch:
            keeper.add(self._env, opening)
            _log.info("table.opened", table_id=table_id, match_id=terms.match_id, rule_set=terms.rule_set)
        elif keeper.find(table_id) is None:
            await keeper.load_one(self._env, table_id)
        return table_id

    def _new_table_id(self) -> str:
        """Returns the id of a new table that lies in a shard of this worker.

        Raises:
            ServiceError: `DRAINING`: it has none, now or any more.
        """
        while self._env.keeper.epochs:
            table_id = str(uuid.uuid4())
            if shard_of(table_id) in self._env.keeper.epochs:
                return table_id
        raise errors.draining()

    async def table_of_player(self, player_id: str) -> Seated:
        """Returns the live table of a player.

        Raises:
            ServiceError: `TABLE_NOT_FOUND`.
        """
        seated = await self._tables.table_of_player(player_id)
        if seated is None:
            raise errors.table_not_found("")
        return seated

    async def submit_action(self, player_id: str, request: pb.SubmitActionRequest, action: Action) -> int:
        """Answers an open decision; returns the sequence at which the answer stands.

        Raises:
            ServiceError: the reasons that the proto lists.
        """
        table, seat = await self._seated(request.table_id, player_id)
        with self._env.metrics.decision_duration_s.time():
            outcome = await self._answer(table, seat, request, action)
        if isinstance(outcome, Receipt):
            return outcome.stands_at
        raise _error(outcome, request.table_id, seat, action)

    async def submit_nonce(self, player_id: str, table_id: str, nonce: bytes) -> None:
        """Gives a player's nonce.

        Raises:
            ServiceError: `NONCE_CLOSED`, `TABLE_NOT_FOUND`, `NOT_SEATED`.
        """
        table, seat = await self._seated(table_id, player_id)
        if table is None:
            raise errors.refused(RefusedError(Refusal.NONCE_CLOSED), table_id)
        await self._command(table, GiveNonce(seat, nonce))

    async def confirm_result(self, player_id: str, table_id: str, hand: int) -> None:
        """Confirms that a player has seen a result.

        Raises:
            ServiceError: `NO_RESULT_OPEN`, `TABLE_NOT_FOUND`, `NOT_SEATED`.
        """
        table, seat = await self._seated(table_id, player_id)
        if table is None:
            raise errors.refused(RefusedError(Refusal.NO_RESULT_OPEN, hand_number=hand), table_id)
        await self._command(table, ConfirmResult(seat, hand))

    async def leave_practice(self, player_id: str, table_id: str) -> None:
        """Ends a practice match.

        Raises:
            ServiceError: `ILLEGAL_ACTION`, `MATCH_OVER`, `TABLE_NOT_FOUND`, `NOT_SEATED`.
        """
        table, seat = await self._seated(table_id, player_id)
        if table is None:
            raise errors.match_over(table_id)
        await self._command(table, Leave(seat))

    async def echo_heartbeat(self, player_id: str, table_id: str, echo_id: str) -> None:
        """Takes a player's echo of a heartbeat.

        Raises:
            ServiceError: `TABLE_NOT_FOUND`, `NOT_SEATED`.
        """
        received_at = self._env.clock.now()
        table, seat = await self._seated(table_id, player_id)
        if table is not None:
            table.audience.echoed(seat, echo_id, received_at)

    async def watch(
        self, player_id: str, table_id: str, epoch: int, after: int
    ) -> AsyncIterator[pb.WatchTableResponse]:
        """Yields what a player is to see of a table until the match is over.

        Raises:
            ServiceError: `TABLE_NOT_FOUND`, `NOT_SEATED`, `SEAT_TAKEN_BY_NEWER_CONNECTION`.
        """
        woken = asyncio.Event()
        watch = await self.open_watch(player_id, table_id, epoch, after, Outlet(woken.set, Backlog()))
        try:
            while True:
                woken.clear()
                taken = watch.take()
                for response in taken:
                    yield pb.WatchTableResponse.FromString(response)
                if watch.error is not None:
                    raise watch.error
                if not taken:
                    if watch.is_ended:
                        return
                    await woken.wait()
        finally:
            watch.close()

    async def open_watch(self, player_id: str, table_id: str, epoch: int, after: int, outlet: Outlet) -> Watch:
        """Opens a player's view of a table, beginning with what was missed or with a snapshot; to be closed.

        Args:
            player_id: who watches.
            table_id: the table.
            epoch: of the newest response that the player has; 0 if it has none.
            after: sequence of the newest event that the player has; 0 if it has none.
            outlet: the connection that takes what is to be sent.

        Raises:
            ServiceError: `TABLE_NOT_FOUND`, `NOT_SEATED`, `LEASE_LOST`.
        """
        table, seat = await self._seated(table_id, player_id)
        if table is None:
            return await self._final_view(table_id, player_id, outlet)
        table.check_open()
        channel = table.audience.attach(seat, outlet)

        def leave() -> None:
            if channel.fell_behind:
                self._env.metrics.resyncs.inc()
            table.audience.detach(seat, channel, self._env.clock.now())
            table.presence_changed()

        watch = Watch(channel, leave)
        try:
            await self._begin(table, seat, channel, epoch, after)
        except BaseException:
            watch.close()
            raise
        return watch

    async def _seated(self, table_id: str, player_id: str) -> tuple[LiveTable | None, Seat]:
        """Returns a table and the player's seat at it; no table if its match is over.

        Raises:
            ServiceError: `TABLE_NOT_FOUND`, `NOT_SEATED`, `LEASE_LOST`.
        """
        table = self._env.keeper.find(table_id)
        if table is not None:
            terms, is_live = table.state.terms, False
        elif shard_of(table_id) not in self._env.keeper.epochs:
            raise errors.lease_lost()  # Its owner knows; after a crash the callers of many tables ask here in vain.
        elif (found := await self._tables.find_table(table_id)) is not None:
            terms, is_live = found.terms, found.is_live
        else:
            raise errors.table_not_found(table_id)
        seat = terms.seat_of(player_id)
        if seat is None:
            raise errors.not_seated(table_id)
        if is_live and (table := await self._env.keeper.load_one(self._env, table_id)) is None:
            raise errors.lease_lost()
        return table, seat

    async def _answer(
        self, table: LiveTable | None, seat: Seat, request: pb.SubmitActionRequest, action: Action
    ) -> Outcome:
        """Returns what an answer came to, or what the first call with its request id came to."""
        outcome: Outcome = RefusedError(Refusal.MATCH_OVER)
        if table is not None:
            try:
                outcome = await table.ask(Answer(seat, request.decision_id, action, request.request_id))
            except ConflictError as error:
                if (first := await self._first_answer(seat, request, action)) is None:
                    raise errors.database_unreachable() from error
                return first
        if isinstance(outcome, RefusedError) and outcome.refusal in _MAYBE_ANSWERED:
            return await self._first_answer(seat, request, action) or outcome
        return outcome

    async def _command(self, table: LiveTable, command: Command) -> None:
        try:
            outcome = await table.ask(command)
        except ConflictError as error:  # Another player's request of the same commit is at fault.
            raise errors.database_unreachable() from error
        if isinstance(outcome, RefusedError):
            raise errors.refused(outcome, table.table_id)

    async def _first_answer(self, seat: Seat, request: pb.SubmitActionRequest, action: Action) -> Outcome:
        """Returns what an earlier call with the same request id came to, as far back as the table's log goes."""
        entry = await self._store.entry_of_request(request.table_id, request.request_id)
        if entry is None or not isinstance(entry.what, Answered):
            return None
        first = entry.what
        if (first.seat, first.decision_id, first.action) != (seat, request.decision_id, action):
            return RefusedError(Refusal.REQUEST_ID_REUSED, request_id=request.request_id)
        return Receipt(first.seat, first.decision_id, first.action, first.stands_at)

    async def _begin(self, table: LiveTable, seat: Seat, channel: Channel, epoch: int, after: int) -> None:
        """Starts a stream: with what was missed if that is still known, else with a snapshot."""
        viewer = table.audience.viewers[seat]
        missed = None
        if epoch == EPOCH and after > 0:
            missed = viewer.missed_after(after)
            if missed is None and after <= viewer.head:
                missed = viewer.missed_after(after, await self._env.projector.events_after(table, seat, after))
        table.audience.begin(seat, channel, missed, self._env.clock.now())
        table.presence_changed()

    async def _final_view(self, table_id: str, player_id: str, outlet: Outlet) -> Watch:
        """Returns the view of a match that is over: how it ended, and no more."""
        final = await self._tables.final_view(table_id, player_id)
        if final is None:
            raise errors.table_not_found(table_id)
        channel = Channel(self._env.clock, 1, outlet)
        shown = event_pb2.TableSnapshot.FromString(final.snapshot)
        channel.preload([(final.sequence, payload_of(snapshot=shown))])
        channel.end()
        return Watch(channel, lambda: None)


def _error(outcome: Outcome, table_id: str, seat: Seat, action: Action) -> ServiceError:
    if isinstance(outcome, RefusedError):
        return errors.refused(outcome, table_id)
    assert isinstance(outcome, IllegalActionError)
    return errors.rule_violation(outcome, seat, CODES[action.tile] if isinstance(action, Discard) else None)
