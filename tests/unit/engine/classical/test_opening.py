"""Sections 2 and 3 of docs/rules/classical.md: deal, bonus tiles, kong round, East's first turn."""

import pytest

from mahjong_engine.event import BonusShown, Drew, KongDeclared, Wall
from mahjong_engine.rule_set import rule_set
from mahjong_engine.tile import CODES
from tests.unit.engine.hand_kit import Table, codes

CLASSICAL = rule_set("classical")
ORPHANS_BUT_9C = "1b 9b 1c 1d 9d E S W N R G P P"


def test_c8_the_wall_is_dealt_in_the_order_of_the_rules():
    assert CLASSICAL.dealt == (
        (0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 52),
        (4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39, 49),
        (8, 9, 10, 11, 24, 25, 26, 27, 40, 41, 42, 43, 50),
        (12, 13, 14, 15, 28, 29, 30, 31, 44, 45, 46, 47, 51),
    )


def test_c8_each_seat_gets_the_tiles_of_its_wind():
    table = Table("classical", dealer=2)
    for wind, seat in enumerate((2, 3, 0, 1)):
        assert table.dealt.concealed[seat] == tuple(sorted(table.deal.wall[p] for p in CLASSICAL.dealt[wind]))


def test_c9_draws_and_bonus_replacements_are_one_queue_from_the_front_of_the_live_wall():
    table = Table("classical", "f1", live="1b f2 2b 3b")
    assert table.left == 74
    table.turn()
    drawn = [(e.seat, CODES[e.tile], e.wall) for e in table.history if isinstance(e, Drew)]
    assert drawn == [(0, "1b", Wall.LIVE), (1, "f2", Wall.LIVE), (1, "2b", Wall.LIVE)]
    assert table.left == 72
    assert Table("classical").left == 75


def test_c10_the_kong_box_is_taken_upwards_by_kongs_only_and_never_topped_up():
    table = Table("classical", "4*1b 4*2c 4*3d", reserve="5b 6b 7b")
    assert table.state.reserve_tiles_left == 16
    table.do(0, "kong concealed_kong 1b").do(0, "kong concealed_kong 3d").do(0, "kong concealed_kong 2c")
    assert [CODES[e.tile] for e in table.history if isinstance(e, Drew)] == ["5b", "6b", "7b"]
    assert (table.state.reserve_tiles_left, table.left) == (13, 75)


def test_c10_sixteen_kongs_empty_the_kong_box_and_there_is_no_seventeenth():
    hands = ("4*1b 4*2b 4*3b", "4*1c 4*2c 4*3c", "4*1d 4*2d 4*3d", "4*E 4*S 4*W")
    reserve = "3*5b 9b 3*5c 9c 3*5d 9d 3*N R"
    table = Table("classical", *hands, reserve=reserve, at={48: "5b", 49: "5c", 50: "5d", 51: "N"})
    for seat in range(4):
        while seat in table.asked_seats and table.state.is_opening:
            kong = next(option for option in sorted(table.options(seat)) if option.startswith("kong"))
            table.do(seat, kong)
    assert [len(melds) for melds in table.state.melds] == [4, 4, 4, 4]
    assert table.state.reserve_tiles_left == 0
    assert not any(option.startswith("kong") for option in table.options(0))


def test_c11_a_kong_counts_as_one_meld_and_a_seat_keeps_its_number_of_tiles():
    table = Table("classical", "4*1b 9d 9d", "9d", reserve="5b", live="3d")
    assert table.state.concealed_counts == (14, 13, 13, 13)
    table.do(0, "kong concealed_kong 1b")
    assert table.state.concealed_counts == (11, 13, 13, 13)
    table.turn()
    assert table.state.concealed_counts == (10, 14, 13, 13)
    table.do(1, "discard 9d").do(0, "pung")
    assert table.state.concealed_counts == (8, 13, 13, 13)


def test_c12_each_seat_shows_and_replaces_its_bonus_tiles_before_the_next_begins():
    table = Table("classical", "s2 f3", "f1", live="s4 f2 1b 2b 3b")
    shown = [(e.seat, CODES[e.tile]) for e in table.history if isinstance(e, BonusShown)]
    assert shown == [(0, "f3"), (0, "s2"), (0, "f2"), (0, "s4"), (1, "f1")]
    assert [CODES[e.tile] for e in table.history if isinstance(e, Drew)] == ["s4", "f2", "1b", "2b", "3b"]
    assert table.bonus(0) == "f3 s2 f2 s4"
    assert table.asked == [(0, "turn", "turn")]


def test_c12_the_lowest_bonus_tile_in_sort_order_is_shown_first():
    table = Table("classical", "s3 f4 s1 f2", live="1b 2b 3b 4b")
    assert table.bonus(0) == "f2 f4 s1 s3"


def test_c12_the_order_begins_with_the_dealer():
    table = Table("classical", "f1", "f2", "f3", "f4", dealer=2)
    assert [e.seat for e in table.history if isinstance(e, BonusShown)] == [2, 3, 0, 1]


def test_c13_each_seat_with_four_alike_has_one_stretch_in_order():
    table = Table("classical", "4*1b 4*3b", "", "4*2d", "4*9c 4*N", reserve="5b 5c 5d")
    assert table.asked == [(0, "kong_round", "opening")]
    assert table.options(0) == {"kong concealed_kong 1b", "kong concealed_kong 3b", "continue"}
    table.do(0, "kong concealed_kong 3b")
    assert table.options(0) == {"kong concealed_kong 1b", "continue"}
    table.do(0, "continue")
    assert table.options(2) == {"kong concealed_kong 2d", "continue"}
    table.do(2, "kong concealed_kong 2d")
    assert table.asked_seats == [3], "a stretch ends when no four alike are left"
    table.do(3, "continue")
    assert table.asked == [(0, "turn", "turn")], "a stretch that has ended does not come back"


def test_c13_a_kong_made_by_the_replacement_is_asked_for_in_the_same_stretch():
    table = Table("classical", "", "4*1b 3*9d", reserve="9d 2c")
    table.do(1, "kong concealed_kong 1b")
    assert table.options(1) == {"kong concealed_kong 9d", "continue"}
    table.do(1, "kong concealed_kong 9d")
    assert table.asked_seats == [0]
    assert table.melds(1) == ["concealed_kong 1b 1b 1b 1b", "concealed_kong 9d 9d 9d 9d"]


def test_c13_a_bonus_tile_from_the_kong_box_is_replaced_by_a_live_tile():
    table = Table("classical", "", "4*1b", reserve="f1", live="f2 7d")
    table.do(1, "kong concealed_kong 1b")
    assert table.bonus(1) == "f1 f2"
    assert "7d" in table.hand(1)
    assert (table.left, table.state.reserve_tiles_left) == (73, 15)


def test_c13_no_seat_wins_in_its_own_stretch():
    complete = "4*1b 2c 3c 4c 5d 6d 7d 2b 3b 9c 9c"
    table = Table("classical", complete)
    assert table.options(0) == {"kong concealed_kong 1b", "continue"}
    table.do(0, "continue")
    assert "win" in table.options(0)


def test_c14_in_the_kong_round_east_cannot_rob_a_kong():
    table = Table("classical", f"{ORPHANS_BUT_9C} 5b", "4*9c")
    table.do(1, "kong concealed_kong 9c")
    assert table.asked == [(0, "turn", "turn")]


def test_c14_another_seat_robs_a_kong_of_the_kong_round():
    table = Table("classical", "5b", "4*9c", ORPHANS_BUT_9C, reserve="7b")
    table.do(1, "kong concealed_kong 9c")
    assert table.asked == [(2, "rob_kong", "opening")]
    assert table.options(2) == {"win", "pass"}
    table.do(2, "win")
    assert table.won_by == [(2, "9c", "robbed_concealed_kong", 1)]


def test_c14_a_kong_of_east_in_its_own_first_turn_may_be_robbed():
    table = Table("classical", "4*9c", ORPHANS_BUT_9C)
    table.do(0, "continue").do(0, "kong concealed_kong 9c")
    assert table.asked == [(1, "rob_kong", "claim")]


def test_c15_the_drawn_tile_of_the_first_turn_is_the_last_tile_dealt():
    table = Table("classical", at={52: "6d"})
    assert (table.asked, table.drawn, table.source) == ([(0, "turn", "turn")], "6d", "dealt")


@pytest.mark.parametrize("place", [0, 52])
def test_c15_or_the_last_bonus_replacement_that_east_took(place):
    table = Table("classical", live="s2 9c 1d", at={place: "f2", 49: "s1"})
    assert (table.drawn, table.source) == ("9c", "dealt")


def test_c15_or_the_last_tile_that_east_took_for_a_kong_of_the_kong_round():
    table = Table("classical", "4*1b", "4*9c", reserve="7d 5d", at={52: "6d"})
    table.do(0, "kong concealed_kong 1b").do(1, "kong concealed_kong 9c")
    assert (table.asked_seats, table.drawn, table.source) == ([0], "7d", "kong_replacement")


def test_c15_or_the_live_tile_that_replaced_a_bonus_tile_of_the_kong_box():
    table = Table("classical", "4*1b", reserve="f4", live="8c", at={52: "6d"})
    table.do(0, "kong concealed_kong 1b")
    assert (table.drawn, table.source) == ("8c", "live_wall")


def test_c15_east_may_still_declare_a_kong_that_it_did_not_declare_in_the_round():
    table = Table("classical", "4*1b", reserve="7d")
    table.do(0, "continue")
    assert "kong concealed_kong 1b" in table.options(0)
    table.do(0, "kong concealed_kong 1b")
    assert (table.drawn, table.source) == ("7d", "kong_replacement")
    assert [codes([e.tile]) for e in table.history if isinstance(e, KongDeclared)] == ["1b"]
