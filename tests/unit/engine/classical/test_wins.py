"""Section 8 of docs/rules/classical.md: complete tiles, sources, last tiles."""

import pytest

from mahjong_engine.keys import keys_of
from mahjong_engine.rule_set import rule_set
from tests.unit.engine.hand_kit import Table, tiles

CLASSICAL = rule_set("classical")
WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"


def drain(table):
    while table.left:
        table.turn()
    return table


def is_complete(text):
    return CLASSICAL.is_complete(keys_of(tiles(text)), ())


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("1b 2b 3b 4c 5c 6c 7d 8d 9d E E E R R", True),
        ("1b 9b 1c 9c 1d 9d E S W N R G P P", True),
        ("1b 9b 1c 9c 1d 9d E S W N R G P 5b", False),
        ("1b 9b 1c 9c 1d 9d E S W N R P P P", False),
        ("1b 1b 3b 3b 5c 5c 7c 7c 9d 9d E E R R", False),
        ("1b 2b 3b 4c 5c 6c 7d 8d 9d E S W R R", False),
    ],
)
def test_c37_four_sets_and_a_pair_or_thirteen_orphans_are_complete(text, complete):
    assert is_complete(text) is complete


def test_c37_melds_are_among_the_four_sets():
    table = Table("classical", "9d 3b", "", "9d 9d 1b 2b 4c 5c 6c E E E R R W", live="9c 9c 9c 3b")
    table.do(0, "discard 9d").do(2, "pung").discard(2, "W").turns(3)
    assert (table.drawn, "win" in table.options(2)) == ("3b", True)


def test_c37_no_minimum_value_is_asked_for():
    table = Table("classical", "3b W", "1b 2b 4c 5c 6c 7d 8d 9d 2c 3c 4c 6d 6d", live="W W W N")
    table.discard(0, "W").turns(3).do(0, "discard 3b").do(1, "win")
    assert table.result.settlement.values[1] < 30


def test_c38_live_wall_an_ordinary_draw():
    table = Table("classical", "", WAITS_3B, live="3b").turn().do(1, "win")
    assert table.won_by == [(1, "3b", "live_wall", None)]


def test_c38_live_wall_a_bonus_replacement():
    table = Table("classical", "", WAITS_3B, live="f1 3b").turn().do(1, "win")
    assert table.won_by == [(1, "3b", "live_wall", None)]


def test_c38_kong_replacement_the_very_tile_from_the_kong_box():
    table = Table("classical", "E", "1b 2b 4c 5c 6c 7d 8d 9d E E E R R", reserve="3b").do(0, "discard E")
    table.do(1, "claim_kong").do(1, "win")
    assert table.won_by == [(1, "3b", "kong_replacement", None)]


def test_c38_a_live_tile_that_replaced_a_bonus_tile_of_the_kong_box_is_of_the_live_wall():
    table = Table("classical", "E", WAITS_3B, reserve="f1", live="3b").do(0, "discard E").do(1, "claim_kong")
    assert table.do(1, "win").won_by == [(1, "3b", "live_wall", None)]


def test_c38_dealt_east_before_any_discard_and_without_a_kong():
    table = Table("classical", f"{WAITS_3B} 3b").do(0, "win")
    assert table.won_by == [(0, "3b", "dealt", None)]
    assert "east_before_first_discard" in table.awards(0)


def test_c38_dealt_also_after_bonus_replacements():
    table = Table("classical", f"{WAITS_3B} f1", live="3b").do(0, "win")
    assert table.won_by == [(0, "3b", "dealt", None)]


@pytest.mark.parametrize(("reserve", "live", "source"), [("3b", "", "kong_replacement"), ("s1", "3b", "live_wall")])
@pytest.mark.parametrize("in_round", [True, False])
def test_c38_east_after_a_kong_before_any_discard_has_the_source_of_its_last_tile(reserve, live, source, in_round):
    table = Table("classical", "1b 2b 4c 5c 6c 7d 8d 9d 4*E R R", reserve=reserve, live=live)
    if not in_round:
        table.do(0, "continue")
    table.do(0, "kong concealed_kong E").do(0, "win")
    assert table.won_by == [(0, "3b", source, None)]
    assert "east_before_first_discard" in table.awards(0)


def test_c38_discard_and_robbed_kongs_name_whose_tile_it_was():
    table = Table("classical", "3b", "", WAITS_3B).do(0, "discard 3b").passes(1).do(2, "win")
    assert table.won_by == [(2, "3b", "discard", 0)]
    orphans = "1b 9b 1c 1d 9d E S W N R G P P"
    table = Table("classical", "4*9c", "", "", orphans).do(0, "continue").do(0, "kong concealed_kong 9c").do(3, "win")
    assert table.won_by == [(3, "9c", "robbed_concealed_kong", 0)]


def test_c38_the_settlement_sees_the_tiles_without_the_winning_one():
    table = Table("classical", "", WAITS_3B, live="3b").turn().do(1, "win")
    assert table.result.concealed[1] == tuple(sorted(tiles(WAITS_3B)))


def last_draw_of(hand, last, **wishes):
    """Returns a table where the seat that draws the last live tile holds `hand` before, and that seat."""
    seat = drain(Table("classical")).state.actor
    hands = [hand if s == seat else "" for s in range(4)]
    return drain(Table("classical", *hands, last_live=last, **wishes)), seat


def test_c39_a_live_tile_whose_taking_left_the_wall_empty_is_the_last_live_tile():
    table, seat = last_draw_of(WAITS_3B, "3b")
    table.do(seat, "win")
    assert table.won_by == [(seat, "3b", "live_wall", None)]
    assert "last_live_tile" in table.awards(seat)


def test_c39_a_kong_replacement_never_is_one():
    table, seat = last_draw_of("1b 2b 4c 5c 6c 7d 8d 9d E E E R R", "E", reserve="3b")
    table.do(seat, "kong concealed_kong E").do(seat, "win")
    assert table.left == 0
    assert "kong_replacement" in table.awards(seat)
    assert "last_live_tile" not in table.awards(seat)


def test_c39_any_discard_made_on_an_empty_live_wall_is_a_last_discard():
    seat = drain(Table("classical")).state.actor
    winner, claimer = (seat + 1) % 4, (seat + 2) % 4
    hands = ["", "", "", ""]
    hands[winner], hands[claimer] = WAITS_3B, "W W 3b"
    table = drain(Table("classical", *hands, last_live="W")).do(seat, "discard W").do(claimer, "pung")
    table.do(claimer, "discard 3b").do(winner, "win")
    assert "last_discard" in table.awards(winner)
    assert table.result.wins[0].from_seat == claimer
