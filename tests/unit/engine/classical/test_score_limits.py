"""Limit hands: every reason with hands that have it and hands that just miss it (C58)."""

import pytest

from mahjong_engine.case_error import CaseError, CaseReason
from tests.unit.engine.scoring import classical

DRAWN = {"source": "live_wall"}
AT_START = {"wind": "E", "discards": 0}
ON_KONG = {"source": "kong_replacement", "kongs": 1}

HAVING = [
    ("all_green", "(2b 2b 2b) 3b 3b 3b 6b 6b 6b 8b 8b G G", "G", {}),
    ("all_green", "(2b 3b 4b) (2b 3b 4b) 6b 6b 6b 8b 8b 4b 4b", "8b", {}),
    ("four_kongs", "(ck 2b) (pk 3c) [kk 9d] (ck E) 5b", "5b", {}),
    ("four_kongs", "[kk 2b] [kk 3c] [kk 9d] [kk E] 5b", "5b", {}),
    ("four_concealed_triplets", "2b 2b 2b 4c 4c 4c 6d 6d 6d 8d 8d 9c 9c", "8d", DRAWN),
    ("four_concealed_triplets", "2b 2b 2b 4c 4c 4c 6d 6d 6d 8d 8d 8d 9c", "9c", DRAWN),
    ("four_concealed_triplets", "(ck 2b) [kk 4c] 6d 6d 6d 8d 8d 8d 9c", "9c", ON_KONG),
    ("three_dragons_and_triplet", "(R R R) (G G G) P P P 5c 5c 2b 2b", "2b", {}),
    ("three_dragons_and_triplet", "(ck R) (G G G) P P 5c 5c 5c 2b 2b", "P", {}),
    ("all_honours", "(E E E) S S S R R R G G P P", "P", {}),
    ("all_terminals", "(1b 1b 1b) 9b 9b 9b 1c 1c 1c 9d 9d 1d 1d", "9d", {}),
    ("four_winds", "(E E E) (S S S) W W W N N 5b 5b", "N", {}),
    ("four_winds", "(ck E) (S S S) W W W N N N 5b", "5b", {}),
    ("nine_gates", "1c 1c 1c 2c 3c 4c 5c 6c 7c 8c 9c 9c 9c", "5c", {}),
    ("nine_gates", "1c 1c 1c 2c 3c 4c 5c 6c 7c 8c 9c 9c 9c", "9c", DRAWN),
    ("thirteen_orphans", "1b 9b 1c 9c 1d 9d E S W N R G P", "P", {}),
    ("thirteen_orphans", "1b 9b 1c 9c 1d 9d E E S W N R G", "P", {"source": "robbed_concealed_kong"}),
    ("thirteen_orphans", "1b 9b 1c 9c 1d 9d E E S W N R G", "P", {"source": "robbed_promoted_kong"}),
    ("concealed_one_suit_self_draw", "2b 2b 2b 3b 4b 5b 5b 6b 7b 7b 8b 1b 1b", "9b", DRAWN),
    ("concealed_one_suit_self_draw", "(ck 2b) 3b 4b 5b 5b 6b 7b 8b 8b 8b 1b", "1b", DRAWN),
    ("east_before_first_discard", "1b 2b 3b 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", {"source": "dealt"} | AT_START),
    ("east_before_first_discard", "[kk 9c] 4b 5b 6b 2c 3c 4c 7d 8d N N | f1", "9d", ON_KONG | AT_START),
    ("east_before_first_discard", "[kk 9c] 4b 5b 6b 2c 3c 4c 7d 8d N N | f1", "9d", DRAWN | AT_START),
    ("east_first_discard", "1b 2b 3b 4b 5b 6b 2c 3c 4c 7d 8d N N | s1", "9d", {"giver": "E", "discards": 1}),
    ("one_circles_last_tile", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 2d 3d N N", "1d", DRAWN | {"live": 0}),
    ("one_circles_last_tile", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 1d 1d N N", "1d", {"live": 0}),
    ("five_circles_kong_replacement", "(ck 9c) 4b 5b 6b 2c 3c 4c 3d 4d N N", "5d", ON_KONG),
    ("robbing_two_bamboo", "(1c 2c 3c) 4b 5b 6b 2c 3c 4c 3b 4b N N", "2b", {"source": "robbed_promoted_kong"}),
    ("consecutive_kongs", "(ck 9c) [kk 8c] 2c 3c 4c 7d 8d N N", "9d", ON_KONG | {"kongs": 2}),
    ("consecutive_kongs", "(ck 9c) [kk 8c] (pk E) 7d 8d N N", "9d", ON_KONG | {"kongs": 3}),
    ("thirteenth_dealer_win", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", {"wind": "E", "dealer_wins": 12}),
]  # fmt: skip

MISSING = [
    ("all_green", "(2b 2b 2b) 3b 3b 3b 6b 6b 6b 5b 5b G G", "G", {}),
    ("all_green", "(2b 2b 2b) 3b 3b 3b 6b 6b 6b 8b 8b R R", "R", {}),
    ("four_kongs", "(ck 2b) (pk 3c) [kk 9d] (E E E) 5b", "5b", {}),
    ("four_concealed_triplets", "2b 2b 2b 4c 4c 4c 6d 6d 6d 8d 8d 8d 9c", "9c", {}),
    ("four_concealed_triplets", "(pk 2b) [kk 4c] 6d 6d 6d 8d 8d 8d 9c", "9c", DRAWN),
    ("three_dragons_and_triplet", "(R R R) (G G G) P P P 4c 5c 2b 2b", "6c", {}),
    ("three_dragons_and_triplet", "(R R R) (G G G) P P 5c 5c 5c 2b 2b", "2b", {}),
    ("all_honours", "(E E E) S S S R R R G G 9d 9d", "9d", {}),
    ("all_terminals", "(1b 1b 1b) 9b 9b 9b 1c 1c 1c 9d 9d N N", "9d", {}),
    ("four_winds", "(E E E) (S S S) W W W N N 5b 5b", "5b", {}),
    ("nine_gates", "1c 1c 1c 2c 3c 4c 5c 5c 6c 7c 8c 9c 9c", "9c", {}),
    ("nine_gates", "(1c 1c 1c) 2c 3c 4c 5c 6c 7c 8c 9c 9c 9c", "5c", {}),
    ("concealed_one_suit_self_draw", "2b 2b 2b 3b 4b 5b 5b 6b 7b 7b 8b 1b 1b", "9b", {}),
    ("concealed_one_suit_self_draw", "(pk 2b) 3b 4b 5b 5b 6b 7b 8b 8b 8b 1b", "1b", DRAWN),
    ("concealed_one_suit_self_draw", "2b 2b 2b 3b 4b 5b 5b 6b 7b 7b 8b N N", "9b", DRAWN),
    ("east_before_first_discard", "1b 2b 3b 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", DRAWN | {"wind": "E", "discards": 4}),
    ("east_first_discard", "1b 2b 3b 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", {"giver": "W", "discards": 2}),
    ("east_first_discard", "1b 2b 3b 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", DRAWN | {"discards": 1}),
    ("one_circles_last_tile", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 2d 3d N N", "1d", DRAWN | {"live": 1}),
    ("one_circles_last_tile", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 2d 3d N N", "4d", DRAWN | {"live": 0}),
    ("one_circles_last_tile", "(ck 9c) 4b 5b 6b 2c 3c 4c 2d 3d N N", "1d", ON_KONG | {"live": 0}),
    ("five_circles_kong_replacement", "(ck 9c) 4b 5b 6b 2c 3c 4c 3d 4d N N", "5d", DRAWN),
    ("five_circles_kong_replacement", "(ck 9c) 4b 5b 6b 2c 3c 4c 3d 4d N N", "2d", ON_KONG),
    ("robbing_two_bamboo", "(1c 2c 3c) 4b 5b 6b 2c 3c 4c 3b 4b N N", "2b", {}),
    ("robbing_two_bamboo", "(1c 2c 3c) 4b 5b 6b 2c 3c 4c 2b 3b N N", "1b", {"source": "robbed_promoted_kong"}),
    ("consecutive_kongs", "(ck 9c) [kk 8c] 2c 3c 4c 7d 8d N N", "9d", ON_KONG),
    ("consecutive_kongs", "(ck 9c) [kk 8c] 2c 3c 4c 7d 8d N N | f1", "9d", DRAWN | {"kongs": 2}),
    ("thirteenth_dealer_win", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", {"wind": "E", "dealer_wins": 11}),
    ("thirteenth_dealer_win", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", {"wind": "E", "dealer_wins": 13}),
    ("thirteenth_dealer_win", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d", {"wind": "W", "dealer_wins": 12}),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "hand", "tile", "circumstances"), HAVING)
def test_c58_a_limit_hand_has_its_reason_and_the_limit(reason, hand, tile, circumstances):
    scored = classical(hand, tile, **circumstances)
    assert reason in scored.limit
    assert scored.value == 1_000
    assert scored.hand()["items"] == []


@pytest.mark.parametrize(("reason", "hand", "tile", "circumstances"), MISSING)
def test_c58_a_near_miss_has_not_the_reason(reason, hand, tile, circumstances):
    assert reason not in classical(hand, tile, **circumstances).limit


def test_c58_each_reason_has_a_hand_here():
    assert len({reason for reason, *_ in HAVING}) == 17


def test_c58_thirteen_orphans_need_all_thirteen_majors():
    with pytest.raises(CaseError) as caught:
        classical("1b 9b 1c 9c 1d 8d E E S W N R G", "P")
    assert caught.value.reason is CaseReason.NOT_A_WIN


def test_c58_thirteen_orphans_are_no_hand_of_all_terminals_or_honours():
    assert classical("1b 9b 1c 9c 1d 9d E S W N R G P", "P", source="live_wall").limit == {"thirteen_orphans"}


@pytest.mark.parametrize(("reason", "hand"), [("all_green", "(2b 2b 2b) 3b 3b 3b 6b 6b 6b 8b 8b G G | f1 s1 f2 s2")])
def test_c58_bonus_tiles_are_left_out_of_account(reason, hand):
    assert classical(hand, "G").limit == {reason}


def test_c58_limits_are_for_the_winner_only():
    scored = classical(
        "1b 2b 3b 4b 5b 6b 7b 8b 9b 6d 7d 8d 5c", "5c", wind="E", others={"S": "(ck R) [kk G] (pk P) [kk 2c] 8c"}
    )
    assert scored.hand(1)["limit"] == []
    assert scored.awards_of("S")["big_three_dragons"] == 5
