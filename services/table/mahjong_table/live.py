"""A live table: commands in, one commit at a time, nothing shown or acknowledged before its commit."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from opentelemetry.trace import SpanContext
from sqlalchemy.exc import IntegrityError

from mahjong_engine.tile import Seat
from mahjong_kit import tracing
from mahjong_kit.errors import ServiceError, internal_error
from mahjong_kit.log import get_logger
from mahjong_table import errors
from mahjong_table.attendance import Attendance
from mahjong_table.audience import Audience
from mahjong_table.core.decide import Answer, Command, Instant, Received
from mahjong_table.core.draft import Draft, Outcome, draft
from mahjong_table.core.due import has_opened, is_running, next_due
from mahjong_table.core.entry import Entry, TimeCredited
from mahjong_table.core.evolve import evolve
from mahjong_table.core.notice import Notice
from mahjong_table.core.state import Stage, TableState
from mahjong_table.environment import Environment
from mahjong_table.projection.fields import Sent
from mahjong_table.reports import final_views_of, load_sequence_of, reports_of
from mahjong_table.shards import shard_of
from mahjong_table.steps import NO_STEPS, Steps
from mahjong_table.store.append import Append
from mahjong_table.store.log import Written
from mahjong_table.thoughts import Thoughts

_log = get_logger()

_GATHERING = frozenset({Stage.NONCES, Stage.RESULT})
_CREDIT_MIN_MS = 100
"""Shorter hindrances are not worth an entry."""
_LATE_MIN_MS = 500
"""Nor are quicker commits, beyond the floor: a database that is busy is not to be made busier."""


class ConflictError(Exception):
    """The log has an entry of that request already, or another writer has written; the table was read again."""


@dataclass(slots=True)
class Request:
    """A command that waits at a table, and who waits for its outcome."""

    received: Received
    outcome: asyncio.Future[Outcome] | None = None
    span: SpanContext | None = None
    """The call that it came by, if that is traced."""

    def answer(self, outcome: Outcome) -> None:
        """Tells who waits what the command came to."""
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_result(outcome)

    def fail(self, error: Exception) -> None:
        """Tells who waits why the command came to nothing."""
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_exception(error)


class LiveTable:
    """One table in the hands of its only writer. Everything happens in the event loop, between two awaits."""

    def __init__(
        self,
        env: Environment,
        epoch: int,
        state: TableState,
        notices: Iterable[Notice],
        absent: Collection[Seat] = (),
    ) -> None:
        self.state = state
        self._due = next_due(state, env.settings.latency_credit_max_ms)
        """When something happens by itself if nothing else does."""
        self.table_id = state.opening.table_id
        self.shard = shard_of(self.table_id)
        self.epoch = epoch
        self.due_at: int | None = None
        self.queued_at: int | None = None
        self._env = env
        self._inbox: list[Request] = []
        self._is_committing = False
        self._halted_by: ServiceError | None = None
        self._stalled_at: int | None = None
        self._is_away = False
        """Whether the database does not answer while the table is stalled: commands are refused, else they wait."""
        self._is_leaving = False
        self._owed_ms = 0
        """Outage that is not credited yet; negative if the machine's clock was set back meanwhile."""
        self._handed_in_at = 0
        """When the newest append was handed in."""
        self._noticed_ms = 0
        """Outage since then that is credited already."""
        self._behind_since: int | None = None
        self._thoughts = Thoughts(state.terms, env.thought_ms)
        self._attendance = Attendance(state, env.settings.arrival_window_ms, absent)
        self.sent: Sent | None = None
        """What Redis has of it; belongs to the projector."""
        self.is_gone = False
        """Whether it has ended or was let go; belongs to the projector."""
        self._steps = NO_STEPS
        self.unprojected: list[Steps] = []
        """Steps of the traced decisions that Redis does not have yet; belongs to the projector."""
        self.audience = Audience(env, state, notices)

    @property
    def is_done(self) -> bool:
        """Whether the match is over and everybody has been shown so."""
        return self.state.is_over and self.audience.is_settled and not self._is_committing

    @property
    def is_stalled(self) -> bool:
        """Whether a commit failed and the log has not been read again yet."""
        return self._stalled_at is not None

    @property
    def is_settled(self) -> bool:
        """Whether the log has all that happened: nothing is being committed, no failed commit is being looked into."""
        return self._halted_by is not None or not (self._is_committing or self.is_stalled)

    @property
    def is_credited(self) -> bool:
        """Whether the log has all outages that are over."""
        return not self._owed_ms or self.state.is_over or self._halted_by is not None

    @property
    def behind_since(self) -> int | None:
        """When a hindrance began that the log does not tell yet, unless that was before it came to this worker.

        A commit that is under way is one: nobody knows how long it will take.
        """
        since = self._behind_since
        return self._handed_in_at if self._is_committing and (since is None or self._handed_in_at < since) else since

    def leave(self) -> None:
        """Does nothing more, for another worker is to go on; what is being committed is still acknowledged."""
        self._is_leaving = True
        self._env.wheel.set(self, None)
        self._refuse_waiting(errors.lease_lost())

    async def ask(self, command: Command) -> Outcome:
        """Hands in a command and returns what it came to, once that is durable.

        Raises:
            ServiceError: `TABLE_BUSY`, `STORE_UNREACHABLE` or `LEASE_LOST`: nothing has changed.
            ConflictError: the command's request id is in the log already.
        """
        self.check_open()
        if self._is_away:
            raise errors.database_unreachable()
        if len(self._inbox) >= self._env.settings.mailbox_max:
            raise errors.table_busy()
        credit_ms = self.audience.credit_ms(command.seat) if isinstance(command, Answer) else 0
        received = Received(command, self._env.clock.now(), credit_ms)
        request = Request(received, asyncio.get_running_loop().create_future(), tracing.current())
        assert request.outcome is not None
        self._inbox.append(request)
        self.crank()
        return await request.outcome

    def tell(self, command: Command) -> None:
        """Hands in a computer's answer; what it comes to interests nobody."""
        if self._halted_by is None and not self.is_stalled and not self._is_leaving:
            self._inbox.append(Request(Received(command, self._env.clock.now())))
            self.crank()

    def wake(self, now: int) -> None:
        """Does what is due: shows what was held back, lets computers think, answers for those whose time is over."""
        self._run(now)

    def start(self, outage_ms: int = 0) -> None:
        """Begins to run, with the outage that ends with it credited to all clocks."""
        self._owed_ms = outage_ms
        now = self._env.clock.now()
        self._attendance.start(now)
        self._run(now)
        self._env.projector.touch(self, whole=True)

    def check_open(self) -> None:
        """Checks that the table runs, if only for viewers.

        Raises:
            ServiceError: `LEASE_LOST` or `INTERNAL`.
        """
        if self._halted_by is not None:
            raise self._halted_by
        if self._is_leaving:
            raise errors.lease_lost()

    def presence_changed(self) -> None:
        """Looks again who has come, and whether the result has been seen by all who are there."""
        if first := self._attendance.came(self.audience.present):
            self._env.arrivals.note(self.table_id, [self.audience.viewers[seat].player_id for seat in first])
        if self.audience.stand_ins != self._attendance.stand_ins:
            self.audience.stand_ins = self._attendance.stand_ins
            self.audience.show_status(self._env.clock.now())
        self.crank()

    def recover(self, entries: Sequence[Entry]) -> None:
        """Goes on after a failed commit with what the log really has, and credits the time that it took."""
        assert self._stalled_at is not None
        try:
            self._catch_up(entries)
        except Exception as error:  # noqa: BLE001 - one table's fault must not stop the others
            self._break(error, [])
            return
        self._thoughts.forget()  # A computer's answer may have been lost with the commit: it thinks again.
        now = self._env.clock.now()
        if self._is_away:
            self._attendance.start(now)
        outage_ms, self._stalled_at, self._is_away = now - self._stalled_at, None, False
        self._owed_ms += outage_ms if outage_ms >= _CREDIT_MIN_MS else 0
        self._note_credit()
        self._run(now)
        self._env.projector.touch(self)

    def postpone(self) -> None:
        """Takes note that the log can't be read again yet: whoever waits is told to try again."""
        self._is_away = True
        self._attendance.suspend()
        self._refuse_waiting(errors.database_unreachable())

    def _catch_up(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._owed_ms -= entry.what.shift_ms if isinstance(entry.what, TimeCredited) else 0
            self._take(*evolve(self.state, entry))

    def halt(self, error: ServiceError) -> None:
        """Stops for good: another worker owns the table, or a fault of ours has stopped it."""
        self._halted_by = error
        self._env.wheel.set(self, None)
        self._refuse_waiting(error)
        self.audience.end_all(error)

    def owe(self, outage_ms: int) -> None:
        """Credits an outage that ends now; one that a failed commit or a hand-over measures itself is not counted."""
        is_measured = self._halted_by is not None or self.is_stalled or self._is_leaving
        if is_measured:
            return
        now = self._env.clock.now()
        self._attendance.start(now)
        if is_running(self.state, now):
            self._owe(outage_ms)
            self._noticed_ms += outage_ms
            self.crank()

    def _owe(self, outage_ms: int) -> None:
        self._owed_ms += outage_ms
        if self._behind_since is None:
            self._behind_since = self._env.clock.now() - outage_ms

    def crank(self) -> None:
        """Runs all that waits and all that is due, and hands it to the committer."""
        self._env.pulse.beat()
        if self._is_committing or self._halted_by is not None or self.is_stalled or self._is_leaving:
            return
        now = self._env.clock.now()
        if self._has_work(now):
            self._draft(now)
        self._sleep()

    def _has_work(self, now: int) -> bool:
        """Whether anything may come of a draft. Nonces and results also wait for people to come and go."""
        if self._inbox or self._owed_ms or self.state.stage in _GATHERING:
            return True
        return self._due is not None and now >= self._due

    def _draft(self, now: int) -> None:
        requests, self._inbox = self._inbox, []
        instant = Instant(now, self._env.floor_ms(), self._env.settings.latency_credit_max_ms)
        first = TimeCredited(self._owed_ms) if self._owed_ms and not self.state.is_over else None
        try:
            result = draft(self.state, [r.received for r in requests], instant, self.audience.present, first)
            append = self._append(result) if result.entries else None
        except Exception as error:  # noqa: BLE001 - one table's fault must not stop the others
            self._break(error, requests)
            return
        if append is not None:
            self._is_committing = True
            self._handed_in_at, self._noticed_ms = now, 0
            self._steps = Steps(each.span for each in requests)
            self._env.committer.submit(append, partial(self._committed, result, append, requests))
        else:
            _answer(requests, result)

    def _run(self, now: int) -> None:
        try:
            if missing := self._attendance.due(self.state, now):
                self._env.no_shows.report(self.state.terms, missing)
            self.audience.stand_ins = self._attendance.stand_ins
            if self.audience.show_due(now):
                self._env.projector.touch(self)
            stand_ins = self._attendance.stand_ins
            for question in () if self._is_leaving else self._thoughts.due(self.state, now, stand_ins):
                if (answer := self._env.computers.think(self, question)) is not None:
                    self._inbox.append(Request(Received(answer, now)))
        except Exception as error:  # noqa: BLE001 - as above
            self._break(error, [])
        self.crank()

    def _append(self, result: Draft) -> Append:
        return Append(
            self.table_id,
            self.state.terms,
            self.shard,
            self.epoch,
            result.entries,
            load_sequence_of(result),
            tuple(reports_of(self.state, result)),
            tuple(final_views_of(self.state, result)),
        )

    def _committed(self, result: Draft, append: Append, requests: list[Request], written: Written | Exception) -> None:
        self._env.pulse.beat()  # A pause of the process is credited to all tables, and not once more as a slow commit.
        self._is_committing = False
        problem = "" if written is Written.COMMITTED else getattr(written, "name", type(written).__name__)
        self._steps.done("table.commit", problem, entries=len(append.entries))
        if self._halted_by is not None:
            _fail(requests, self._halted_by)
        elif written is Written.FENCED:
            self._lose(requests)
        elif isinstance(written, Exception):
            self._stall(requests, written)
        else:
            self._go_on(result, requests)
            if append.reports:
                self._env.keeper.reported()

    def _go_on(self, result: Draft, requests: list[Request]) -> None:
        if isinstance(first := result.entries[0].what, TimeCredited):
            self._env.metrics.outage_s.inc(max(0, first.shift_ms) / 1000)
            self._owed_ms -= first.shift_ms
            self._note_credit()
        late_ms = self._late_ms(result.state)
        self._take(result.state, result.notices)
        if late_ms >= _LATE_MIN_MS:
            self._owe(late_ms)
        self._env.projector.touch(self)
        self._run(self._env.clock.now())
        self._steps.done("table.fan_out", links=self.audience.streams)
        if self._steps.are_traced:
            self.unprojected.append(self._steps)
        _answer(requests, result)

    def _late_ms(self, after: TableState) -> int:
        """Returns for how long people could not be shown yet what they have time for since a commit.

        The time runs from when it was decided; what the commit took, beyond the floor, is not theirs to lose.
        """
        return self._env.clock.now() - after.shown_at - self._noticed_ms if has_opened(self.state, after) else 0

    def _note_credit(self) -> None:
        if self.is_credited:
            self._behind_since = None

    def _lose(self, requests: list[Request]) -> None:
        _fail(requests, errors.lease_lost())
        self.halt(errors.lease_lost())
        self._env.keeper.lost(self)

    def _stall(self, requests: list[Request], error: Exception) -> None:
        # Whoever has answered meanwhile is to answer again: the time that the commit took is credited as well.
        self._stalled_at = self._handed_in_at + self._noticed_ms
        if self._behind_since is None:
            self._behind_since = self._stalled_at
        self._env.wheel.set(self, None)
        if isinstance(error, IntegrityError):  # The database is there: the log is read again in no time.
            _fail(requests, ConflictError())
        else:
            _fail(requests, errors.database_unreachable())
            self.postpone()
        self._env.keeper.stalled(self)

    def _break(self, error: Exception, requests: list[Request]) -> None:
        _log.error("table.halted", table_id=self.table_id, match_id=self.state.terms.match_id, exc_info=error)
        _fail(requests, error)
        self._env.metrics.tables_halted.inc()
        self.halt(internal_error(""))

    def _refuse_waiting(self, error: ServiceError) -> None:
        waiting, self._inbox = self._inbox, []
        _fail(waiting, error)

    def _take(self, state: TableState, notices: Iterable[Notice]) -> None:
        self.state = state
        self._due = next_due(state, self._env.settings.latency_credit_max_ms)
        self.audience.add(state, notices)

    def _sleep(self) -> None:
        due = None if self._is_committing else self._due
        moments = (due, self._thoughts.next_at, self._attendance.next_at, self.audience.next_due)
        times = [at for at in moments if at is not None]
        self._env.wheel.set(self, min(times, default=None))


def _answer(requests: Sequence[Request], result: Draft) -> None:
    for request, outcome in zip(requests, result.outcomes, strict=True):
        request.answer(outcome)


def _fail(requests: Sequence[Request], error: Exception) -> None:
    for request in requests:
        request.fail(error)
