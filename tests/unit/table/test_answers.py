"""Answers: which stand, which are refused, and what a seat is told of them."""

import uuid

import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_table.core.notice import DecisionClosed, DecisionOpened
from mahjong_table.core.refusal import Refusal
from mahjong_table.core.terms import TableKind

CLAIMED = ("5b 9d", "4b 6b", "2*5b")


def test_an_answer_closes_the_decision_for_its_seat_alone(deal):
    table = deal("classical", "9d")
    receipt = table.do(0, "discard 9d")
    (closed,) = table.shown(0, DecisionClosed)
    assert closed.decision_id == receipt.decision_id
    assert table.shown(1, DecisionClosed) == []


def test_the_receipt_names_the_place_in_the_stream_where_the_answer_stands(deal):
    table = deal("classical", "9d")
    receipt = table.do(0, "discard 9d")
    (notice,) = [n for n in table.notices if n.seat == 0 and isinstance(n.event, DecisionClosed)]
    assert receipt.stands_at == notice.sequence


def test_decision_ids_of_a_seat_do_not_depend_on_what_others_are_asked(deal):
    plain = deal("classical", "3*R 9d")
    claimed = deal("classical", *CLAIMED)
    plain.do(0, "discard R")
    claimed.do(0, "discard 5b")
    claimed.pass_claims()
    assert claimed.shown(3, DecisionOpened) == plain.shown(3, DecisionOpened) == []
    for table in (plain, claimed):
        table.turn()
        table.turn()
        assert table.asked() == [3]
    assert claimed.question(3).decision_id == plain.question(3).decision_id


def test_everybody_who_can_claim_is_asked_and_nobody_else_hears_of_it(deal):
    table = deal("classical", *CLAIMED)
    before = len(table.shown(3))
    table.do(0, "discard 5b")
    assert table.asked() == [1, 2]
    assert [type(event).__name__ for event in table.shown(3)[before:]] == ["Discarded"]


def test_claims_are_resolved_by_priority_and_never_by_arrival(deal):
    table = deal("classical", *CLAIMED)
    table.do(0, "discard 5b")
    table.do(1, "chow 4b 6b")
    assert table.asked() == [2]
    table.do(2, "pung")
    assert table.state.hand.actor == 2


def test_a_claim_that_can_not_change_the_outcome_any_more_lapses(deal):
    table = deal("classical", *CLAIMED)
    table.do(0, "discard 5b")
    lapsed = table.question(1).decision_id
    command = table.answer(1, "pass")
    table.do(2, "pung")
    (closed,) = table.shown(1, DecisionClosed)
    assert (closed.decision_id, closed.action, closed.timed_out) == (lapsed, None, False)
    assert table.refused(command).refusal is Refusal.DECISION_CLOSED


def test_an_answer_can_not_be_changed(deal):
    table = deal("classical", *CLAIMED)
    table.do(0, "discard 5b")
    command = table.answer(1, "pass")
    table.do(1, "chow 4b 6b")
    assert table.refused(command).refusal is Refusal.DECISION_CLOSED


def test_a_refusal_names_the_decision_that_is_open_instead(deal):
    table = deal("classical", "9d")
    command = table.answer(0, "discard 9d")
    table.do(0, "discard 9d")
    table.pass_claims()
    for _ in range(3):
        table.turn()
    error = table.refused(command)
    assert error.refusal is Refusal.DECISION_CLOSED
    assert error.variables == {
        "decision_id": command.decision_id,
        "open_decision_id": table.question(0).decision_id,
    }


@pytest.mark.parametrize("decision_id", ["0.0.2", "0.1.1", "1.0.1", "nonsense", "0.0.01", "0.0.0", "0.-1.1", " 0.0.1"])
def test_an_answer_to_what_was_never_asked_is_not_found(deal, decision_id):
    table = deal("classical", "9d")
    error = table.refused(table.answer(0, "discard 9d", decision_id=decision_id))
    assert error.refusal is Refusal.DECISION_NOT_FOUND
    assert error.variables["open_decision_id"] == "0.0.1"


def test_an_answer_out_of_turn_is_not_that_seats_turn(deal):
    table = deal("classical", "9d")
    error = table.refused(table.answer(2, "discard 9d", decision_id="0.0.1"))
    assert error.refusal is Refusal.NOT_YOUR_TURN
    assert error.variables == {"seat": 2}


def test_a_request_that_comes_again_gets_the_first_answer(deal):
    table = deal("classical", *CLAIMED)
    request_id = str(uuid.uuid4())
    command = table.answer(0, "discard 5b", request_id=request_id)
    first = table.do(0, "discard 5b", request_id=request_id)
    entries = len(table.log)
    assert table.run(command) == [first]
    assert table.run(command, command) == [first, first]
    assert len(table.log) == entries


def test_a_request_id_with_another_answer_is_refused(deal):
    table = deal("classical", *CLAIMED)
    request_id = str(uuid.uuid4())
    table.do(0, "discard 5b", request_id=request_id)
    error = table.refused(table.answer(1, "pass", request_id=request_id))
    assert error.refusal is Refusal.REQUEST_ID_REUSED
    assert error.variables == {"request_id": request_id}


def test_two_requests_with_the_same_id_at_once_are_one_answer(deal):
    table = deal("classical", "9d")
    command = table.answer(0, "discard 9d")
    first, second = table.run(command, command)
    assert first == second
    assert len(table.answers()) == 1


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("discard P", Rule.TILE_NOT_IN_HAND),
        ("win", Rule.NOT_A_WIN),
        ("discard 9d call", Rule.NOT_READY),
        ("pung", Rule.NOT_AN_ANSWER),
        ("kong concealed_kong 9d", Rule.TILE_NOT_IN_HAND),
    ],
)
def test_c65_an_illegal_answer_is_refused_without_effect_and_its_clock_runs_on(deal, text, rule):
    table = deal("classical", "9d 1b 4b 7b 1c 4c 7c 1d 4d 7d E S W", at={52: "9d"})
    table.wait(3_000)
    error = table.refused(table.answer(0, text))
    assert isinstance(error, IllegalActionError)
    assert error.rule is rule
    assert table.window(0) == (-3_000, 2_000, 22_000)


def test_an_answer_after_the_match_is_refused(deal):
    table = deal("classical", "9d", kind=TableKind.PRACTICE)
    command = table.answer(0, "discard 9d")
    table.run(table.leave(0))
    assert table.refused(command).refusal is Refusal.MATCH_OVER
