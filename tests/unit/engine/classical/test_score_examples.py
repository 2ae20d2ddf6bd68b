"""The worked examples of docs/rules/classical.md, section 17, with their exact numbers."""

import pytest

from tests.unit.engine.scoring import classical


def test_ec1_a_whole_settlement():
    scored = classical(
        "(N N N) (R R R) 2b 3b 4b 8b 8b 5b 5b | f1",
        "5b",
        wind="N",
        giver="S",
        others={
            "S": "[kk 9c] 1d 1d 1d P P 2b 3b 5c 6d 8d | f3",
            "W": "9b 9b 9b 1c 2c 4c 5d 6d 7d 3b 4b 5b 7b | s1",
            "E": "G G 1c 2c 4c 5c 6d 7d 3b 4b 6b 7b 8b",
        },
    )
    assert scored.awards == {
        "winning": 10, "group": 10, "bonus_tiles": 4, "seat_wind": 1, "dragon_group": 1, "one_suit_with_honours": 1,
    }  # fmt: skip
    assert scored.awards_of("S") == {"group": 40, "pair": 2, "bonus_tiles": 4}
    assert scored.awards_of("W") == {"group": 8, "bonus_tiles": 4}
    assert scored.awards_of("E") == {"pair": 2}
    assert scored.answer["values"] == [2, 46, 12, 192]
    assert scored.changes == [-492, -70, -206, 768]


@pytest.mark.parametrize(
    ("live", "points", "value"),
    [(0, {"one_chance": 2, "last_live_tile": 1}, 96), (1, {"one_chance": 2, "self_draw": 2}, 56)],
)
def test_ec2_last_live_tile(live, points, value):
    scored = classical("1b 2b 4c 5c 6c 7c 8c 9c 2d 3d 4d 7d 7d", "3b", source="live_wall", wind="W", live=live)
    assert scored.awards == {"winning": 10, "all_chows": 1, "concealed_self_draw": 1, **points}
    assert scored.value == value


def test_ec3_pair_of_the_double_wind():
    scored = classical("(1c 2c 3c) (4d 5d 6d) (9d 9d 9d) 7b 7b 7b E", "E", wind="E")
    assert scored.awards == {
        "winning": 10, "group": 8, "pair": 4, "pair_completed": 2, "pair_completed_major": 2, "one_chance": 2,
    }  # fmt: skip
    assert scored.value == 28
    assert scored.changes == [168, -56, -56, -56]


@pytest.mark.parametrize(
    ("kong", "source", "value", "doubles"),
    [
        ("(ck 6c)", "live_wall", 136, {"three_concealed_triplets": 1, "concealed_self_draw": 1}),
        ("(pk 6c)", "live_wall", 34, {}),
        ("[kk 6c]", "live_wall", 168, {"three_concealed_triplets": 1, "concealed_self_draw": 1}),
        ("(ck 6c)", "discard", 64, {"three_concealed_triplets": 1}),
    ],
)
def test_ec4_three_kinds_of_kong(kong, source, value, doubles):
    scored = classical(f"{kong} 2d 2d 2d 9b 9b 9b 3b 4b R R", "5b", source=source, round_wind="W")
    self_draw = {"self_draw": 2} if source == "live_wall" else {}
    group = 28 if kong.startswith("[") else 20
    assert scored.awards == {"winning": 10, "group": group, "pair": 2, **self_draw, **doubles}
    assert scored.value == value


def test_ec6_little_three_dragons():
    scored = classical("(R R R) (1d 2d 3d) (4c 5c 6c) G G G P", "P", wind="W")
    assert scored.awards == {
        "winning": 10, "group": 12, "pair": 2, "pair_completed": 2, "pair_completed_major": 2, "one_chance": 2,
        "little_three_dragons": 3,
    }  # fmt: skip
    assert scored.value == 240


def test_ec6_big_three_dragons_are_capped_and_no_limit_hand():
    scored = classical("(pk P) (G G G) R R R 1d 2d 3d 6c", "6c", wind="W")
    assert scored.awards == {
        "winning": 10, "group": 28, "pair_completed": 2, "one_chance": 2, "big_three_dragons": 5,
    }  # fmt: skip
    assert (scored.value, scored.limit) == (1_000, set())


def test_ec8_kong_claimed_on_a_last_discard():
    scored = classical(
        "(4b 5b 6b) (W W W) (ck 3d) 7c 8c 9c 2b",
        "2b",
        source="kong_replacement",
        wind="W",
        round_wind="S",
        live=0,
        kongs=1,
    )
    assert scored.awards == {
        "winning": 10, "self_draw": 2, "group": 12, "pair_completed": 2, "one_chance": 2, "seat_wind": 1,
        "kong_replacement": 1,
    }  # fmt: skip
    assert scored.value == 112


def test_ec9_bonus_tiles_of_a_non_winner():
    scored = classical(
        "1b 2b 3b 4b 5b 6b 7b 8b 9b 6d 7d 8d R",
        "R",
        wind="W",
        others={"S": "(1c 2c 3c) (4d 5d 6d) 5c 5c 5c S S 2b 8d | f2 s1 s2 s3 s4"},
    )
    assert scored.awards_of("S") == {
        "bonus_tiles": 20, "group": 4, "pair": 2, "own_flower_and_season": 1, "four_seasons": 1,
    }  # fmt: skip
    assert scored.value_of("S") == 104


@pytest.mark.parametrize(("ponds", "value"), [("4b 4b 4b", 20), ("4b 4b", 18)])
def test_ec14_one_chance_by_visible_tiles(ponds, value):
    scored = classical(
        "(1d 2d 3d) (4c 5c 6c) 9c 9c 9c 5d 5d 2b 3b", "1b", ponds=ponds, others={"N": "(4b 5b 6b) 1c 1d"}
    )
    assert scored.value == value
    assert scored.awards.get("one_chance", 0) == value - 18
