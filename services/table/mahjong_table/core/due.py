"""What a table does of itself when its time has come: timeouts, forced discards, the next hand, its end."""

from collections.abc import Collection
from typing import Final

from mahjong_engine.action import Action
from mahjong_engine.hand import default_action
from mahjong_engine.state import TURN_ORDER, ClockKind
from mahjong_engine.tile import Seat
from mahjong_engine.wall import NO_NONCE
from mahjong_table.core.decide import Instant, accept
from mahjong_table.core.entry import Abandoned, Answered, HandStarted, Happening
from mahjong_table.core.notice import Question
from mahjong_table.core.state import Stage, TableState

IDLE_MS: Final = 24 * 60 * 60 * 1000
"""A table without a game action for that long expires (C65, T67)."""


def due_entry(state: TableState, instant: Instant, present: Collection[Seat]) -> Happening | None:
    """Returns what the table does now without being told to, or None.

    Args:
        state: the table.
        instant: the time.
        present: people who are connected now; a result does not wait for the others.
    """
    if state.stage is Stage.NONCES and _nonces_are_in(state, instant.now):
        return _start_hand(state, instant)
    if state.stage is Stage.RESULT and _result_is_seen(state, instant.now, present):
        return _start_hand(state, instant)
    if state.stage is Stage.HAND and (answer := _overdue_answer(state, instant)) is not None:
        return answer
    if not state.is_over and instant.now >= state.acted_at + IDLE_MS:
        return Abandoned(None)
    return None


def next_due(state: TableState, credit_max_ms: int) -> int | None:
    """Returns when `due_entry` may have something next if nothing else happens; None if never."""
    if state.is_over:
        return None
    times = [state.acted_at + IDLE_MS]
    if state.stage_deadline is not None:
        times.append(state.stage_deadline)
    questions = (question for question in state.questions if question)
    times += [at for question in questions if (at := _overdue_at(question, credit_max_ms)) is not None]
    return min(times)


def is_running(state: TableState, now: int) -> bool:
    """Whether an outage that ends now matters: a clock runs, or times lie ahead of a clock that was set back."""
    times = (question.window.deadline for question in state.questions if question)
    return state.stage_deadline is not None or any(times) or now < max(state.settled_at, state.changed_at)


def has_opened(before: TableState, after: TableState) -> bool:
    """Whether people have time for something that they did not have time for in an earlier state."""
    if after.stage is not before.stage and after.stage_deadline is not None:
        return True
    known = {question.decision_id for question in before.questions if question}
    questions = (question for seat in after.terms.people if (question := after.questions[seat]))
    return any(q.window.deadline is not None and not q.is_forced and q.decision_id not in known for q in questions)


def _nonces_are_in(state: TableState, now: int) -> bool:
    assert state.stage_deadline is not None
    return now >= state.stage_deadline or all(state.nonces[seat] is not None for seat in state.terms.people)


def _result_is_seen(state: TableState, now: int, present: Collection[Seat]) -> bool:
    assert state.stage_deadline is not None
    return now >= state.stage_deadline or (bool(state.confirmed) and state.confirmed.issuperset(present))


def _start_hand(state: TableState, instant: Instant) -> HandStarted:
    match = state.match
    a, b, c, d = (nonce or NO_NONCE for nonce in state.nonces)
    return HandStarted(
        match.hand,
        match.dealer_changes,
        match.dealer_wins,
        match.scores,
        (a, b, c, d),
        state.sequences,
        tuple(sorted(state.confirmed)),
        instant.floor_ms,
    )


def _overdue_at(question: Question, credit_max_ms: int) -> int | None:
    deadline = question.window.deadline
    return deadline if deadline is None or question.is_forced else deadline + credit_max_ms


def _overdue_answer(state: TableState, instant: Instant) -> Answered | None:
    """Returns the server's answer to the first question whose time is over, in turn order; forced ones come at once."""
    assert state.hand is not None
    for seat in TURN_ORDER[state.hand.actor]:
        question = state.questions[seat]
        at = None if question is None else _overdue_at(question, instant.credit_max_ms)
        if question is not None and at is not None and instant.now >= at:
            timeout = question.decision.clock is not ClockKind.NONE
            return accept(state, question, _default(state, seat), instant.now, instant.floor_ms, timeout=timeout)
    return None


def _default(state: TableState, seat: Seat) -> Action:
    assert state.hand is not None
    return default_action(state.hand, seat)
