"""Judges everything that happens: keeps the log as it ought to be and compares all that anybody is told with it."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast
from zlib import crc32

from mahjong_engine.action import Action
from mahjong_engine.state import SEATS
from mahjong_engine.tile import Seat
from mahjong_table.core.due import next_due
from mahjong_table.core.entry import Answered, Entry, TimeCredited
from mahjong_table.core.evolve import evolve, open_table
from mahjong_table.core.notice import Notice
from mahjong_table.core.state import TableState
from mahjong_table.core.terms import Terms
from mahjong_table.store.log import entry_of
from mahjong_table.store.tables import _opening_of
from mahjong_table.wire.event import event_to_proto
from mahjong_table.wire.snapshot import snapshot
from mahjongplanet.table.v1 import event_pb2
from tests.dst.host import HOST, Host

_STATES_KEPT = 400
_TOLD_BY_TIME = ("phase", "phase_deadline_time", "clocks", "connected", "confirmed_seats", "decision")
"""Parts of a snapshot that change without an event of its viewer's."""
_CREDIT_TOLERANCE_S = 2.5
"""Outages are counted from the last heartbeat on, and measured here by samples."""


Judge = TypeVar("Judge", bound=Callable[..., None])


class ViolationError(Exception):
    """Something that must never happen has happened."""

    def __init__(self, invariant: str, **variables: object) -> None:
        told = ", ".join(f"{name}={value!r}" for name, value in variables.items())
        super().__init__(f"{invariant}: {told}")
        self.invariant = invariant


def _reported(judge: Judge) -> Judge:
    """Lets a method report what it raises: what it judges must not catch it, and not suffer from it either."""

    @wraps(judge)
    def judged(self: "Oracle", *args: Any, **named: Any) -> None:
        try:
            judge(self, *args, **named)
        except Exception as error:  # noqa: BLE001 - an entry that can't be followed is a violation too
            self.report(error)

    return cast("Judge", judged)


@dataclass(slots=True)
class Request:
    """One answer of a player, whoever repeats it."""

    table_id: str
    request_id: str
    seat: Seat
    decision_id: str
    action: Action
    answered: int | None = None
    """The sequence that it was acknowledged with."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An open decision, the time that it has, and for how long its table had been served when it opened."""

    decision_id: str
    allowed_s: float
    served_s: float


@dataclass(slots=True)
class TableRecord:
    """One table as its log says it is."""

    table_id: str
    shard: int
    state: TableState
    opened_at_s: float
    epoch: int = 0
    events: dict[Seat, list[bytes]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    """All that each viewer may ever be shown, from its first event on."""
    states: deque[TableState] = field(default_factory=lambda: deque(maxlen=_STATES_KEPT))
    requests: dict[str, tuple[float, Answered]] = field(default_factory=dict)
    """When each accepted request was committed, and as what."""
    answered: set[str] = field(default_factory=set)
    asked: dict[Seat, "Asked"] = field(default_factory=dict)
    served_s: float = 0.0
    """For how long somebody who could commit has served the table."""
    ended_at_s: float | None = None

    def add(self, state: TableState, notices: Sequence[Notice]) -> None:
        """Takes the next state and what viewers are shown of it."""
        self.state = state
        self.states.append(state)
        for notice in notices:
            seen = self.events[notice.seat]
            if notice.sequence != len(seen) + 1:
                raise ViolationError("events are numbered without gaps", table=self.table_id, sequence=notice.sequence)
            seen.append(event_to_proto(notice, state.terms.length).SerializeToString(deterministic=True))


class Oracle:
    """Holds the invariants against the database and against what clients are told."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw
        self._last_row = 0
        self.trace = 0
        """A checksum of all that was judged, in its order, and of when."""
        self.found: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails with the first violation."""
        self._writers: dict[tuple[int, int], Host | None] = {}
        self.tables: dict[str, TableRecord] = {}
        self.acknowledged = 0
        self.retries_checked = 0
        self.events_checked = 0
        self.snapshots_checked = 0
        self.reports_checked = 0
        self.entries_checked = 0
        self.credits_s = 0.0
        self.timeouts = 0

    def report(self, error: Exception) -> None:
        """Takes note of a violation; the first counts."""
        if not self.found.done():
            self.found.set_exception(error)

    def _note(self, *what: object) -> None:
        self.trace = crc32(repr((_now(), what)).encode(), self.trace)

    # The log

    @_reported
    def committed(self) -> None:
        """Judges what the transaction that was just committed has added to the log."""
        for row in self._raw.execute("SELECT rowid, * FROM decision WHERE rowid > ? ORDER BY rowid", (self._last_row,)):
            self._last_row = row["rowid"]
            self._note(tuple(row))
            self._judge(self._table(row["table_id"]), row, entry_of(dict(row)))  # type: ignore[arg-type]

    def _table(self, table_id: str) -> TableRecord:
        if table_id not in self.tables:
            row = self._raw.execute("SELECT * FROM game_table WHERE table_id = ?", (table_id,)).fetchone()
            state, notices = open_table(_opening_of(_Row(row)))
            self.tables[table_id] = table = TableRecord(table_id, row["shard"], state, _now())
            table.add(state, notices)
        return self.tables[table_id]

    @_reported
    def opened(self, table_id: str, terms: Terms) -> None:
        """Judges the answer to an opening of a table."""
        if self._table(table_id).state.terms != terms:
            raise ViolationError("a match has the table that it was opened with", table=table_id)

    def _judge(self, table: TableRecord, row: sqlite3.Row, entry: Entry) -> None:
        self.entries_checked += 1
        named = {"table": table.table_id, "sequence": entry.sequence}
        if entry.sequence != table.state.sequence + 1:
            raise ViolationError("the log has no gap", expected=table.state.sequence + 1, **named)
        self._judge_writer(table, row["epoch"], named)
        if isinstance(entry.what, Answered):
            self._judge_answer(table, entry, entry.what, named)
        if isinstance(entry.what, TimeCredited):
            self.credits_s += entry.what.shift_ms / 1000
            passed_ms = entry.at - table.state.changed_at
            if entry.what.shift_ms > passed_ms:
                raise ViolationError(
                    "no more is credited than has passed", ms=entry.what.shift_ms, passed_ms=passed_ms, **named
                )
        table.add(*evolve(table.state, entry))
        _note_questions(table, entry.at)
        if table.state.is_over and table.ended_at_s is None:
            table.ended_at_s = _now()

    def _judge_writer(self, table: TableRecord, epoch: int, named: dict[str, Any]) -> None:
        present = self._raw.execute("SELECT epoch FROM shard WHERE shard = ?", (table.shard,)).fetchone()[0]
        if epoch != present:
            raise ViolationError("only the owner writes", epoch=epoch, present=present, **named)
        if epoch < table.epoch:
            raise ViolationError("epochs only grow", epoch=epoch, before=table.epoch, **named)
        table.epoch = epoch
        writer = HOST.get()
        if self._writers.setdefault((table.shard, epoch), writer) is not writer:
            raise ViolationError("one writer in one epoch", epoch=epoch, **named)

    def _judge_answer(self, table: TableRecord, entry: Entry, what: Answered, named: dict[str, Any]) -> None:
        question = table.state.questions[what.seat]
        if question is None or question.decision_id != what.decision_id or what.decision_id in table.answered:
            raise ViolationError("a decision is answered once, while it is open", decision=what.decision_id, **named)
        table.answered.add(what.decision_id)
        if entry.request_id is not None:
            if entry.request_id in table.requests:
                raise ViolationError("a request is accepted once", request=entry.request_id, **named)
            table.requests[entry.request_id] = _now(), what
        if what.timeout:
            self._judge_timeout(table, entry, what, named)

    def _judge_timeout(self, table: TableRecord, entry: Entry, what: Answered, named: dict[str, Any]) -> None:
        self.timeouts += 1
        question = table.state.questions[what.seat]
        assert question is not None
        window = question.window
        assert window.deadline is not None
        if entry.at < window.deadline:
            raise ViolationError("nobody times out before the deadline", **named)
        asked = table.asked[what.seat]
        had_s = table.served_s - asked.served_s
        if had_s < asked.allowed_s - _CREDIT_TOLERANCE_S:
            raise ViolationError(
                "outages are credited", decision=asked.decision_id, of_s=asked.allowed_s, s=had_s, **named
            )

    # What clients are told

    @_reported
    def acknowledge(self, request: Request, sequence: int) -> None:
        """Judges a positive answer."""
        table = self.tables[request.table_id]
        self.acknowledged += 1
        self._note(request.request_id, sequence)
        found = table.requests.get(request.request_id)
        named = {"table": request.table_id, "request": request.request_id, "decision": request.decision_id}
        if found is None:
            raise ViolationError("what is acknowledged is in the log", **named)
        what = found[1]
        if (what.seat, what.decision_id, what.action) != (request.seat, request.decision_id, request.action):
            raise ViolationError("the log has what was acknowledged", **named)
        if what.stands_at != sequence:
            raise ViolationError(
                "an acknowledgement names the place", sequence=sequence, stands_at=what.stands_at, **named
            )
        if request.answered is not None:
            self.retries_checked += 1
        request.answered = sequence

    @_reported
    def refuse(self, request: Request, reason: str, sent_at_s: float) -> None:
        """Judges a refusal: none may follow once the request was accepted."""
        found = self.tables[request.table_id].requests.get(request.request_id)
        self._note(request.request_id, reason)
        if found is not None and found[0] < sent_at_s:
            named = {"table": request.table_id, "request": request.request_id, "decision": request.decision_id}
            raise ViolationError("a retry gets the first answer", reason=reason, **named)

    @_reported
    def judge_event(self, table_id: str, seat: Seat, sequence: int, event: event_pb2.TableEvent) -> None:
        """Judges an event that a client was sent."""
        self.events_checked += 1
        self._note(table_id, seat, sequence)
        shown = self.tables[table_id].events[seat]
        named = {"table": table_id, "seat": seat, "sequence": sequence}
        if sequence > len(shown):
            raise ViolationError("nothing is shown before its commit", **named)
        if shown[sequence - 1] != event.SerializeToString(deterministic=True):
            raise ViolationError("events are those of the log", event=event.WhichOneof("event"), **named)

    @_reported
    def judge_snapshot(self, table_id: str, seat: Seat, sequence: int, shown: event_pb2.TableSnapshot) -> None:
        """Judges a snapshot: it must be the sum of all events up to its sequence."""
        self.snapshots_checked += 1
        self._note(table_id, seat, sequence)
        table = self.tables[table_id]
        stripped = _stripped(shown)
        states = [state for state in table.states if state.sequences[seat] == sequence]
        if not any(_stripped(snapshot(state, seat, state.settled_at, ())) == stripped for state in states):
            raise ViolationError("a snapshot is the sum of the events", table=table_id, seat=seat, sequence=sequence)

    # Reports

    @_reported
    def judge_reports(self, taken: Iterable[tuple[str, bytes]], service: Callable[[str], str]) -> None:
        """Judges what replay and rating were told first, in its order: nothing but what was committed, as it was."""
        places = {
            (row["kind"], row["body"]): (row["match_id"], row["report_id"])
            for row in self._raw.execute("SELECT report_id, match_id, kind, body FROM outbox")
        }
        newest: dict[tuple[str, str], int] = {}
        for kind, body in taken:
            self.reports_checked += 1
            if (kind, body) not in places:
                raise ViolationError("only what was committed is reported", kind=kind)
            match_id, report_id = places[kind, body]
            lane = match_id, service(kind)
            if report_id < newest.get(lane, 0):
                raise ViolationError("reports of a match come in their order", match=match_id, kind=kind)
            newest[lane] = report_id

    # Time

    def overdue_s(self, table: TableRecord, now_ms: int, credit_max_ms: int) -> float:
        """Returns for how long something at a table has been due."""
        due = next_due(table.state, credit_max_ms)
        return 0.0 if due is None else (now_ms - due) / 1000


def _note_questions(table: TableRecord, at: int) -> None:
    for seat in SEATS:
        question = table.state.questions[seat]
        if question is None:
            table.asked.pop(seat, None)
            continue
        asked, window = table.asked.get(seat), question.window
        if asked is None or asked.decision_id != question.decision_id:
            allowed_s = 0.0 if window.deadline is None else (window.deadline - window.opened_at) / 1000
            hidden_s = max(0, window.opened_at - at) / 1000
            table.asked[seat] = Asked(question.decision_id, allowed_s, table.served_s + hidden_s)


class _Row:
    """A row of SQLite as SQLAlchemy gives it."""

    def __init__(self, row: sqlite3.Row) -> None:
        self._row = row

    def __getitem__(self, name: str) -> Any:
        return self._row[name]


def _stripped(shown: event_pb2.TableSnapshot) -> bytes:
    copy = event_pb2.TableSnapshot()
    copy.CopyFrom(shown)
    for name in _TOLD_BY_TIME:
        copy.ClearField(name)  # type: ignore[arg-type]
    return copy.SerializeToString(deterministic=True)


def _now() -> float:
    return asyncio.get_running_loop().time()
