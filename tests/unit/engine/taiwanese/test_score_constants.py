"""One test per named constant of docs/rules/taiwanese.md, section 17, that concerns scoring."""

import pytest

from mahjong_engine.taiwanese import constants
from tests.unit.engine.scoring import taiwanese

OPEN = "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N"
CLOSED = "1b 2b 3b 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N"
PAIRS = "2b 2b 3b 3b 5c 5c 6c 6c 8d 8d R R R N N E"
FIVE = "(1b 2b 3b) (4b 5b 6b) (2c 3c 4c) (5c 6c 7c) {} N"
PUNGS = "2b 2b 2b 4c 4c 4c 7d 7d 7d 8c 8c 8c 3d 3d 3d 5b"


def test_last_tile_covers_last_discard():
    assert constants.LAST_TILE_COVERS_LAST_DISCARD is True
    assert "last_tile" in taiwanese(OPEN, "9d", live=0).awards


@pytest.mark.parametrize("source", ["kong_replacement", "flower_replacement"])
def test_last_tile_covers_replacement(source):
    assert constants.LAST_TILE_COVERS_REPLACEMENT is False
    hand = "(ck 9c) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N | f1"
    assert "last_tile" not in taiwanese(hand, "9d", source=source, live=0).awards


def test_early_win_counts():
    """Claimed discards count, a robbed tile does not: two melds were claimed, and one discard lies in the pond."""
    assert constants.EARLY_WIN_COUNTS == "discard_count"
    hand = "(1b 2b 3b) (4b 5b 6b) 2c 3c 4c 5c 6c 7c 7d 8d N N"
    robbing = taiwanese(hand, "9d", source="robbed_promoted_kong", ponds="E E", discards=5)
    assert robbing.awards["win_within_five_discards"] == 10
    assert "win_within_five_discards" not in taiwanese(hand, "9d", ponds="E E E", discards=6).awards


def test_heavenly_hand_allows():
    assert frozenset({"flowers", "concealed_kongs"}) == constants.HEAVENLY_HAND_ALLOWS
    hand = "[kk 9c] 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N | f1"
    scored = taiwanese(hand, "9d", source="kong_replacement", wind="E", discards=0)
    assert scored.awards["heavenly_hand"] == 40


def test_heavenly_hand_is_self_draw():
    assert constants.HEAVENLY_HAND_IS_SELF_DRAW is True
    assert "concealed_self_draw" in taiwanese(CLOSED, "9d", source="dealt", wind="E", discards=0).awards


def test_original_call_with_earthly_hand():
    assert constants.ORIGINAL_CALL_WITH_EARTHLY_HAND is True
    awards = taiwanese(CLOSED, "9d", giver="E", discards=1, call=True).awards
    assert {"earthly_hand", "original_call"} <= set(awards)


def test_concealed_straight_needs_self_drawn_chows():
    assert constants.CONCEALED_STRAIGHT_NEEDS_SELF_DRAWN_CHOWS is True
    hand = "(R R R) 1c 2c 3c 4c 5c 6c 7c 8c 7d 8d 9d N N"
    assert "straight" in taiwanese(hand, "9c").awards
    assert "concealed_straight" in taiwanese(hand, "9c", source="live_wall").awards


def test_exposed_hand_on_self_draw():
    assert constants.EXPOSED_HAND_ON_SELF_DRAW is True
    assert "exposed_hand" in taiwanese(FIVE.format("(7d 8d 9d)"), "N", source="live_wall").awards


def test_exposed_hand_with_concealed_kong():
    assert constants.EXPOSED_HAND_WITH_CONCEALED_KONG is False
    assert "exposed_hand" not in taiwanese(FIVE.format("[kk 9d]"), "N").awards


def test_half_flush_needs_suit_tile():
    assert constants.HALF_FLUSH_NEEDS_SUIT_TILE is True
    assert "half_flush" not in taiwanese("(E E E) (S S S) W W W R R R G G G P", "P").awards


def test_full_flush_with_no_honours():
    assert constants.FULL_FLUSH_WITH_NO_HONOURS is True
    awards = taiwanese("(1c 1c 1c) 4c 5c 6c 7c 8c 9c 8c 8c 8c 2c 3c 2c 2c | f1", "4c").awards
    assert {"full_flush", "no_honours"} <= set(awards)


def test_concealed_triplets_with_all_pungs():
    assert constants.CONCEALED_TRIPLETS_WITH_ALL_PUNGS is True
    assert {"five_concealed_triplets", "all_pungs"} <= set(taiwanese(PUNGS, "5b").awards)


def test_wind_patterns_with_all_pungs():
    assert constants.WIND_PATTERNS_WITH_ALL_PUNGS is True
    awards = taiwanese("(E E E) (S S S) W W W N N N 9b 9b 5d 5d", "9b").awards
    assert {"big_four_winds", "all_pungs"} <= set(awards)


def test_implied_awards_add():
    """A heavenly hand is always a concealed self-draw, and both count."""
    assert constants.IMPLIED_AWARDS_ADD is True
    awards = taiwanese(CLOSED, "9d", source="dealt", wind="E", discards=0).awards
    assert {"heavenly_hand", "concealed_self_draw"} <= set(awards)


def test_seven_pairs_with_concealed_hand():
    assert constants.SEVEN_PAIRS_WITH_CONCEALED_HAND is True
    assert {"seven_pairs_and_triplet", "concealed_hand"} <= set(taiwanese(PAIRS, "E").awards)


def test_seven_pairs_with_honour_triplet():
    assert constants.SEVEN_PAIRS_WITH_HONOUR_TRIPLET is True
    assert {"seven_pairs_and_triplet", "honour_triplet"} <= set(taiwanese(PAIRS, "E").awards)
