"""The worked examples of docs/rules/taiwanese.md, section 18, with their exact numbers."""

import pytest

from mahjong_engine.case import score_case
from tests.unit.engine.scoring import SEATS, case_of, seat, taiwanese

ET1 = "(1c 2c 3c) (4c 5c 6c) (7c 8c 9c) (2d 3d 4d) 5b 7b N N | f1"
ET2 = "(2b 3b 4b) 1b 1b 1b 5b 5b 5b 9b 9b 9b 7b 8b E E"


def test_et1_twelve_tai():
    scored = taiwanese(ET1, "6b", giver="W")
    assert scored.awards == {"winning": 2, "flowers": 1, "all_chows": 3, "straight": 5, "edge_or_closed_wait": 1}
    assert scored.value == 12
    assert scored.changes == [0, 12, -12, 0]


def test_et1_self_drawn():
    scored = taiwanese(ET1, "6b", source="live_wall")
    assert scored.awards["self_draw"] == 1
    assert scored.changes == [-13, 39, -13, -13]


def test_et1_self_drawn_without_a_wait():
    scored = taiwanese(ET1.replace("5b 7b", "6b 7b"), "8b", source="live_wall")
    assert scored.awards == {"winning": 2, "flowers": 1, "all_chows": 3, "straight": 5, "self_draw": 1}
    assert scored.changes == [-12, 36, -12, -12]


def test_et2_a_second_winner_on_the_same_discard():
    case = case_of("taiwanese", ET1, "6b", giver="N")
    case["seats"][SEATS["W"]] = seat(ET2)
    case["wins"] = [case.pop("win"), {"seat": 2, "tile": "6b", "source": "discard", "from_seat": 3}]
    answer = score_case(case)
    assert answer["values"] == [0, 12, 18, 0]
    assert answer["changes"] == [0, 12, 18, -30]
    assert taiwanese(ET2, "6b").awards == {
        "winning": 2, "no_flowers": 1, "three_concealed_triplets": 5, "half_flush": 10,
    }  # fmt: skip


ET3 = "1c 2c 3c 4c 5c 6c 7c 8c 9c 2d 3d 4d 5b 6b 8d 8d"


def test_et3_all_chows_without_honours_or_flowers():
    scored = taiwanese(ET3, "7b", source="live_wall")
    assert scored.awards == {
        "winning": 2, "all_chows_no_honours_no_flowers": 10, "concealed_straight": 10, "concealed_self_draw": 3,
    }  # fmt: skip
    assert scored.value == 25


def test_et3_with_one_flower():
    scored = taiwanese(f"{ET3} | s2", "7b", source="live_wall")
    assert scored.awards == {
        "winning": 2, "flowers": 1, "all_chows": 3, "no_honours": 1, "concealed_straight": 10,
        "concealed_self_draw": 3,
    }  # fmt: skip
    assert scored.value == 20


def test_et3_with_a_chow_of_the_straight_completed_by_the_discard():
    scored = taiwanese("1c 2c 3c 4c 5c 6c 7c 8c 2d 3d 4d 5b 6b 7b 8d 8d", "9c")
    assert scored.awards == {
        "winning": 2, "all_chows_no_honours_no_flowers": 10, "straight": 5, "concealed_hand": 1,
    }  # fmt: skip
    assert scored.value == 18


ET7 = "2b 2b 2b 4c 4c 4c 7d 7d 7d 8c 8c 8c 3d 3d 3d 5b"
ET7_AWARDS = {"winning": 2, "no_honours_no_flowers": 3, "five_concealed_triplets": 40, "all_pungs": 10, "pair_wait": 1}


@pytest.mark.parametrize(
    ("hand", "tile", "source", "awards", "total"),
    [
        (ET7, "5b", "live_wall", ET7_AWARDS | {"concealed_self_draw": 3}, 59),
        (ET7, "5b", "discard", ET7_AWARDS | {"concealed_hand": 1}, 57),
        (
            ET7.replace("2b 2b 2b", "[kk 2b]"),
            "5b",
            "live_wall",
            ET7_AWARDS | {"concealed_self_draw": 3, "concealed_kong": 2},
            61,
        ),
        (
            ET7.replace("3d 3d 3d 5b", "3d 3d 5b 5b"),
            "3d",
            "discard",
            {
                "winning": 2,
                "no_honours_no_flowers": 3,
                "four_concealed_triplets": 15,
                "all_pungs": 10,
                "concealed_hand": 1,
            },
            31,
        ),
    ],
)
def test_et7_five_concealed_triplets(hand, tile, source, awards, total):
    scored = taiwanese(hand, tile, source=source)
    assert scored.awards == awards
    assert scored.value == total


ET9 = "(1c 2c 3c) 4c 5c 6c 7c 9c 2c 3c 4c 5c 6c 7c 8c 8c"


def test_et9_full_flush_without_flowers():
    scored = taiwanese(ET9, "8c")
    waits = {"edge_or_closed_wait": 1}, {"pair_wait": 1}
    base = {"winning": 2, "full_flush": 40, "all_chows_no_honours_no_flowers": 10, "straight": 5}
    assert scored.awards in [base | wait for wait in waits]
    assert scored.value == 58


def test_et9_full_flush_with_one_flower():
    scored = taiwanese(f"{ET9} | f4", "8c")
    base = {"winning": 2, "flowers": 1, "full_flush": 40, "all_chows": 3, "no_honours": 1, "straight": 5}
    assert scored.awards in [base | {"edge_or_closed_wait": 1}, base | {"pair_wait": 1}]
    assert scored.value == 53


ET11 = "1c 2c 3c 6d 7d 8d 3d 4d 5d 7c 7c 7c 9d 9d 4b 6b | f1"
ET11_AWARDS = {"winning": 2, "flowers": 1, "no_honours": 1, "edge_or_closed_wait": 1}


def test_et11_heavenly_hand():
    scored = taiwanese(ET11, "5b", source="dealt", wind="E", discards=0)
    assert scored.awards == ET11_AWARDS | {"concealed_self_draw": 3, "heavenly_hand": 40}
    assert scored.changes == [144, -48, -48, -48]


def test_et11_earthly_hand_with_original_call():
    scored = taiwanese(ET11, "5b", giver="E", discards=1, call=True)
    assert scored.awards == ET11_AWARDS | {"concealed_hand": 1, "earthly_hand": 40, "original_call": 15}
    assert scored.changes == [-61, 61, 0, 0]


def test_et11_on_the_seventh_discard():
    scored = taiwanese(ET11, "5b", discards=7, call=True)
    assert scored.awards == ET11_AWARDS | {"concealed_hand": 1, "win_within_nine_discards": 5, "original_call": 15}
    assert scored.value == 26


FILL = "1b 2b 4b 5b 7b 8b 1c 2c 4c 5c 7c 8c 1d 2d 4d 5d"


def test_et14_the_eighth_flower_is_robbed():
    scored = taiwanese(
        f"{FILL} | f1 f2 f3 f4 s1 s2 s3",
        None,
        source="seven_flowers_rob_eighth",
        giver="N",
        others={"N": "| s4"},
    )
    assert scored.awards == {"seven_flowers_rob_eighth": 20}
    assert scored.changes == [0, 20, 0, -20]


def test_et14_all_eight_flowers():
    scored = taiwanese(f"{FILL} | f1 f2 f3 f4 s1 s2 s3 s4", "s4", source="eight_flowers", wind="W")
    assert scored.awards == {"eight_flowers": 30}
    assert scored.changes == [-30, -30, 90, -30]


def test_et14_east_showed_the_eighth_first():
    scored = taiwanese(
        f"{FILL} | f1 f2 f3 f4 s1 s2 s3",
        "s4",
        source="seven_flowers_rob_eighth",
        giver="E",
        others={"E": "| s4"},
    )
    assert scored.changes == [-20, 20, 0, 0]
