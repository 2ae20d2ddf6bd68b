"""What a value is, how sets count and what a non-winner has (C48 to C51)."""

import pytest

from tests.unit.engine.scoring import classical

PLAIN = "1b 2b 3b 4b 5b 6b 7b 8b 9b 6d 7d 8d 5c"
"""A hand that wins on 5c; three others may have what they like of the rest."""


def test_c48_a_value_is_the_points_doubled_for_each_double():
    scored = classical("(R R R) (G G G) 2b 3b 4b 5c 6c 9d 9d", "7c")
    assert scored.awards == {"winning": 10, "group": 8, "dragon_group": 2}
    assert scored.value == 18 * 2 * 2


def test_c48_a_winners_value_is_capped_and_its_items_stay():
    scored = classical("[kk R] [kk G] 2b 3b 4b 5c 6c 9d 9d", "7c", wind="E", source="live_wall", call=True)
    assert scored.awards == {
        "winning": 10, "self_draw": 2, "group": 64, "dragon_group": 2, "concealed_self_draw": 1, "original_call": 1,
    }  # fmt: skip
    assert 76 * 2**4 > 1_000
    assert (scored.value, scored.limit) == (1_000, set())


def test_c48_the_cap_holds_for_non_winners_too():
    scored = classical(PLAIN, "5c", others={"W": "[kk R] [kk G] (P P P) 9d 9d 9d"})
    assert scored.awards_of("W") == {"group": 76, "big_three_dragons": 5, "three_concealed_triplets": 1}
    assert scored.value_of("W") == 1_000


def test_c48_the_cap_comes_before_the_doubling_of_east():
    scored = classical("1b 9b 1c 9c 1d 9d E S W N R G P", "P", wind="E")
    assert (scored.value, scored.changes) == (1_000, [6_000, -2_000, -2_000, -2_000])


def test_c48_a_limit_hand_has_no_points_or_doubles():
    scored = classical("(E E E) (S S S) R R R G G P P", "P")
    assert scored.hand() == {"seat": 1, "value": 1_000, "items": [], "limit": ["all_honours"]}


def test_c49_the_arrangement_of_the_highest_value_counts():
    scored = classical("2b 2b 2b 3b 3b 3b 4b 4b 4b 7c 7c 4d 6d", "5d")
    assert scored.awards["three_concealed_triplets"] == 1
    assert scored.awards["group"] == 12


def test_c49_chows_are_taken_where_they_are_worth_more_than_pungs():
    scored = classical("(1c 2c 3c) 2b 2b 2b 3b 3b 3b 4b 4b 7c 7c", "4b")
    pungs = (10 + 4 + 4 + 2) * 1
    chows = 10 * 2
    assert pungs == chows == scored.value  # the third pung is exposed, so nothing is gained by it
    with_bonus = classical("(1c 2c 3c) 2b 2b 2b 3b 3b 3b 4b 4b 7c 7c | f1 f3", "4b")
    assert with_bonus.awards == {"winning": 10, "bonus_tiles": 8, "all_chows": 1}


def test_c49_the_winning_tile_is_tried_in_every_set_and_in_the_pair():
    scored = classical("(R R R) 1d 2d 3d 7b 8b 9b 3b 4b 5b 5b", "5b")
    assert scored.awards["pair_completed"] == 2


def test_c49_the_winning_tile_completes_a_chow_rather_than_a_concealed_pung():
    scored = classical("(N N N) 5b 5b 5b 3b 4b 9c 9c 1d 2d 3d", "5b")
    assert scored.awards["group"] == 4 + 4


def test_c49_a_limit_reason_of_any_arrangement_makes_a_limit_hand():
    scored = classical("2b 2b 2b 3b 3b 3b 4b 4b 4b 9d 9d 9d R", "R", source="live_wall")
    assert scored.limit == {"four_concealed_triplets"}


def test_c49_all_limit_reasons_are_listed():
    scored = classical("1c 1c 1c 2c 3c 4c 5c 6c 7c 8c 9c 9c 9c", "5c", source="dealt", wind="E", discards=0)
    assert scored.limit == {"nine_gates", "concealed_one_suit_self_draw", "east_before_first_discard"}


SETS = [
    # a third set, source and winning tile; its points; whether it counts concealed for triplets, and for the hand
    ("6d 6d 6d 2c 3c", "live_wall", "4c", 4, True, True),
    ("6d 6d 2c 3c 4c", "live_wall", "6d", 4, True, True),
    ("6d 6d 2c 3c 4c", "discard", "6d", 2, False, False),
    ("(6d 6d 6d) 2c 3c", "live_wall", "4c", 2, False, False),
    ("(pk 6d) 2c 3c", "live_wall", "4c", 8, False, False),
    ("(ck 6d) 2c 3c", "live_wall", "4c", 8, True, True),
    ("[kk 6d] 2c 3c", "live_wall", "4c", 16, True, True),
]


@pytest.mark.parametrize(("third", "source", "tile", "points", "is_triplet", "is_concealed"), SETS)
def test_c50_how_pungs_and_kongs_count(third, source, tile, points, is_triplet, is_concealed):
    scored = classical(f"{third} 2b 2b 2b 4b 4b 4b 9c 9c", tile, source=source)
    assert scored.awards["group"] == 4 + 4 + points
    assert ("three_concealed_triplets" in scored.awards) == is_triplet
    assert ("concealed_self_draw" in scored.awards) == is_concealed


def test_c50_a_chow_melded_by_a_claim_leaves_pungs_concealed_but_not_the_hand():
    scored = classical("(2c 3c 4c) 6d 6d 6d 2b 2b 2b 4b 4b 4b 9c", "9c", source="live_wall")
    assert "three_concealed_triplets" in scored.awards
    assert "concealed_self_draw" not in scored.awards


def test_c50_a_discard_that_completes_a_chow_leaves_pungs_concealed():
    scored = classical("2c 3c 6d 6d 6d 2b 2b 2b 4b 4b 4b 9c 9c", "4c")
    assert scored.awards["group"] == 12
    assert "three_concealed_triplets" in scored.awards


def test_c50_four_alike_that_were_not_declared_are_no_kong():
    scored = classical("(5d 6d 7d) 3b 3b 3b 3b 4b 5b 9c 9c 9c 9d", "9d", others={"W": "G G G G"})
    assert scored.awards["group"] == 4 + 8
    assert scored.awards_of("W") == {"group": 8, "dragon_group": 1}


def test_c51_melds_of_a_non_winner_count_as_they_lie():
    scored = classical(PLAIN, "5c", others={"W": "(6d 7d 8d) (2c 2c 2c) (pk 4c) [kk G] 3d"})
    assert scored.awards_of("W") == {"group": 2 + 8 + 32, "dragon_group": 1}


def test_c51_three_or_four_alike_are_a_concealed_pung_and_two_alike_a_pair():
    scored = classical(PLAIN, "5c", others={"W": "2c 2c 2c 4c 4c 4c 4c R R W W E 9d"})
    assert scored.answer["hands"][2]["items"] == [
        {"award": "group", "points": 4, "tiles": ["2c"] * 3},
        {"award": "group", "points": 4, "tiles": ["4c"] * 3},
        {"award": "pair", "points": 2, "tiles": ["W", "W"]},
        {"award": "pair", "points": 2, "tiles": ["R", "R"]},
    ]


def test_c51_runs_among_the_concealed_tiles_of_a_non_winner_take_nothing_away():
    scored = classical(PLAIN, "5c", others={"W": "2c 2c 2c 3c 4c 3d 3d 4d 5d 9d"})
    assert scored.awards_of("W") == {"group": 4}


@pytest.mark.parametrize("tiles", ["G G G G R R R R P P P P E E", "G G G", ""])
def test_c51_all_concealed_tiles_count_whatever_their_number(tiles):
    scored = classical(PLAIN, "5c", others={"E": tiles})
    groups = len({tile for tile in tiles.split() if tile != "E"})
    assert scored.awards_of("E").get("group", 0) == 8 * groups
    assert scored.awards_of("E").get("pair", 0) == (4 if "E" in tiles else 0)


def test_c51_a_non_winner_has_no_awards_of_the_winner():
    scored = classical(PLAIN, "5c", others={"W": "2c 2c 2c 4c 4c 4c 6c 6c 6c 3c 3c 3c 9d"})
    assert scored.awards_of("W") == {"group": 16, "three_concealed_triplets": 1}
