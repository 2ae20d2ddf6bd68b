"""Sections 10 and 11 of docs/rules/classical.md: who is asked what, clocks, timeouts."""

import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from tests.unit.engine.hand_kit import Table

WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"
ORPHANS_BUT_9C = "1b 9b 1c 1d 9d E S W N R G P P"


def test_c43_in_its_own_turn_a_seat_is_always_asked_even_if_only_one_answer_is_legal():
    table = Table("classical", f"{WAITS_3B} 5b", live="9c 9c 9c 2c").discard(0, "5b", call=True).turns(3)
    assert (table.asked_seats, table.options(0)) == ([0], {"discard 2c"})


def test_c43_elsewhere_only_a_seat_with_another_answer_than_pass_or_continue_is_asked():
    table = Table("classical", "9d", "", "9d 9d").do(0, "discard 9d")
    assert table.asked_seats == [2]
    assert Table("classical", "", "4*1b").asked_seats == [1]


def test_c43_phase_1_the_kong_round():
    table = Table("classical", "4*1b", "4*2b")
    assert table.asked == [(0, "kong_round", "opening")]
    assert table.options(0) == {"kong concealed_kong 1b", "continue"}
    assert table.default(0) == "continue"


def test_c43_phase_2_a_concealed_kong_of_the_kong_round_and_of_a_turn():
    table = Table("classical", "5b", "4*9c", ORPHANS_BUT_9C).do(1, "kong concealed_kong 9c")
    assert (table.asked, table.options(2)) == ([(2, "rob_kong", "opening")], {"win", "pass"})
    assert table.default(2) == "win"
    table = Table("classical", "4*9c", "", ORPHANS_BUT_9C).do(0, "continue").do(0, "kong concealed_kong 9c")
    assert table.asked == [(2, "rob_kong", "claim")]
    assert table.default(2) == "win"


def test_c43_phase_3_a_turn_after_a_draw():
    table = Table("classical", "", WAITS_3B, live="3b").turn()
    assert table.asked == [(1, "turn", "turn")]
    assert {"win", "discard 3b", "discard 3b call"} <= table.options(1)
    assert table.default(1) == "win"
    table = Table("classical", live="5d").turn()
    assert table.default(1) == "discard 5d"


def test_c43_phase_4_a_turn_under_original_call():
    table = Table("classical", f"{WAITS_3B} 5b", live="9c 9c 9c 3b").discard(0, "5b", call=True).turns(3)
    assert (table.asked, table.options(0)) == ([(0, "turn", "turn")], {"win", "discard 3b"})
    assert table.default(0) == "win"
    table = Table("classical", f"{WAITS_3B} 5b", live="9c 9c 9c 2c").discard(0, "5b", call=True).turns(3)
    assert (table.asked, table.default(0)) == ([(0, "turn", "none")], "discard 2c")


def test_c43_phase_5_a_turn_after_chow_or_pung():
    table = Table("classical", "9d", "", "9d 9d P 1b").do(0, "discard 9d").do(2, "pung")
    assert table.asked == [(2, "turn_after_claim", "turn")]
    assert table.default(2) == f"discard {table.hand(2).split()[-1]}" == "discard P"


def test_c43_phase_6_a_discard():
    table = Table("classical", "3b", "1b 2b 2b 4b", "3*3b", WAITS_3B).do(0, "discard 3b")
    assert [phase for _, phase, _ in table.asked] == ["claim"] * 3
    assert table.options(1) == {"chow 1b 2b", "chow 2b 4b", "pass"}
    assert table.options(2) == {"claim_kong", "pung", "pass"}
    assert table.default(1) == table.default(2) == "pass"
    table = Table("classical", "3b", "", WAITS_3B).do(0, "discard 3b")
    assert (table.options(2), table.default(2)) == ({"win", "pass"}, "win")


def promoted():
    table = Table("classical", "3*3b 9d", WAITS_3B, "", "3b", live="8c 7d 7d W 8c")
    table.discard(0, "9d").turns(2)
    table.do(3, "discard 3b").passes(1, 2).do(0, "pung").discard(0, table.hand(0).split()[-1])
    return table.turns(3).do(0, "kong promoted_kong 3b")


def test_c43_phase_7_a_promoted_kong():
    table = promoted()
    assert (table.asked, table.options(1)) == ([(1, "rob_kong", "claim")], {"win", "pass"})
    assert table.default(1) == "win"


def test_c43_seats_asked_together_do_not_see_that_others_are_asked():
    one = Table("classical", "3b", "1b 2b", "3b 3b").do(0, "discard 3b")
    assert one.asked_seats == [1, 2]
    assert one.view(3).decision is None
    answered = Table("classical", "3b", "1b 2b", "3b 3b").do(0, "discard 3b").do(1, "chow 1b 2b")
    assert answered.view(2) == one.view(2)


@pytest.mark.parametrize(
    ("table", "clock"),
    [
        (Table("classical", "4*1b"), "opening"),
        (Table("classical", "5b", "4*9c", ORPHANS_BUT_9C).do(1, "kong concealed_kong 9c"), "opening"),
        (Table("classical"), "turn"),
        (Table("classical", "9d", "", "9d 9d").do(0, "discard 9d"), "claim"),
        (Table("classical", "9d", "", "9d 9d").do(0, "discard 9d").do(2, "pung"), "turn"),
        (promoted(), "claim"),
    ],
)
def test_c45_turn_claim_and_opening_decisions_have_their_own_clocks(table, clock):
    assert {kind for _, _, kind in table.asked} == {clock}


@pytest.mark.parametrize(
    ("table", "seat", "answer"),
    [
        (Table("classical", "4*1b"), 0, "continue"),
        (Table("classical", "5b", "4*9c", ORPHANS_BUT_9C).do(1, "kong concealed_kong 9c"), 2, "win"),
        (Table("classical", "", WAITS_3B, live="3b").turn(), 1, "win"),
        (Table("classical", live="5d").turn(), 1, "discard 5d"),
        (Table("classical", "9d", "", "9d 9d").do(0, "discard 9d"), 2, "pass"),
        (Table("classical", "3b", "", WAITS_3B).do(0, "discard 3b"), 2, "win"),
        (Table("classical", "9d", "", "9d 9d P").do(0, "discard 9d").do(2, "pung"), 2, "discard P"),
        (promoted(), 1, "win"),
    ],
)
def test_c47_at_a_timeout_the_server_gives_the_default_and_the_decision_is_marked(table, seat, answer):
    assert table.default(seat) == answer
    index = len(table.state.decisions)
    assert table.do(seat, answer, timeout=True).state.decisions[index].timeout


def test_c47_a_timeout_declares_neither_kong_nor_original_call():
    table = Table("classical", f"{WAITS_3B} 5b")
    assert "discard 5b call" in table.options(0)
    assert table.default(0) == "discard 5b"


def test_c47_another_answer_than_the_default_is_no_timeout():
    table = Table("classical", live="5d")
    with pytest.raises(IllegalActionError) as caught:
        table.do(0, f"discard {table.hand(0).split()[0]}", timeout=True)
    assert caught.value.rule is Rule.NOT_THE_DEFAULT


def test_a_seat_that_is_not_asked_has_no_default():
    with pytest.raises(IllegalActionError) as caught:
        Table("classical").default(2)
    assert caught.value.rule is Rule.NOT_YOUR_TURN


def called_and_asked():
    """Returns a table where East has called, holds two of the discard, and is asked because it may win with it."""
    table = Table("classical", "1b 1b 1b 2b 3b 4c 5c 6c 7d 8d 9d R R 5d", "R", live="9c")
    return table.discard(0, "5d", call=True).do(1, "discard R")


def over():
    return Table("classical", "3b", "", WAITS_3B).do(0, "discard 3b").do(2, "win")


@pytest.mark.parametrize(
    ("table", "seat", "answer", "rule"),
    [
        (over(), 0, "pass", Rule.HAND_IS_OVER),
        (Table("classical"), 1, "pass", Rule.NOT_YOUR_TURN),
        (Table("classical"), 4, "pass", Rule.NOT_YOUR_TURN),
        (Table("classical"), -1, "pass", Rule.NOT_YOUR_TURN),
        (Table("classical"), 0, "pass", Rule.NOT_AN_ANSWER),
        (Table("classical"), 0, "pung", Rule.NOT_AN_ANSWER),
        (Table("classical"), 0, "win", Rule.NOT_A_WIN),
        (Table("classical"), 0, "continue", Rule.NOT_AN_ANSWER),
        (Table("classical"), 0, "rob_flower", Rule.NOT_AN_ANSWER),
        (Table("classical", "1b 2b"), 0, "kong concealed_kong 1b", Rule.TILE_NOT_IN_HAND),
        (Table("classical", "f1"), 0, "discard f1", Rule.TILE_NOT_IN_HAND),
        (Table("classical", at={52: "5b"}), 0, "discard f1", Rule.TILE_NOT_IN_HAND),
        (Table("classical", "9d", "", "9d 9d").do(0, "discard 9d"), 2, "chow 7d 8d", Rule.NOT_AN_ANSWER),
        (Table("classical", "1d", "2d 3d", "1d 1d").do(0, "discard 1d"), 1, "chow 1c 2c", Rule.NOT_AN_ANSWER),
        (Table("classical", "5d", "3d 4d").do(0, "discard 5d"), 1, "chow 6d 7d", Rule.TILE_NOT_IN_HAND),
        (Table("classical", "1d", "2d 3d").do(0, "discard 1d"), 1, "pung", Rule.TILE_NOT_IN_HAND),
        (Table("classical", "1d", "2d 3d").do(0, "discard 1d"), 1, "kong concealed_kong 1d", Rule.NOT_AN_ANSWER),
        (Table("classical", "1d", "2d 3d").do(0, "discard 1d"), 1, "continue", Rule.NOT_AN_ANSWER),
        (Table("classical"), 0, "kong claimed_kong 1d", Rule.NOT_AN_ANSWER),
        (Table("classical", "4*1b"), 0, "discard 1b", Rule.NOT_AN_ANSWER),
        (Table("classical", "4*1b"), 0, "kong concealed_kong 2b", Rule.TILE_NOT_IN_HAND),
        (Table("classical", "4*1b"), 0, "kong promoted_kong 1b", Rule.NOT_AN_ANSWER),
        (Table("classical", f"{WAITS_3B} 3b", "E").discard(0, "3b", call=True), 0, "pass", Rule.NOT_YOUR_TURN),
        (called_and_asked(), 0, "pung", Rule.HAND_IS_LOCKED),
        (called_and_asked(), 0, "claim_kong", Rule.HAND_IS_LOCKED),
        (Table("classical", "9d", "", "9d 9d").do(0, "discard 9d"), 2, "claim_kong", Rule.TILE_NOT_IN_HAND),
        (Table("classical", "9d", "", "9d 9d").do(0, "discard 9d"), 2, "win", Rule.NOT_A_WIN),
        (Table("classical", "9d", "", "9d 9d").do(0, "discard 9d"), 2, "discard 9d", Rule.NOT_AN_ANSWER),
        (
            Table("classical", "9d", "", "9d 9d").do(0, "discard 9d").do(2, "pung"),
            2,
            "kong concealed_kong 1b",
            Rule.NOT_AN_ANSWER,
        ),
    ],
)
def test_an_illegal_answer_is_refused_with_its_rule_and_changes_nothing(table, seat, answer, rule):
    before = table.state
    with pytest.raises(IllegalActionError) as caught:
        table.do(seat, answer)
    assert caught.value.rule is rule
    assert table.state is before
