"""Sections 11 and 12 of docs/rules/taiwanese.md: who is asked what, clocks, timeouts."""

import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from tests.unit.engine.hand_kit import Table
from tests.unit.engine.taiwanese.play_kit import SEVEN, WAITS_3B, promoted, table_of


def test_t46_phase_1_the_eighth_flower_in_a_pass():
    table = Table("taiwanese", "s4", SEVEN)
    assert (table.asked, table.options(1), table.default(1)) == (
        [(1, "rob_flower", "opening")],
        {"rob_flower", "pass"},
        "rob_flower",
    )


def test_t46_phase_2_after_the_passes():
    table = Table("taiwanese", "", WAITS_3B)
    assert table.asked == [(1, "opening_call", "opening")]
    assert (table.options(1), table.default(1)) == ({"original_call", "no_original_call"}, "no_original_call")


def test_t46_phase_3_a_turn_after_a_draw():
    table = table_of("", WAITS_3B, live="3b").turn()
    assert (table.asked, table.default(1)) == ([(1, "turn", "turn")], "win")
    assert {"win", "discard 3b"} <= table.options(1)
    assert table_of(live="5d").turn().default(1) == "discard 5d"


def test_t46_phase_4_a_turn_under_original_call():
    table = Table("taiwanese", "", WAITS_3B, live="9c").do(1, "original_call").turn()
    assert (table.asked, table.options(1)) == ([(1, "turn", "none")], {"discard 9c"})


def test_t46_phase_5_a_turn_after_chow_or_pung():
    table = table_of("9d", "", "9d 9d P").do(0, "discard 9d").do(2, "pung")
    assert (table.asked, table.default(2)) == ([(2, "turn_after_claim", "turn")], "discard P")


def test_t46_phase_6_the_eighth_flower_in_play():
    table = table_of("", SEVEN, live="9d s4").turns(2)
    assert (table.asked, table.default(1)) == ([(1, "rob_flower", "claim")], "rob_flower")


def test_t46_phase_7_a_discard():
    table = table_of("3b", "1b 2b", "3*3b", WAITS_3B).do(0, "discard 3b")
    assert {(phase, clock) for _, phase, clock in table.asked} == {("claim", "claim")}
    assert (table.default(1), table.default(2), table.default(3)) == ("pass", "pass", "win")


def test_t46_phase_8_a_promoted_kong():
    table = promoted().do(0, "kong promoted_kong 3b")
    assert (table.asked, table.options(1)) == ([(1, "rob_kong", "claim")], {"win", "pass"})
    assert table.default(1) == "win"


def test_t46_elsewhere_than_in_its_turn_a_seat_is_asked_only_with_another_answer_than_pass():
    assert table_of("9d", "", "9d 9d").do(0, "discard 9d").asked_seats == [2]


def test_t46_seats_asked_together_do_not_see_that_others_are_asked():
    ready = "1c 2c 4b 5b 6b 7c 8c 9c S S S G G G N N"
    both = Table("taiwanese", "", WAITS_3B, "", ready)
    one = Table("taiwanese", "", WAITS_3B, "", ready).do(3, "original_call")
    assert (both.asked_seats, one.asked_seats) == ([1, 3], [1])
    assert both.view(1) == one.view(1)


@pytest.mark.parametrize(
    ("table", "clock"),
    [
        (Table("taiwanese", "s4", SEVEN), "opening"),
        (Table("taiwanese", "", WAITS_3B), "opening"),
        (table_of(), "turn"),
        (table_of("9d", "", "9d 9d").do(0, "discard 9d"), "claim"),
        (table_of("", SEVEN, live="9d s4").turns(2), "claim"),
    ],
)
def test_t48_turn_claim_and_opening_decisions_have_their_own_clocks(table, clock):
    assert {kind for _, _, kind in table.asked} == {clock}


@pytest.mark.parametrize(
    ("table", "seat", "answer"),
    [
        (Table("taiwanese", "s4", SEVEN), 1, "rob_flower"),
        (Table("taiwanese", "", WAITS_3B), 1, "no_original_call"),
        (table_of("", WAITS_3B, live="3b").turn(), 1, "win"),
        (table_of(live="5d").turn(), 1, "discard 5d"),
        (table_of("9d", "", "9d 9d P").do(0, "discard 9d").do(2, "pung"), 2, "discard P"),
        (table_of("9d", "", "9d 9d").do(0, "discard 9d"), 2, "pass"),
        (table_of("3b", WAITS_3B).do(0, "discard 3b"), 1, "win"),
        (promoted().do(0, "kong promoted_kong 3b"), 1, "win"),
    ],
)
def test_t50_at_a_timeout_the_server_gives_the_default_and_the_decision_is_marked(table, seat, answer):
    assert table.default(seat) == answer
    index = len(table.state.decisions)
    assert table.do(seat, answer, timeout=True).state.decisions[index].timeout


def test_t50_another_answer_than_the_default_is_no_timeout():
    with pytest.raises(IllegalActionError) as caught:
        Table("taiwanese", "s4", SEVEN).do(1, "pass", timeout=True)
    assert caught.value.rule is Rule.NOT_THE_DEFAULT
