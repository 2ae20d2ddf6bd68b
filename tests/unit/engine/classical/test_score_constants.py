"""One test per named constant of docs/rules/classical.md, section 16, that concerns scoring."""

import pytest

from mahjong_engine.classical import constants
from tests.unit.engine.scoring import classical

HAND = "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N"
OPEN_KONG = "(ck 9c) 4b 5b 6b 2c 3c 4c 7d 8d N N"


def test_last_discard_is_any_on_empty_wall():
    assert constants.LAST_DISCARD_IS_ANY_ON_EMPTY_WALL is True
    assert "last_discard" in classical(HAND, "9d", live=0).awards


def test_last_live_tile_covers_kong_replacement():
    assert constants.LAST_LIVE_TILE_COVERS_KONG_REPLACEMENT is False
    awards = classical(OPEN_KONG, "9d", source="kong_replacement", live=0).awards
    assert "last_live_tile" not in awards
    assert "self_draw" in awards


def test_self_draw_points_on_kong_replacement():
    assert constants.SELF_DRAW_POINTS_ON_KONG_REPLACEMENT == 2
    assert classical(OPEN_KONG, "9d", source="kong_replacement").awards["self_draw"] == 2


def test_one_chance_counts_concealed_kongs():
    assert constants.ONE_CHANCE_COUNTS_CONCEALED_KONGS is True
    assert "one_chance" in classical(HAND, "9d", others={"W": "[kk 6d]"}).awards


def test_one_chance_own_concealed_strike_out():
    assert constants.ONE_CHANCE_OWN_CONCEALED_STRIKE_OUT is False
    assert "one_chance" not in classical("(6c 6c 6c) 7b 7b 2d 2d 2d 2d 3d 3d 4d 4d", "5d").awards


def test_one_chance_judged_at():
    """A discard that was claimed for a meld counts with the meld; what lies in the ponds at the win counts."""
    assert constants.ONE_CHANCE_JUDGED_AT == "win"
    assert "one_chance" in classical(HAND, "9d", ponds="6d", others={"W": "(6d 6d 6d)"}).awards


def test_arrangement_choice():
    assert constants.ARRANGEMENT_CHOICE is max
    assert classical("2b 2b 2b 3b 3b 3b 4b 4b 4b 7c 7c 4d 6d", "5d").value == (10 + 12 + 2) * 2


@pytest.mark.parametrize("source", ["discard", "live_wall", "kong_replacement", "robbed_promoted_kong"])
def test_ways_of_winning_exclusive(source):
    assert constants.WAYS_OF_WINNING_EXCLUSIVE is True
    ways = {"last_live_tile", "last_discard", "kong_replacement", "robbing_a_kong"}
    assert len(ways & set(classical(OPEN_KONG, "9d", source=source, live=0).awards)) == 1


def test_cap_holds_for_non_winners():
    assert constants.CAP_HOLDS_FOR_NON_WINNERS is True
    assert classical(HAND, "9d", others={"W": "[kk R] [kk G] [kk P] [kk E]"}).value_of("W") == 1_000


def test_nine_gates_needs_nine_waits():
    assert constants.NINE_GATES_NEEDS_NINE_WAITS is True
    assert "nine_gates" not in classical("1c 1c 1c 2c 3c 4c 5c 5c 6c 7c 8c 9c 9c", "9c").limit


def test_all_green_needs_dragon():
    assert constants.ALL_GREEN_NEEDS_DRAGON is False
    assert classical("(2b 3b 4b) (2b 3b 4b) 6b 6b 6b 8b 8b 4b 4b", "8b").limit == {"all_green"}


def test_consecutive_kongs_min():
    assert constants.CONSECUTIVE_KONGS_MIN == 2
    hand = "(ck 9c) [kk 8c] 2c 3c 4c 7d 8d N N"
    assert "consecutive_kongs" in classical(hand, "9d", source="kong_replacement", kongs=2).limit
    assert "consecutive_kongs" not in classical(hand, "9d", source="kong_replacement", kongs=1).limit


@pytest.mark.parametrize(("wins_before", "is_limit"), [(11, False), (12, True), (13, False), (25, False)])
def test_dealer_streak_win(wins_before, is_limit):
    assert constants.DEALER_STREAK_WIN == 13
    assert bool(classical(HAND, "9d", wind="E", dealer_wins=wins_before).limit) == is_limit
