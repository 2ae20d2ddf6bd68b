"""Points of every seat and of the winner, and one chance (C52 to C54)."""

import pytest

from mahjong_engine.classical.groups import group_points
from mahjong_engine.tile import parse_tile
from tests.unit.engine.scoring import classical


@pytest.mark.parametrize(
    ("tile", "kong", "concealed", "points"),
    [
        ("5b", False, False, 2),
        ("5b", False, True, 4),
        ("9d", False, False, 4),
        ("S", False, True, 8),
        ("2c", True, False, 8),
        ("8c", True, True, 16),
        ("1b", True, False, 16),
        ("P", True, True, 32),
    ],
)
def test_c52_points_of_pungs_and_kongs(tile, kong, concealed, points):
    assert group_points(parse_tile(tile), kong=kong, concealed=concealed) == points


def test_c52_chows_have_no_points():
    assert classical("(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d 5c 5c", "9d").awards == {"winning": 10, "all_chows": 1}


@pytest.mark.parametrize(
    ("pair", "round_wind", "points"),
    [("R", "E", 2), ("S", "E", 2), ("E", "E", 2), ("S", "S", 4), ("N", "E", 0), ("9d", "E", 0), ("5b", "E", 0)],
)
def test_c52_points_of_pairs(pair, round_wind, points):
    hand = f"(2b 2b 2b) 4c 5c 6c 2c 3c 4c 7d 8d {pair} {pair}"
    tile = "6d" if pair == "9d" else "9d"
    scored = classical(hand, tile, round_wind=round_wind, others={"W": f"{pair} {pair}"})
    assert scored.awards.get("pair", 0) == points


def test_c52_several_pairs_of_a_non_winner_score():
    scored = classical("1b 2b 3b 4b 5b 6b 7b 8b 9b 6d 7d 8d 5c", "5c", others={"W": "R R G G W W E E 5d 5d"})
    assert scored.awards_of("W") == {"pair": 8}


@pytest.mark.parametrize("count", range(1, 9))
def test_c52_bonus_tiles_are_one_item_of_four_points_each(count):
    bonus = " ".join(["f1", "f3", "s2", "s4", "f2", "f4", "s1", "s3"][:count])
    scored = classical(f"(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N | {bonus}", "9d")
    assert [item for item in scored.hand()["items"] if item["award"] == "bonus_tiles"] == [
        {"award": "bonus_tiles", "points": 4 * count}
    ]


def test_c52_no_bonus_tiles_are_no_item():
    assert "bonus_tiles" not in classical("(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d").awards


HAND = "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d 5c 5c"


@pytest.mark.parametrize(
    ("source", "live", "kongs", "points"),
    [
        ("live_wall", 1, "", 2),
        ("live_wall", 0, "", 0),
        ("kong_replacement", 0, "[kk 9c]", 2),
        ("discard", 1, "", 0),
        ("robbed_promoted_kong", 1, "", 0),
    ],
)
def test_c53_self_draw_points_for_every_self_draw_but_the_last_live_tile(source, live, kongs, points):
    hand = f"{kongs} 4b 5b 6b 2c 3c 4c 7d 8d 5c 5c" if kongs else HAND
    scored = classical(hand, "9d", source=source, live=live)
    assert scored.awards["winning"] == 10
    assert scored.awards.get("self_draw", 0) == points


def test_c53_self_draw_points_for_the_dealt_tile():
    """Before any discard East has a limit hand anyway, so the points can never show."""
    scored = classical("1b 2b 3b 4b 5b 6b 2c 3c 4c 7d 8d 5c 5c", "9d", source="dealt", wind="E", discards=0)
    assert scored.hand()["items"] == []


@pytest.mark.parametrize(
    ("rest", "tile", "pair", "major"),
    [("7d 8d 9d 5c", "5c", 2, 0), ("7d 8d 9d N", "N", 2, 2), ("6d 7d 8d 9d", "9d", 2, 2), ("7d 8d 5c 5c", "9d", 0, 0)],
)
def test_c53_pair_completed_and_pair_completed_major(rest, tile, pair, major):
    scored = classical(f"(1b 2b 3b) 4b 5b 6b 2c 3c 4c {rest}", tile)
    assert scored.awards.get("pair_completed", 0) == pair
    assert scored.awards.get("pair_completed_major", 0) == major


def test_c54_one_chance_is_given_if_only_one_kind_completes():
    assert classical("(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 9d 5c 5c", "8d").awards["one_chance"] == 2


def test_c54_one_chance_is_not_given_for_a_two_sided_wait():
    assert "one_chance" not in classical(HAND, "9d").awards


def test_c54_one_chance_strikes_out_kinds_with_four_visible_copies():
    assert classical(HAND, "9d", ponds="6d 6d 6d 6d").awards["one_chance"] == 2
    assert classical(HAND, "9d", ponds="6d 6d 6d").awards.get("one_chance", 0) == 0


@pytest.mark.parametrize("meld", ["(6d 6d 6d)", "(pk 6d)", "(ck 6d)", "[kk 6d]"])
def test_c54_tiles_of_every_seats_melds_are_visible(meld):
    ponds = "" if "k" in meld else "6d"
    assert classical(HAND, "9d", ponds=ponds, others={"W": meld}).awards["one_chance"] == 2


def test_c54_chows_of_several_seats_and_ponds_add_up():
    others = {"E": "(6d 7d 8d)", "W": "(4d 5d 6d)", "N": "(5d 6d 7d)"}
    assert classical(HAND, "9d", ponds="6d", others=others).awards["one_chance"] == 2
    assert "one_chance" not in classical(HAND, "9d", others=others).awards


def test_c54_concealed_tiles_of_other_seats_strike_out_nothing():
    assert "one_chance" not in classical(HAND, "9d", others={"W": "6d 6d 6d 6d"}).awards


def test_c54_four_copies_among_the_winners_own_concealed_tiles_strike_out_nothing():
    """2d 2d 2d 2d 3d 3d 4d 4d wait for 5d, and for a fifth 2d."""
    hand = "(6c 6c 6c) 7b 7b 2d 2d 2d 2d 3d 3d 4d 4d"
    assert "one_chance" not in classical(hand, "5d").awards


def test_c54_four_copies_in_the_winners_own_melds_are_visible():
    """1b 2b wait for 3b only; 4b 5b wait for 3b and for 6b, all of which lie in the winner's kong."""
    assert classical("(ck 6b) 4b 5b 9c 9c 1d 2d 3d 5d 6d 7d", "3b").awards["one_chance"] == 2
    assert "one_chance" not in classical("(6b 6b 6b) 4b 5b 9c 9c 1d 2d 3d 5d 6d 7d", "3b").awards


def test_c54_the_kind_of_the_winning_tile_is_never_struck_out():
    assert classical("(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 9d 5c 5c", "8d", ponds="8d 8d 8d").awards["one_chance"] == 2


def test_c54_every_arrangement_is_looked_at():
    """2b 2b 2b 3b wait for 1b, 3b and 4b."""
    hand = "(1d 2d 3d) (4d 5d 6d) (7c 8c 9c) 2b 2b 2b 3b"
    assert "one_chance" not in classical(hand, "3b", ponds="1b 1b 1b 1b").awards
    assert classical(hand, "3b", ponds="1b 1b 1b 1b 4b 4b 4b 4b").awards["one_chance"] == 2
