"""Judges hand records by playing them again (docs/formats/notation.md, "Programs")."""

from typing import Any

from mahjong_engine.action import option_of
from mahjong_engine.event import Event
from mahjong_engine.fields import Fields, MalformedError, shown
from mahjong_engine.hand import default_action, open_decisions, play_on, start_hand
from mahjong_engine.play import Play
from mahjong_engine.record import write_result
from mahjong_engine.record_action import read_action, write_action
from mahjong_engine.record_header import Header, RecordError, RecordReason, as_record_error, read_header
from mahjong_engine.refusal import refusal
from mahjong_engine.state import TURN_ORDER, Answer, HandState
from mahjong_engine.tile import Seat


def verify_record(data: object) -> HandState:
    """Plays a record again and checks everything in it; returns the hand at its end.

    Answers that can no longer change the outcome may stand in the record or be missing.

    Raises:
        RecordError: the record cannot stand.
    """
    fields, header, state, _ = _replay(data)
    decisions = len(fields.values("decisions"))
    if not state.is_over:
        message = f"the hand is not over: seat {_waiting(state)} is asked"
        raise RecordError(RecordReason.MISSING_DECISION, message, decisions)
    try:
        _check_result(Fields(fields.part("result"), "result"), state, header, decisions)
    except MalformedError as error:
        raise as_record_error(error, decisions) from error
    return state


def replay_record(data: object) -> tuple[HandState, tuple[Event, ...]]:
    """Plays a record, which may stop before the hand does; returns where it stands and all events from the deal on.

    A `result` is not looked at.

    Raises:
        RecordError: the record cannot stand as far as it goes.
    """
    _, _, state, events = _replay(data)
    return state, events


def legal_answers(data: object) -> list[dict[str, Any]]:
    """Plays a record, which may stop before the hand does; returns the open decisions with all legal answers.

    A `result` is not looked at.

    Raises:
        RecordError: the record cannot stand as far as it goes.
    """
    state = _replay(data)[2]
    return [
        {"seat": decision.seat, "answers": [write_action(action) for action in decision.options]}
        for decision in open_decisions(state)
    ]


def _replay(data: object) -> tuple[Fields, Header, HandState, tuple[Event, ...]]:
    """Plays as far as the record goes."""
    try:
        fields = Fields(data, "record")
        header = read_header(fields)
        decisions = fields.values("decisions")
    except MalformedError as error:
        raise as_record_error(error) from error
    state, opening = start_hand(header.deal)
    play = Play(state)
    index = 0
    while index < len(decisions):
        index = _answer_question(play, decisions, index)
    end, events = play.freeze()
    return fields, header, end, opening + events


def _answer_question(play: Play, decisions: list[object], index: int) -> int:
    """Gives all answers to one question that stand in the record; returns the index of the next decision.

    All are judged by the question as it was asked: those that could no longer change the outcome may stand there too.
    """
    block: list[Answer] = []
    options, asked_at = play.options, len(play.decisions)
    try:
        for seat in TURN_ORDER[play.actor]:
            if options[seat] and index < len(decisions):
                fields = Fields(decisions[index], "decisions", index)
                if fields.integer("seat", 0, 3) == seat:
                    block.append(_read_answer(play, seat, fields, index))
                    index += 1
        for answer in block:
            if len(play.decisions) == asked_at:
                play_on(play, answer)
        if index < len(decisions) and len(play.decisions) == asked_at:
            _refuse(play.freeze()[0], Fields(decisions[index], "decisions", index), index)
    except MalformedError as error:
        raise as_record_error(error, index) from error
    return index


def _read_answer(play: Play, seat: Seat, fields: Fields, index: int) -> Answer:
    action, timeout = read_action(fields, play.offered), fields.flag("timeout", default=False)
    option = option_of(play.options[seat], action)
    if option is None:
        raise RecordError(RecordReason.ILLEGAL_DECISION, str(refusal(play.freeze()[0], seat, action)), index)
    if timeout and option != default_action(play.freeze()[0], seat):
        raise RecordError(RecordReason.NOT_THE_DEFAULT, "not what the server answers at a timeout", index)
    return Answer(seat, option, timeout)


def _refuse(state: HandState, fields: Fields, index: int) -> None:
    """Says why a decision cannot stand where it does."""
    seat = Seat(fields.integer("seat", 0, 3))
    waiting = _waiting(state)
    if state.is_over:
        message = "the hand is over"
    elif state.options[seat]:
        message = f"seat {seat} has answered, or answers out of turn order; seat {waiting} is asked"
    else:
        message = f"seat {seat} is not asked; seat {waiting} is"
    raise RecordError(RecordReason.NOT_ASKED, message, index)


def _waiting(state: HandState) -> str:
    """Returns the seats whose answer is open, as text."""
    return ", ".join(str(decision.seat) for decision in open_decisions(state))


def _check_result(fields: Fields, state: HandState, header: Header, decisions: int) -> None:
    """Compares the result with that of the hand, value by value and type by type."""
    assert state.result is not None
    for part, value in write_result(state.result, header.length).items():
        found = fields.part(part)
        if part == "winners" and isinstance(found, list) and all(type(seat) is int for seat in found):
            found = sorted(found)
        if not _is_same(found, value):
            raise RecordError(RecordReason.WRONG_RESULT, f"{part} is {shown(value)}, not {shown(found)}", decisions)


def _is_same(found: object, value: object) -> bool:
    """Whether JSON values are equal; true is not 1, and 1.0 is not 1."""
    if isinstance(found, list) and isinstance(value, list):
        return len(found) == len(value) and all(map(_is_same, found, value))
    return type(found) is type(value) and found == value
