"""From one table state to the next: the only place where a log entry takes effect.

The same state and entry always give the same state, the same numbered notices and the same decision ids, in the process
that wrote the entry and in one that reads it after a crash.
"""

from dataclasses import replace

from mahjong_engine.action import Action
from mahjong_engine.event import Event, HandEnded
from mahjong_engine.hand import apply, open_decision
from mahjong_engine.match import MatchState, next_hand, places, settle_hand, start_match
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import SEATS, BySeat, HandState, T
from mahjong_engine.tile import Seat
from mahjong_engine.wall import NO_NONCE, commitment, shuffle
from mahjong_table.core.clock import full_reserve, window
from mahjong_table.core.entry import (
    Abandoned,
    Answered,
    Entry,
    HandStarted,
    NonceGiven,
    ResultConfirmed,
    TimeCredited,
)
from mahjong_table.core.notice import (
    DecisionClosed,
    DecisionOpened,
    MatchEnded,
    MatchStarted,
    Notice,
    Place,
    Question,
    TableEvent,
)
from mahjong_table.core.pacing import Pace
from mahjong_table.core.state import Opening, Receipt, Stage, TableState

Step = tuple[TableState, tuple[Notice, ...]]


def open_table(opening: Opening) -> Step:
    """Returns a table before its first log entry: nonces are taken."""
    terms = opening.terms
    deadline = opening.opened_at + opening.nonce_window_ms
    change = _Change(_blank(opening, start_match(rule_set(terms.rule_set), terms.length)), opening.opened_at)
    change.stage_deadline = deadline
    change.tell_all(opening.opened_at, MatchStarted(commitment(terms.match_id, opening.server_seed), deadline))
    return change.done(0)


def resume_table(opening: Opening, entry: Entry) -> TableState:
    """Returns a table as it was just before the entry that started its present hand."""
    start = entry.what
    if not isinstance(start, HandStarted):
        raise TypeError("a hand starts with its own entry")
    terms = opening.terms
    match = MatchState(
        rule_set(terms.rule_set), terms.length, start.hand, start.dealer_changes, start.dealer_wins, start.scores
    )
    change = _Change(_blank(opening, match), opening.opened_at)
    change.nonces = list(start.nonces)
    change.sequences = list(start.sequences)
    change.confirmed = frozenset(start.confirmed)
    return change.done(entry.sequence - 1)[0]


def evolve(state: TableState, entry: Entry) -> Step:
    """Returns the state after an entry and what viewers are shown of it.

    Raises:
        IllegalActionError: an answer that the engine refuses; `decide` lets none through.
    """
    assert entry.sequence == state.sequence + 1, "a gap in the log"
    change = _Change(state, entry.at)
    match entry.what:
        case NonceGiven(seat, nonce):
            change.nonces[seat] = nonce
        case HandStarted() as start:
            change.start_hand(start)
        case Answered() as answer:
            change.answer(answer, entry.request_id)
        case ResultConfirmed(seat):
            change.confirmed |= {seat}
        case TimeCredited(shift_ms):
            change.credit(shift_ms)
        case Abandoned():
            change.end_match(max(entry.at, state.shown_at), ())
    return change.done(entry.sequence)


def _blank(opening: Opening, match: MatchState) -> TableState:
    return TableState(
        opening=opening,
        sequence=0,
        changed_at=opening.opened_at,
        acted_at=opening.opened_at,
        stage=Stage.NONCES,
        nonces=(None, None, None, None),
        match=match,
        hand=None,
        questions=(None, None, None, None),
        asked=(0, 0, 0, 0),
        reserves=(0, 0, 0, 0),
        sequences=(0, 0, 0, 0),
        shown_at=opening.opened_at,
        gate_at=opening.opened_at,
        stage_deadline=None,
        confirmed=frozenset(),
        confirmed_before=frozenset(),
        receipts={},
        places=(),
    )


class _Change:
    """A mutable copy of a table state that lives inside one step; the fields mean what they mean there."""

    def __init__(self, state: TableState, now: int) -> None:
        self._before = state
        self._now = now
        self._people = state.terms.people
        self._notices: list[Notice] = []
        self.acted_at = now
        self.stage = state.stage
        self.nonces = list(state.nonces)
        self.match = state.match
        self.hand = state.hand
        self.questions = list(state.questions)
        self.asked = list(state.asked)
        self.reserves = list(state.reserves)
        self.sequences = list(state.sequences)
        self.shown_at = state.shown_at
        self.gate_at = state.gate_at
        self.stage_deadline = state.stage_deadline
        self.confirmed = state.confirmed
        self.confirmed_before = state.confirmed_before
        self.receipts = state.receipts
        self.places = state.places

    def done(self, sequence: int) -> Step:
        state = TableState(
            opening=self._before.opening,
            sequence=sequence,
            changed_at=self._now,
            acted_at=self.acted_at,
            stage=self.stage,
            nonces=_four(self.nonces),
            match=self.match,
            hand=self.hand,
            questions=_four(self.questions),
            asked=_four(self.asked),
            reserves=_four(self.reserves),
            sequences=_four(self.sequences),
            shown_at=self.shown_at,
            gate_at=self.gate_at,
            stage_deadline=self.stage_deadline,
            confirmed=self.confirmed,
            confirmed_before=self.confirmed_before,
            receipts=self.receipts,
            places=self.places,
        )
        return state, tuple(self._notices)

    def tell(self, seat: Seat, at: int, event: TableEvent) -> None:
        """Numbers an event for one viewer; computers have no stream."""
        if seat in self._people:
            self.sequences[seat] += 1
            self._notices.append(Notice(seat, self.sequences[seat], at, event))

    def tell_all(self, at: int, event: TableEvent) -> None:
        for seat in self._people:
            self.tell(seat, at, event)

    def start_hand(self, start: HandStarted) -> None:
        opening = self._before.opening
        self.nonces = list(start.nonces)
        wall = shuffle(opening.server_seed, opening.terms.match_id, start.nonces, start.hand)
        self.stage, self.stage_deadline = Stage.HAND, None
        self.confirmed_before, self.confirmed = self.confirmed, frozenset()
        self.asked = [0, 0, 0, 0]
        self.reserves = [full_reserve(opening.terms.clock)] * 4
        self.receipts = {}
        hand, events = next_hand(self.match, wall)
        self._play(None, hand, events, start.floor_ms)

    def answer(self, answer: Answered, request_id: str | None) -> None:
        seat = answer.seat
        before = self.hand
        assert before is not None
        hand, events = apply(before, seat, answer.action, timeout=answer.timeout)
        self._close(seat, self._now, answer.action, timed_out=answer.timeout)
        self.reserves[seat] -= answer.charge_ms
        if request_id is not None:
            receipt = Receipt(seat, answer.decision_id, answer.action, answer.stands_at)
            self.receipts = {**self.receipts, request_id: receipt}
        self._play(before, hand, events, answer.floor_ms)

    def _play(self, before: HandState | None, hand: HandState, events: tuple[Event, ...], floor_ms: int) -> None:
        """Shows what a step of the engine brought, closes what lapsed by it and asks what it asks."""
        self.hand = hand
        if before is not None and len(hand.decisions) == len(before.decisions):
            return  # Other answers to the same question are awaited.
        pace = Pace(before, self._now, floor_ms, self.gate_at)
        spaced = list(pace.spaced(events))
        self._lapse(spaced[0][0] if spaced else self._now)
        for at, event in spaced:
            self.tell_all(at, event)
        self.shown_at, self.gate_at = pace.shown_at, pace.gate_at
        for seat in SEATS:
            self._ask(seat, self.shown_at)
        if isinstance(events[-1] if events else None, HandEnded):
            self._end_hand(self.shown_at)

    def _lapse(self, at: int) -> None:
        for seat in SEATS:
            self._close(seat, at, None, timed_out=False)

    def _close(self, seat: Seat, at: int, action: Action | None, *, timed_out: bool) -> None:
        question, self.questions[seat] = self.questions[seat], None
        if question is not None and not question.is_forced:
            self.tell(seat, at, DecisionClosed(question.decision_id, action, timed_out))

    def _ask(self, seat: Seat, at: int) -> None:
        assert self.hand is not None
        decision = open_decision(self.hand, seat)
        if decision is None:
            return
        self.asked[seat] += 1
        clock = self._before.terms.clock
        question = Question(
            f"{seat}.{self.match.hand}.{self.asked[seat]}",
            decision,
            window(clock, decision.clock, at, self.reserves[seat]),
        )
        self.questions[seat] = question
        if not question.is_forced:
            self.tell(seat, at, DecisionOpened(question))

    def _end_hand(self, at: int) -> None:
        assert self.hand is not None
        self.match = settle_hand(self.match, self.hand)
        if self.match.is_over:
            ranks = places(self.match.scores)
            order = sorted(SEATS, key=lambda seat: (ranks[seat], seat))
            self.end_match(at, tuple(Place(seat, ranks[seat], self.match.scores[seat]) for seat in order))
            return
        self.stage = Stage.RESULT
        self.stage_deadline = at + self._before.opening.result_window_ms

    def end_match(self, at: int, ranking: tuple[Place, ...]) -> None:
        self._lapse(at)
        self.stage, self.stage_deadline, self.places = Stage.OVER, None, ranking
        self.shown_at = at
        a, b, c, d = (nonce or NO_NONCE for nonce in self.nonces)
        self.tell_all(at, MatchEnded(ranking, self._before.opening.server_seed, (a, b, c, d)))

    def credit(self, shift_ms: int) -> None:
        """Moves all that runs by an outage, and shows at once what was held back when it began."""
        self.acted_at = self._before.acted_at
        self.shown_at = self.gate_at = self._now
        if self.stage_deadline is not None:
            self.stage_deadline += shift_ms
        for seat in SEATS:
            if (question := self.questions[seat]) is not None:
                moved = replace(question, window=question.window.shifted(shift_ms, self._now))
                self.questions[seat] = moved
                if moved.window.deadline is not None and not moved.is_forced:
                    self.tell(seat, self._now, DecisionOpened(moved))


def _four(values: list[T]) -> BySeat[T]:
    a, b, c, d = values
    return a, b, c, d
