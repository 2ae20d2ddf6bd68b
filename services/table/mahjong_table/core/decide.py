"""What a command comes to: the entry that accepts it, or the refusal that says why not. Nothing takes effect here."""

from dataclasses import dataclass
from typing import NamedTuple

from mahjong_engine.action import Action
from mahjong_engine.hand import apply, legal_actions
from mahjong_engine.tile import Seat
from mahjong_table.core.entry import Abandoned, Answered, Happening, NonceGiven, ResultConfirmed
from mahjong_table.core.notice import Question
from mahjong_table.core.refusal import Refusal, RefusedError
from mahjong_table.core.state import Receipt, Stage, TableState
from mahjong_table.core.terms import TableKind


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a seat's player or computer to an open decision."""

    seat: Seat
    decision_id: str
    action: Action
    request_id: str | None = None
    """None for computers, which do not repeat themselves."""


@dataclass(frozen=True, slots=True)
class GiveNonce:
    """A player's own share of the shuffle."""

    seat: Seat
    nonce: bytes


@dataclass(frozen=True, slots=True)
class ConfirmResult:
    """A player has seen the result of a hand."""

    seat: Seat
    hand: int


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves a practice table for good."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class End:
    """An operator ends the match."""


Command = Answer | GiveNonce | ConfirmResult | Leave | End


class Received(NamedTuple):
    """A command and when it came in. Its answer is judged by that time, however long it had to wait for the table."""

    command: Command
    at: int
    credit_ms: int = 0
    """Latency credit of the connection that it came from."""


@dataclass(frozen=True, slots=True)
class Instant:
    """What a table is told of the world outside: the time, and a floor that was drawn before anything else."""

    now: int
    floor_ms: int
    credit_max_ms: int
    """The greatest latency credit: the server answers for a seat when no connection's answer can count any more."""


def decide(state: TableState, received: Received, instant: Instant) -> Happening | Receipt | None:
    """Returns what accepting a command adds to the log; a receipt or None if it was accepted before.

    Raises:
        RefusedError: the command is refused and nothing changes.
        IllegalActionError: the rules forbid the answer.
    """
    match received.command:
        case Answer() as answer:
            return _answer(state, answer, received, instant)
        case GiveNonce() as given:
            return _give_nonce(state, given)
        case ConfirmResult() as seen:
            return _confirm(state, seen, received.at)
        case Leave(seat):
            if state.terms.kind is not TableKind.PRACTICE:
                raise RefusedError(Refusal.NOT_A_PRACTICE_TABLE, seat=seat)
            if state.is_over:
                raise RefusedError(Refusal.MATCH_OVER)
            return Abandoned(seat)
        case End():
            if state.is_over:
                raise RefusedError(Refusal.MATCH_OVER)
            return Abandoned(None)


def _answer(state: TableState, answer: Answer, received: Received, instant: Instant) -> Answered | Receipt:
    if answer.request_id is not None and (receipt := state.receipts.get(answer.request_id)) is not None:
        if (receipt.seat, receipt.decision_id, receipt.action) != (answer.seat, answer.decision_id, answer.action):
            raise RefusedError(Refusal.REQUEST_ID_REUSED, request_id=answer.request_id)
        return receipt
    if state.is_over and received.at >= state.shown_at:
        raise RefusedError(Refusal.MATCH_OVER)
    question = _open_question(state, answer.seat, received.at)
    if question is None or question.decision_id != answer.decision_id:
        raise _not_open(state, answer, question)
    credit_ms = min(received.credit_ms, instant.credit_max_ms)
    if not question.window.is_in_time(received.at, credit_ms):
        raise RefusedError(Refusal.DECISION_CLOSED, decision_id=answer.decision_id)
    return accept(state, question, answer.action, received.at, instant.floor_ms, credit_ms=credit_ms)


def accept(
    state: TableState,
    question: Question,
    action: Action,
    received_at: int,
    floor_ms: int,
    *,
    credit_ms: int = 0,
    timeout: bool = False,
) -> Answered:
    """Returns the entry of an answer to an open question; the clock runs until it came in, less the latency credit.

    Raises:
        IllegalActionError: the rules forbid the answer.
    """
    seat = question.decision.seat
    assert state.hand is not None
    if action not in legal_actions(state.hand, seat):
        apply(state.hand, seat, action)
    return Answered(
        seat,
        question.decision_id,
        action,
        stands_at=state.sequences[seat] + 1,
        charge_ms=question.window.charge(received_at, state.reserves[seat], credit_ms),
        floor_ms=floor_ms,
        timeout=timeout,
    )


def _open_question(state: TableState, seat: Seat, now: int) -> Question | None:
    """Returns the question that a seat knows of: none that is held back, none that the server answers itself."""
    question = state.questions[seat]
    if question is None or question.is_forced or question.window.opened_at > now:
        return None
    return question


def _not_open(state: TableState, answer: Answer, question: Question | None) -> RefusedError:
    named = {"decision_id": answer.decision_id}
    if question is not None:
        named["open_decision_id"] = question.decision_id
    if _was_asked(state, answer, question):
        return RefusedError(Refusal.DECISION_CLOSED, **named)
    if question is None:
        return RefusedError(Refusal.NOT_YOUR_TURN, seat=answer.seat)
    return RefusedError(Refusal.DECISION_NOT_FOUND, **named)


def _was_asked(state: TableState, answer: Answer, question: Question | None) -> bool:
    """Whether the seat was shown a decision of that id before; one that is held back was not shown yet."""
    try:
        seat, hand, number = map(int, answer.decision_id.split("."))
    except ValueError:
        return False
    if answer.decision_id != f"{seat}.{hand}.{number}" or seat != answer.seat or hand < 0 or number < 1:
        return False
    if state.hand is None or hand > state.hand.deal.hand:
        return False
    hidden = state.questions[answer.seat] is not None and question is None
    return hand < state.hand.deal.hand or number <= state.asked[answer.seat] - hidden


def _give_nonce(state: TableState, command: GiveNonce) -> NonceGiven | None:
    given = state.nonces[command.seat]
    if given == command.nonce:
        return None
    if given is not None or state.stage is not Stage.NONCES:
        raise RefusedError(Refusal.NONCE_CLOSED)
    return NonceGiven(command.seat, command.nonce)


def _confirm(state: TableState, command: ConfirmResult, now: int) -> ResultConfirmed | None:
    last = state.match.hand - 1
    if state.stage is Stage.RESULT and command.hand == last and now >= state.shown_at:
        return None if command.seat in state.confirmed else ResultConfirmed(command.seat, command.hand)
    if state.stage is Stage.HAND and command.hand == last and command.seat in state.confirmed_before:
        return None
    raise RefusedError(Refusal.NO_RESULT_OPEN, hand_number=command.hand)
