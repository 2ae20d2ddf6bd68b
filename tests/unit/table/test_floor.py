"""The jittered floor: a pause must not tell who could have called."""

from mahjong_engine.event import BonusShown, Claimed, Discarded, Drew, HandDealt, HandEnded, KongDeclared, TurnStarted
from mahjong_table.core.notice import DecisionClosed, DecisionOpened
from mahjong_table.core.refusal import Refusal

NOBODY = ("3*R",)
"""East discards R, which nobody can claim."""
SOMEBODY = ("5b", "1b", "2*5b")
"""East discards 5b, which West can claim."""


def test_a_discard_that_nobody_can_claim_holds_the_next_draw_back(deal):
    table = deal("classical", *NOBODY, floor_ms=500)
    table.wait(600)
    table.do(0, "discard R")
    assert table.times(3, Discarded) == [0]
    assert table.times(3, Drew)[-1] == 500
    assert table.times(1, DecisionOpened) == [500]
    assert table.window(1)[0] == 500


def test_a_claim_that_is_passed_early_takes_as_long_as_no_claim(deal):
    table = deal("classical", *SOMEBODY, floor_ms=500)
    table.wait(600)
    table.do(0, "discard 5b")
    assert table.times(2, DecisionOpened) == [0]
    table.wait(200)
    table.do(2, "pass")
    assert table.times(2, DecisionClosed) == [0]
    assert table.times(3, TurnStarted)[-1] == 300


def test_a_claim_that_is_made_early_is_shown_at_the_end_of_the_floor(deal):
    table = deal("classical", *SOMEBODY, floor_ms=500)
    table.wait(600)
    table.do(0, "discard 5b")
    table.do(2, "pung")
    assert table.times(3, Claimed) == [500]
    assert table.window(2)[0] == 500


def test_a_claim_that_is_answered_late_is_shown_at_once(deal):
    table = deal("classical", *SOMEBODY, floor_ms=500)
    table.wait(600)
    table.do(0, "discard 5b")
    table.wait(2_000)
    table.do(2, "pass")
    assert table.times(3, TurnStarted)[-1] == 0


def test_a_lapsed_claim_is_closed_when_its_outcome_is_shown(deal):
    table = deal("classical", "5b", "4b 6b", "2*5b", floor_ms=500)
    table.wait(600)
    table.do(0, "discard 5b")
    table.do(2, "pung")
    (closed,) = [n for n in table.notices if n.seat == 1 and isinstance(n.event, DecisionClosed)]
    assert closed.event.action is None
    assert closed.at == table.now + 500


def test_a_decision_that_is_held_back_can_not_be_answered(deal):
    table = deal("classical", *NOBODY, floor_ms=500)
    table.wait(600)
    table.do(0, "discard R")
    ahead = table.answer(1, "win")
    assert table.refused(ahead).refusal is Refusal.NOT_YOUR_TURN
    table.wait(500)
    assert table.refused(ahead).rule.value == "not_a_win"


def test_a_snapshot_waits_for_the_end_of_the_floor_whoever_can_claim(deal):
    for hands, discard in ((NOBODY, "discard R"), (SOMEBODY, "discard 5b")):
        table = deal("classical", *hands, floor_ms=500)
        table.wait(600)
        table.do(0, discard)
        assert table.state.settled_at == table.now + 500


def test_a_kong_holds_its_replacement_back_whoever_can_rob_it(deal):
    table = deal("classical", "4*9d", floor_ms=500)
    table.wait(600)
    draws = len(table.times(1, Drew))
    table.do(0, "kong concealed_kong 9d")
    assert table.times(1, KongDeclared) == [0]
    assert table.times(1, Drew)[draws] == 500


def test_the_first_turn_is_held_back_whoever_was_asked_in_the_opening(deal):
    quiet = deal("classical", floor_ms=500)
    assert quiet.times(1, HandDealt) == [0]
    assert quiet.times(1, TurnStarted) == [500]
    asked = deal("classical", "", "4*9d", floor_ms=500)
    assert asked.times(1, DecisionOpened) == [0]
    asked.do(1, "continue")
    assert asked.times(3, TurnStarted) == [500]


def test_original_calls_are_held_back_whoever_was_asked(deal):
    ready = "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 4c 5c 6c 9d"
    table = deal("taiwanese", "", ready, floor_ms=500)
    table.wait(100)
    table.do(1, "original_call")
    assert table.times(3, TurnStarted) == [400]


def test_bonus_tiles_of_the_opening_are_shown_at_once(deal):
    table = deal("classical", "f1", floor_ms=500)
    assert table.times(1, BonusShown) == [0]


def test_the_end_of_a_hand_is_held_back_like_any_outcome(deal):
    table = deal("classical", "5d", "", "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d", floor_ms=500)
    table.wait(600)
    table.do(0, "discard 5d")
    table.do(2, "win")
    assert table.times(3, HandEnded) == [500]
    assert table.state.stage_deadline == table.now + 500 + 10_000
    assert table.refused(table.confirm(3, 0)).refusal is Refusal.NO_RESULT_OPEN


def test_without_a_floor_everything_is_shown_at_once(deal):
    table = deal("classical", *NOBODY)
    table.do(0, "discard R")
    assert table.state.settled_at == table.now


def test_the_floor_of_a_discard_stands_in_the_log(deal):
    table = deal("classical", *NOBODY, floor_ms=437)
    table.wait(600)
    table.do(0, "discard R")
    assert table.answers()[-1].floor_ms == 437
    assert table.rebuilt() == (table.state, table.notices)
