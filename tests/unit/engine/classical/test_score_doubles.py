"""Doubles of every seat and of the winner, each with a hand that has it and one that just misses it (C55 to C57)."""

import pytest

from tests.unit.engine.scoring import classical

PLAIN = "1b 2b 3b 4b 5b 6b 7b 8b 9b 6d 7d 8d 5c"
"""Wins on 5c and leaves most honours to the others."""

OF_EVERY_SEAT = [
    # award, doubles, tiles that have it, tiles that miss it (both of South, in the East round)
    ("dragon_group", 1, "(R R R)", "R R"),
    ("dragon_group", 2, "(R R R) [kk G]", "G G"),
    ("seat_wind", 1, "(S S S)", "(W W W)"),
    ("round_wind", 1, "E E E", "(N N N) E E"),
    ("three_concealed_triplets", 1, "2c 2c 2c 4c 4c 4c (ck 6c)", "2c 2c 2c 4c 4c 4c (pk 6c)"),
    ("three_concealed_triplets", 1, "2c 2c 2c [kk 4c] (ck 6c) [kk 8c]", "2c 2c 2c [kk 4c] (6c 6c 6c) (8c 8c 8c)"),
    ("little_three_dragons", 3, "(R R R) G G G P P", "(R R R) G G G P"),
    ("big_three_dragons", 5, "(R R R) G G G (pk P)", "(R R R) G G P P P"),
    ("little_four_winds", 1, "(E E E) (S S S) W W W N N", "(E E E) (S S S) W W N N"),
    ("four_winds", 4, "(E E E) (S S S) W W W (ck N)", "(E E E) (S S S) W W W N N"),
    ("own_flower_and_season", 1, "| f2 s2", "| f2 s3"),
    ("own_flower_and_season", 1, "| f1 f2 s1 s2", "| f1 s1"),
    ("four_flowers", 1, "| f1 f2 f3 f4", "| f1 f2 f3 s4"),
    ("four_seasons", 1, "| s1 s2 s3 s4", "| f1 s2 s3 s4"),
]


@pytest.mark.parametrize(("award", "doubles", "having", "missing"), OF_EVERY_SEAT)
def test_c55_doubles_of_every_seat(award, doubles, having, missing):
    with_it = classical(PLAIN, "5c", wind="W", others={"S": having})
    without = classical(PLAIN, "5c", wind="W", others={"S": missing})
    assert with_it.awards_of("S")[award] == doubles
    assert without.awards_of("S").get(award) != doubles


@pytest.mark.parametrize(
    ("award", "doubles", "having", "missing"),
    [
        ("dragon_group", 1, "(R R R) 2b 3b 5c 6c 7c 2d 3d 4d 8c 8c", "(9c 9c 9c) 2b 3b 5c 6c 7c 2d 3d 4d 8c 8c"),
        ("dragon_group", 2, "(R R R) (G G G) 2b 3b 5c 6c 7c 8c 8c", "(R R R) (G G G) 2b 3b 5c 6c 7c P P"),
        ("seat_wind", 1, "(S S S) 2b 3b 5c 6c 7c 2d 3d 4d 8c 8c", "(W W W) 2b 3b 5c 6c 7c 2d 3d 4d 8c 8c"),
        ("round_wind", 1, "E E E 2b 3b 5c 6c 7c 2d 3d 4d 8c 8c", "N N N 2b 3b 5c 6c 7c 2d 3d 4d E E"),
        ("little_three_dragons", 3, "(R R R) G G G 2b 3b 5c 6c 7c P P", "(R R R) G G G 2b 3b 5c 6c 7c 8c 8c"),
        ("big_three_dragons", 5, "(R R R) G G G 2b 3b P P P 8c 8c", "(R R R) G G G 2b 3b 9c 9c 9c P P"),
        ("little_four_winds", 1, "(E E E) (S S S) W W W 2b 3b N N", "(E E E) (S S S) W W W 2b 3b 8c 8c"),
    ],
)
def test_c55_doubles_of_the_winner(award, doubles, having, missing):
    assert classical(having, "4b").awards[award] == doubles
    assert classical(missing, "4b").awards.get(award) != doubles


@pytest.mark.parametrize(
    ("award", "having", "missing"),
    [
        ("own_flower_and_season", "f2 s2", "f3 s2"),
        ("four_flowers", "f1 f2 f3 f4", "f1 f2 f3"),
        ("four_seasons", "s1 s2 s3 s4", "s1 s2 s4"),
    ],
)
def test_c55_doubles_of_the_winner_for_bonus_tiles(award, having, missing):
    hand = "2b 3b 5c 6c 7c 2d 3d 4d 6d 7d 8d 8c 8c"
    assert classical(f"{hand} | {having}", "4b").awards[award] == 1
    assert award not in classical(f"{hand} | {missing}", "4b").awards


def test_c55_the_same_triplet_may_be_seat_wind_and_round_wind():
    awards = classical("(S S S) 2b 3b 5c 6c 7c 2d 3d 4d 8c 8c", "4b", round_wind="S").awards
    assert (awards["seat_wind"], awards["round_wind"]) == (1, 1)


@pytest.mark.parametrize("dragons", ["(R R R) G G G P P", "(R R R) G G G (pk P)"])
def test_c55_patterns_of_dragons_exclude_dragon_group(dragons):
    awards = classical(PLAIN, "5c", wind="W", others={"S": dragons}).awards_of("S")
    assert "dragon_group" not in awards
    assert ("little_three_dragons" in awards) != ("big_three_dragons" in awards)


def test_c55_little_four_winds_excludes_neither_seat_wind_nor_round_wind():
    awards = classical(PLAIN, "5c", wind="W", others={"S": "(E E E) (S S S) (W W W) N N"}).awards_of("S")
    assert (awards["little_four_winds"], awards["seat_wind"], awards["round_wind"]) == (1, 1, 1)


def test_c55_four_winds_of_a_non_winner_exclude_seat_wind_and_round_wind():
    scored = classical(PLAIN, "5c", wind="W", others={"S": "(E E E) (S S S) (W W W) (N N N) 5d"})
    assert scored.awards_of("S") == {"group": 16, "four_winds": 4}
    assert scored.value_of("S") == 256


def test_c55_all_bonus_tiles_earn_all_three_doubles():
    scored = classical(PLAIN, "5c", wind="W", others={"S": "| f1 f2 f3 f4 s1 s2 s3 s4"})
    assert scored.awards_of("S") == {
        "bonus_tiles": 32, "own_flower_and_season": 1, "four_flowers": 1, "four_seasons": 1,
    }  # fmt: skip


def test_c55_a_pair_of_one_dragon_beside_a_single_triplet_is_no_pattern():
    scored = classical(PLAIN, "5c", wind="W", others={"S": "R R R G G P P"})
    assert scored.awards_of("S") == {"group": 8, "pair": 4, "dragon_group": 1}


BY_TILES = [
    # award, doubles, tiles that have it, tiles that miss it, winning tile
    ("all_chows", 1, "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d 5c 5c", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d S S", "9d"),
    ("all_chows", 1, "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "(1b 1b 1b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d"),
    ("all_pungs", 1, "(2b 2b 2b) (3c 3c 3c) (ck 7d) 8c 8c 5b 5b", "(2b 2b 2b) (3c 3c 3c) (ck 7d) 6c 7c 5b 5b", "8c"),
    ("terminals_and_honours", 1, "(1b 1b 1b) 9c 9c 9c E E E N N 9d 9d", "(2b 2b 2b) 9c 9c 9c E E E N N 9d 9d", "9d"),
    ("one_suit_with_honours", 1, "(1b 2b 3b) 4b 5b 6b 2b 3b N N R R R", "(1c 2c 3c) 4b 5b 6b 2b 3b N N R R R", "4b"),
    ("pure_suit", 3, "(1b 2b 3b) 4b 5b 6b 7b 8b 9b 2b 3b 8b 8b", "(1b 2b 3b) 4b 5b 6b 7b 8b 9b 2b 3b N N", "4b"),
]  # fmt: skip


@pytest.mark.parametrize(("award", "doubles", "having", "missing", "tile"), BY_TILES)
def test_c56_doubles_for_sets_and_tiles(award, doubles, having, missing, tile):
    assert classical(having, tile).awards[award] == doubles
    assert award not in classical(missing, tile).awards


def test_c56_all_chows_do_not_mind_other_points():
    scored = classical("1b 2b 3b 4b 5b 6b 2c 3c 4c 7d 9d N N | f1", "8d", source="live_wall")
    assert scored.awards == {
        "winning": 10, "self_draw": 2, "one_chance": 2, "bonus_tiles": 4, "all_chows": 1, "concealed_self_draw": 1,
    }  # fmt: skip


def test_c56_all_pungs_and_three_concealed_triplets_add_up():
    scored = classical("2b 2b 2b 3c 3c 3c 7d 7d 7d 8c 8c 5b 5b", "8c")
    assert (scored.awards["all_pungs"], scored.awards["three_concealed_triplets"]) == (1, 1)


def test_c56_pure_suit_excludes_one_suit_with_honours():
    scored = classical("(1b 2b 3b) 4b 5b 6b 7b 8b 9b 2b 3b 8b 8b", "4b")
    assert "one_suit_with_honours" not in scored.awards


@pytest.mark.parametrize(
    ("melds", "source", "is_given"),
    [
        ("", "live_wall", True),
        ("", "discard", False),
        ("[kk 9c]", "live_wall", True),
        ("(ck 9c)", "kong_replacement", True),
        ("(pk 9c)", "live_wall", False),
        ("(9c 9c 9c)", "live_wall", False),
        ("(7c 8c 9c)", "live_wall", False),
    ],
)
def test_c56_concealed_self_draw(melds, source, is_given):
    scored = classical(f"{melds or '1d 2d 3d'} 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", source=source)
    assert ("concealed_self_draw" in scored.awards) == is_given


def test_c56_original_call():
    hand = "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N"
    assert classical(hand, "9d", call=True).awards["original_call"] == 1
    assert "original_call" not in classical(hand, "9d").awards


WAYS = {"last_live_tile", "last_discard", "kong_replacement", "robbing_a_kong"}


@pytest.mark.parametrize(
    ("source", "live", "way"),
    [
        ("live_wall", 0, "last_live_tile"),
        ("live_wall", 1, None),
        ("discard", 0, "last_discard"),
        ("discard", 1, None),
        ("kong_replacement", 0, "kong_replacement"),
        ("kong_replacement", 1, "kong_replacement"),
        ("robbed_promoted_kong", 0, "robbing_a_kong"),
        ("robbed_promoted_kong", 1, "robbing_a_kong"),
    ],
)
def test_c57_ways_of_winning_exclude_one_another_by_their_sources(source, live, way):
    scored = classical("(ck 9c) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", source=source, live=live)
    assert WAYS & set(scored.awards) == ({way} if way else set())


def test_c57_a_live_tile_in_place_of_a_bonus_tile_from_the_kong_box_is_no_kong_replacement():
    scored = classical("[kk 9c] 4b 5b 6b 2c 3c 4c 7d 8d N N | f1", "9d", source="live_wall", kongs=1)
    assert not WAYS & set(scored.awards)


def test_c57_whatever_is_not_excluded_adds_up():
    scored = classical("(R R R) (S S S) 9c 9c 9c E E E N", "N", live=0, call=True)
    assert scored.awards == {
        "winning": 10, "group": 24, "pair_completed": 2, "pair_completed_major": 2, "one_chance": 2,
        "dragon_group": 1, "seat_wind": 1, "round_wind": 1, "all_pungs": 1, "terminals_and_honours": 1,
        "one_suit_with_honours": 1, "last_discard": 1, "original_call": 1,
    }  # fmt: skip
