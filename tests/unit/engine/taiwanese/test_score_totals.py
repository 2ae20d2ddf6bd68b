"""What a total is, how sets count and what the wait is (T51 to T54)."""

import pytest

from tests.unit.engine.scoring import taiwanese

OPEN = "(1b 2b 3b) (5c 6c 7c) 2c 3c 4c 6d 7d 8d {} | f1"
"""Three open or concealed chows of no pattern; four tiles are left open."""


def test_t51_a_total_is_the_sum_of_its_tai_without_doubles_or_cap():
    scored = taiwanese("(ck E) (ck S) (ck W) [kk N] [kk R] G | f1", "G", source="live_wall", live=0)
    assert scored.value == sum(scored.awards.values())
    assert scored.hand()["limit"] == []


def test_t51_no_total_is_capped():
    hand = "1b 1b 1b 2b 2b 2b 3b 3b 3b 5b 5b 5b 9b 9b 9b 7b"
    scored = taiwanese(hand, "7b", source="dealt", wind="E", discards=0)
    assert scored.value == 2 + 3 + 40 + 40 + 10 + 3 + 1 + 40
    assert scored.value == sum(scored.awards.values())


def test_t51_non_winners_score_nothing():
    scored = taiwanese(OPEN.format("3d 4d N N"), "5d", others={"W": "(R R R) (G G G) (P P P) 9d 9d 9d | s1"})
    assert [hand["seat"] for hand in scored.answer["hands"]] == [1]
    assert scored.answer["values"] == [0, scored.value, 0, 0]


def test_t52_the_arrangement_of_the_highest_total_counts():
    """2b 2b 2b 3b 3b 3b 4b 4b 4b as three pungs."""
    scored = taiwanese("(1c 2c 3c) 2b 2b 2b 3b 3b 3b 4b 4b 4b 7d 8d N N", "9d")
    assert scored.awards["three_concealed_triplets"] == 5


def test_t52_the_same_tiles_as_three_chows_if_that_is_worth_more():
    scored = taiwanese("(1c 2c 3c) (4d 5d 6d) 2b 2b 3b 3b 3b 4b 4b 4b 8d 8d", "2b")
    assert scored.awards["all_chows_no_honours_no_flowers"] == 10


def test_t52_every_place_of_the_winning_tile_is_tried():
    """In 5d 6d 7d the 6d is a closed wait, in 6d 7d 8d it is none."""
    scored = taiwanese("(1b 2b 3b) (5c 6c 7c) 2c 3c 4c 5d 7d 7d 8d 6d N N | f1", "6d")
    assert scored.awards["edge_or_closed_wait"] == 1


def test_t52_a_place_that_keeps_the_straight_concealed_is_worth_more_than_a_wait():
    """The 5c completes the second 456 rather than the only one; the first stays concealed."""
    scored = taiwanese("1c 2c 3c 4c 5c 6c 7c 8c 9c 4c 6c 2d 3d 4d N N | f1", "5c")
    assert scored.awards["concealed_straight"] == 10
    assert scored.awards["edge_or_closed_wait"] == 1


def test_t52_seven_pairs_and_a_triplet_is_tried_beside_the_normal_shape():
    """2b 2b 3b 3b 4b 4b 6b 6b 7b 7b 8b 8b N N R R R fits both shapes."""
    scored = taiwanese("2b 2b 3b 3b 4b 4b 6b 6b 7b 7b 8b 8b N N R R", "R", source="live_wall")
    assert "seven_pairs_and_triplet" in scored.awards


def test_t52_the_normal_shape_counts_where_it_is_worth_more():
    """Two arrangements of one suit: five chows with a straight, and seven pairs with one triplet."""
    scored = taiwanese("2c 2c 2c 2c 3c 3c 3c 3c 4c 4c 4c 4c 6c 6c 7c 7c", "6c", source="live_wall")
    assert scored.awards["seven_pairs_and_triplet"] == 30
    normal = taiwanese("2c 2c 2c 3c 3c 3c 4c 4c 4c 6c 6c 6c 7c 7c 8c 8c", "8c", source="live_wall")
    assert "seven_pairs_and_triplet" not in normal.awards
    assert normal.awards["five_concealed_triplets" if "all_pungs" in normal.awards else "full_flush"] == 40


CONCEALED = [
    # the tiles of one set and a pair, winning tile, source, concealed triplets beside 2b 2b 2b, concealed hand
    ("6d 6d 6d 8c 8c 3c 4c", "5c", "live_wall", 2, True),
    ("6d 6d 8c 8c 3c 4c 5c", "6d", "live_wall", 2, True),
    ("6d 6d 8c 8c 3c 4c 5c", "6d", "discard", 1, True),
    ("6d 6d 6d 8c 8c 3c 4c", "5c", "discard", 2, True),
    ("6d 6d 6d 8c 3c 4c 5c", "8c", "discard", 2, True),
    ("[kk 6d] 8c 8c 3c 4c", "5c", "discard", 2, True),
    ("(6d 6d 6d) 8c 8c 3c 4c", "5c", "live_wall", 1, False),
    ("(ck 6d) 8c 8c 3c 4c", "5c", "live_wall", 1, False),
    ("(pk 6d) 8c 8c 3c 4c", "5c", "live_wall", 1, False),
]


@pytest.mark.parametrize(("tiles", "tile", "source", "triplets", "is_concealed"), CONCEALED)
def test_t53_how_sets_count(tiles, tile, source, triplets, is_concealed):
    scored = taiwanese(f"{tiles} 2b 2b 2b 4b 5b 6b 2d 3d 4d", tile, source=source)
    assert ("two_concealed_triplets" in scored.awards) == (triplets == 2)
    assert bool({"concealed_hand", "concealed_self_draw"} & set(scored.awards)) == is_concealed


def test_t53_four_alike_that_were_not_declared_are_no_kong():
    scored = taiwanese("(1b 2b 3b) 6d 6d 6d 6d 7d 8d 2c 3c 4c 4b 5b N N", "6b", source="live_wall")
    assert not {"exposed_kong", "concealed_kong"} & set(scored.awards)


WAITS = [
    # the last chow without the winning tile and the pair, winning tile, award
    ("1d 2d N N", "3d", "edge_or_closed_wait"),
    ("8d 9d N N", "7d", "edge_or_closed_wait"),
    ("2d 4d N N", "3d", "edge_or_closed_wait"),
    ("2d 3d N N", "1d", None),
    ("2d 3d N N", "4d", None),
    ("7d 8d N N", "9d", None),
    ("2d 3d 4d N", "N", "pair_wait"),
    ("9d 9d N N", "9d", None),
]


@pytest.mark.parametrize("source", ["discard", "live_wall"])
@pytest.mark.parametrize(("tiles", "tile", "award"), WAITS)
def test_t54_the_wait_is_judged_by_the_place_of_the_winning_tile(tiles, tile, award, source):
    scored = taiwanese(f"(1b 2b 3b) (5c 6c 7c) 2c 3c 4c 4b 5b 6b {tiles}", tile, source=source)
    assert {"edge_or_closed_wait", "pair_wait"} & set(scored.awards) == ({award} if award else set())


def test_t54_other_kinds_that_would_have_completed_do_not_matter():
    """7d 8d 9d 9d: 9d completes the pair as 6d 7d 8d was complete already; 6d would have done too."""
    scored = taiwanese("(1b 2b 3b) (5c 6c 7c) 2c 3c 4c 4b 5b 6b 6d 7d 8d 9d", "9d")
    assert scored.awards["pair_wait"] == 1


def test_t54_a_robbed_tile_can_be_a_closed_wait():
    scored = taiwanese("(1b 2b 3b) (5c 6c 7c) 2c 3c 4c 4b 5b 6b 2d 4d N N", "3d", source="robbed_promoted_kong")
    assert (scored.awards["edge_or_closed_wait"], scored.awards["robbing_a_kong"]) == (1, 1)
