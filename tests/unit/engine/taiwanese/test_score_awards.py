"""Every Taiwanese award, each with a hand that has it and one that just misses it (T55 to T60)."""

import pytest

from mahjong_engine.case_error import CaseError, CaseReason
from tests.unit.engine.scoring import taiwanese

HAND = "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N"
CLOSED = "1b 2b 3b 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N"
KONG = "(ck 9c) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N"
DRAWN = {"source": "live_wall"}


def test_t55_winning_is_in_every_win_that_is_no_flower_win():
    assert taiwanese(HAND, "9d").awards["winning"] == 2


@pytest.mark.parametrize(
    ("bonus", "awards"), [("", {"no_flowers": 1}), ("f1", {"flowers": 1}), ("f1 f2 s3 s4", {"flowers": 4})]
)
def test_t55_flowers_and_no_flowers(bonus, awards):
    scored = taiwanese(f"{HAND} | {bonus}", "9d")
    assert {award: tai for award, tai in scored.awards.items() if "flowers" in award} == awards
    assert len([item for item in scored.hand()["items"] if item["award"] == "flowers"]) == ("flowers" in awards)


@pytest.mark.parametrize(
    ("melds", "source", "award"),
    [
        ("1b 2b 3b", "discard", "concealed_hand"),
        ("1b 2b 3b", "robbed_promoted_kong", "concealed_hand"),
        ("[kk 9c]", "discard", "concealed_hand"),
        ("1b 2b 3b", "live_wall", "concealed_self_draw"),
        ("[kk 9c]", "kong_replacement", "concealed_self_draw"),
        ("1b 2b 3b", "flower_replacement", "concealed_self_draw"),
        ("(1b 2b 3b)", "live_wall", "self_draw"),
        ("(ck 9c)", "kong_replacement", "self_draw"),
        ("(pk 9c)", "flower_replacement", "self_draw"),
        ("(1b 2b 3b)", "discard", None),
        ("(ck 9c)", "robbed_promoted_kong", None),
    ],
)
def test_t55_concealed_hand_concealed_self_draw_and_self_draw(melds, source, award):
    scored = taiwanese(f"{melds} 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N | s1", "9d", source=source)
    family = {"concealed_hand", "concealed_self_draw", "self_draw"}
    assert family & set(scored.awards) == ({award} if award else set())
    assert scored.awards.get(award, 0) == {"concealed_self_draw": 3, None: 0}.get(award, 1)


FIVE = "(1b 2b 3b) (4b 5b 6b) (2c 3c 4c) (5c 6c 7c) {} N"


@pytest.mark.parametrize(
    ("meld", "source", "award"),
    [
        ("(7d 8d 9d)", "discard", "exposed_hand"),
        ("(7d 8d 9d)", "live_wall", "exposed_hand"),
        ("(ck 9d)", "kong_replacement", "exposed_hand"),
        ("(pk 9d)", "discard", "exposed_hand"),
        ("[kk 9d]", "discard", "pair_wait"),
        ("7d 8d 9d", "discard", "pair_wait"),
    ],
)
def test_t55_exposed_hand_replaces_pair_wait(meld, source, award):
    scored = taiwanese(FIVE.format(meld), "N", source=source)
    assert {"exposed_hand", "pair_wait"} & set(scored.awards) == {award}
    assert scored.awards[award] == {"exposed_hand": 10, "pair_wait": 1}[award]


@pytest.mark.parametrize(
    ("source", "live", "is_given"),
    [
        ("live_wall", 0, True),
        ("live_wall", 1, False),
        ("discard", 0, True),
        ("discard", 1, False),
        ("kong_replacement", 0, False),
        ("flower_replacement", 0, False),
        ("robbed_promoted_kong", 0, False),
    ],
)
def test_t55_last_tile(source, live, is_given):
    scored = taiwanese(f"{KONG} | f1", "9d", source=source, live=live)
    assert scored.awards.get("last_tile", 0) == int(is_given)


@pytest.mark.parametrize(("source", "tai"), [("robbed_promoted_kong", 1), ("discard", 0), ("kong_replacement", 0)])
def test_t55_robbing_a_kong_and_no_award_for_a_kong_replacement(source, tai):
    scored = taiwanese(KONG, "9d", source=source)
    assert scored.awards.get("robbing_a_kong", 0) == tai
    assert "kong_replacement" not in scored.awards


EARLY = {"win_within_five_discards": 10, "win_within_nine_discards": 5}


@pytest.mark.parametrize(
    ("discards", "award"),
    [
        (2, "win_within_five_discards"),
        (5, "win_within_five_discards"),
        (6, "win_within_nine_discards"),
        (9, "win_within_nine_discards"),
        (10, None),
    ],
)
def test_t55_early_wins(discards, award):
    awards = taiwanese(CLOSED, "9d", discards=discards).awards
    assert {name: tai for name, tai in awards.items() if name in EARLY} == ({award: EARLY[award]} if award else {})


@pytest.mark.parametrize(
    ("hand", "source"),
    [(CLOSED, "dealt"), (f"{CLOSED} | f1", "dealt"), (KONG.replace("(ck 9c)", "[kk 9c]"), "kong_replacement")],
)
def test_t55_heavenly_hand_whatever_flowers_and_concealed_kongs(hand, source):
    scored = taiwanese(hand, "9d", source=source, wind="E", discards=0)
    assert scored.awards["heavenly_hand"] == 40
    assert not set(EARLY) & set(scored.awards)
    assert "heavenly_hand" not in taiwanese(CLOSED, "9d", source="live_wall", wind="E", discards=5).awards


def test_t55_earthly_hand():
    scored = taiwanese(CLOSED, "9d", giver="E", discards=1)
    assert scored.awards["earthly_hand"] == 40
    assert not set(EARLY) & set(scored.awards)


@pytest.mark.parametrize(("source", "discards", "giver"), [("discard", 2, "W"), ("live_wall", 1, None)])
def test_t55_no_earthly_hand_but_an_early_win(source, discards, giver):
    scored = taiwanese(CLOSED, "9d", source=source, giver=giver, discards=discards)
    assert "earthly_hand" not in scored.awards
    assert scored.awards["win_within_five_discards"] == 10


def test_t55_original_call():
    assert taiwanese(CLOSED, "9d", call=True).awards["original_call"] == 15
    assert "original_call" not in taiwanese(CLOSED, "9d").awards


BY_SETS = [
    # award, tai, tiles that have it, tiles that miss it; all win on 9d
    ("honour_triplet", 1, "(R R R) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N", HAND),
    ("honour_triplet", 2, "(R R R) (ck S) 2c 3c 4c 5c 6c 7c 7d 8d N N", "(R R R) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d S S"),
    ("exposed_kong", 1, KONG, HAND),
    ("exposed_kong", 2, "(ck 9c) (pk 9b) 2c 3c 4c 5c 6c 7c 7d 8d N N", "(ck 9c) [kk 9b] 2c 3c 4c 5c 6c 7c 7d 8d N N"),
    ("concealed_kong", 4, "[kk 9c] [kk 9b] 2c 3c 4c 5c 6c 7c 7d 8d N N", "[kk 9c] (ck 9b) 2c 3c 4c 5c 6c 7c 7d 8d N N"),
    (
        "straight",
        5,
        "(1c 2c 3c) 4c 5c 6c 7c 8c 9c 4b 5b 6b 7d 8d N N",
        "(1c 2c 3c) 4c 5c 6c 6c 7c 8c 4b 5b 6b 7d 8d N N",
    ),
    (
        "concealed_straight",
        10,
        "(4b 5b 6b) 1c 2c 3c 4c 5c 6c 7c 8c 9c 7d 8d N N",
        "(1c 2c 3c) 4c 5c 6c 7c 8c 9c 4b 5b 6b 7d 8d N N",
    ),
    (
        "two_concealed_triplets",
        2,
        "2b 2b 2b 4c 4c 4c (1d 2d 3d) 5c 6c 7c 7d 8d N N",
        "(2b 2b 2b) 4c 4c 4c 1d 2d 3d 5c 6c 7c 7d 8d N N",
    ),
    (
        "three_concealed_triplets",
        5,
        "2b 2b 2b 4c 4c 4c [kk 6d] (1c 2c 3c) 7d 8d N N",
        "2b 2b 2b 4c 4c 4c (pk 6d) (1c 2c 3c) 7d 8d N N",
    ),
    (
        "four_concealed_triplets",
        15,
        "2b 2b 2b 4c 4c 4c 6d 6d 6d 8b 8b 8b 7d 8d N N",
        "2b 2b 2b 4c 4c 4c 6d 6d 6d (8b 8b 8b) 7d 8d N N",
    ),
    (
        "little_three_dragons",
        15,
        "(R R R) (G G G) P P 2c 3c 4c 5c 6c 7c 7d 8d",
        "(R R R) (G G G) N N 2c 3c 4c 5c 6c 7c 7d 8d",
    ),
    (
        "big_three_dragons",
        30,
        "(R R R) (G G G) P P P 5c 6c 7c 7d 8d N N",
        "(R R R) (G G G) P P 9c 9c 9c 5c 6c 7c 7d 8d",
    ),
    (
        "little_three_winds",
        5,
        "(E E E) (S S S) W W 2c 3c 4c 5c 6c 7c 7d 8d",
        "(E E E) (S S S) 9b 9b 2c 3c 4c 5c 6c 7c 7d 8d",
    ),
    ("big_three_winds", 15, "(E E E) (S S S) W W W 5c 6c 7c 7d 8d 9b 9b", "(E E E) (S S S) W W W 5c 6c 7c 7d 8d N N"),
    ("little_four_winds", 30, "(E E E) (S S S) W W W 5c 6c 7c 7d 8d N N", "(E E E) (S S S) W W W 5c 6c 7c 7d 8d R R"),
    ("big_four_winds", 40, "(E E E) (S S S) W W W N N N 7d 8d 9b 9b", "(E E E) (S S S) W W W N N 9b 9b 9b 7d 8d"),
    ("all_chows", 3, HAND, "(1b 1b 1b) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N"),
    ("all_chows_no_honours_no_flowers", 10, "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d 9b 9b", HAND),
    (
        "all_pungs",
        10,
        "(2b 2b 2b) (4c 4c 4c) (7d 7d 7d) 8c 8c 8c 9d 9d N N",
        "(2b 2b 2b) (4c 4c 4c) (7d 7d 7d) 5c 6c 7c 9d 9d N N",
    ),
]


@pytest.mark.parametrize(("award", "tai", "having", "missing"), BY_SETS)
def test_t56_awards_for_sets(award, tai, having, missing):
    assert taiwanese(having, "9d").awards[award] == tai
    assert taiwanese(missing, "9d").awards.get(award) != tai


def test_t56_five_concealed_triplets():
    hand = "2b 2b 2b 4c 4c 4c 7d 7d 7d 8c 8c 8c 3d 3d {} 5b"
    assert taiwanese(hand.format("3d"), "5b").awards["five_concealed_triplets"] == 40
    assert "five_concealed_triplets" not in taiwanese(hand.format("5b"), "3d").awards


@pytest.mark.parametrize(
    ("hand", "pattern"),
    [
        ("(R R R) (G G G) P P 2c 3c 4c 5c 6c 7c 7d 8d", "little_three_dragons"),
        ("(R R R) (G G G) P P P 5c 6c 7c 7d 8d N N", "big_three_dragons"),
        ("(E E E) (S S S) W W 2c 3c 4c 5c 6c 7c 7d 8d", "little_three_winds"),
        ("(E E E) (S S S) W W W 5c 6c 7c 7d 8d 9b 9b", "big_three_winds"),
        ("(E E E) (S S S) W W W 5c 6c 7c 7d 8d N N", "little_four_winds"),
        ("(E E E) (S S S) W W W N N N 7d 8d 9b 9b", "big_four_winds"),
    ],
)
def test_t56_a_pattern_replaces_the_single_honour_triplets_of_its_family(hand, pattern):
    families = {"little_three_dragons", "big_three_dragons", "little_three_winds", "big_three_winds"}
    families |= {"little_four_winds", "big_four_winds", "honour_triplet"}
    assert families & set(taiwanese(hand, "9d").awards) == {pattern}


def test_t56_a_pattern_of_winds_leaves_dragon_triplets_alone():
    scored = taiwanese("(E E E) (S S S) W W (R R R) 5c 6c 7c 7d 8d", "9d")
    assert (scored.awards["little_three_winds"], scored.awards["honour_triplet"]) == (5, 1)


def test_t56_wind_dragon_and_concealed_triplet_families_add_to_one_another():
    scored = taiwanese("[kk E] S S S W W W R R R G G G P", "P")
    patterns = {"big_three_winds": 15, "little_three_dragons": 15, "five_concealed_triplets": 40}
    assert patterns.items() <= scored.awards.items()


def test_t56_a_straight_is_given_once():
    scored = taiwanese("(1c 2c 3c) 1c 2c 3c 4c 5c 6c 7c 8c 9c 7d 8d N N", "9d")
    assert {"straight", "concealed_straight"} & set(scored.awards) == {"concealed_straight"}


def test_t56_other_sets_do_not_matter_for_a_concealed_straight():
    scored = taiwanese("(R R R) 1c 2c 3c 4c 5c 6c 7c 8c 9c 7d 8d N N", "9d")
    assert scored.awards["concealed_straight"] == 10


def test_t56_a_discard_in_the_only_chow_of_its_place_makes_the_straight_a_plain_one():
    scored = taiwanese("(R R R) 1c 2c 3c 4c 5c 6c 7c 8c 7d 8d 9d N N", "9c")
    assert {"straight", "concealed_straight"} & set(scored.awards) == {"straight"}


PUNGS = "(1b 1b 1b) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d"


@pytest.mark.parametrize(
    ("hand", "awards"),
    [
        (f"{PUNGS} 9b 9b", {"no_honours_no_flowers": 3}),
        (f"{PUNGS} 9b 9b | s1", {"no_honours": 1, "flowers": 1}),
        (f"{PUNGS} N N", {"no_flowers": 1}),
        (f"{PUNGS} N N | s1", {"flowers": 1}),
        ("(1b 2b 3b) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d 9b 9b", {"all_chows_no_honours_no_flowers": 10}),
        (f"{HAND} | s1", {"flowers": 1, "all_chows": 3}),
        (HAND, {"no_flowers": 1, "all_chows": 3}),
    ],
)
def test_t57_awards_for_no_honours_and_no_flowers_replace_one_another(hand, awards):
    family = {"no_honours", "no_honours_no_flowers", "no_flowers", "flowers", "all_chows"}
    family |= {"all_chows_no_honours_no_flowers"}
    assert {award: tai for award, tai in taiwanese(hand, "9d").awards.items() if award in family} == awards


@pytest.mark.parametrize(
    ("hand", "award"),
    [
        ("(1c 2c 3c) 4c 5c 6c 7c 8c 9c R R R 2c 3c N N", "half_flush"),
        ("(1b 2b 3b) 4c 5c 6c 7c 8c 9c R R R 2c 3c N N", None),
        ("(1c 2c 3c) 4c 5c 6c 7c 8c 9c 8c 8c 8c 2c 3c 1c 1c", "full_flush"),
        ("(1c 2c 3c) 4c 5c 6c 7c 8c 9c 8c 8c 8c 2c 3c N N", "half_flush"),
    ],
)
def test_t57_half_flush_and_full_flush(hand, award):
    scored = taiwanese(f"{hand} | f1 s3", "4c")
    assert {"half_flush", "full_flush"} & set(scored.awards) == ({award} if award else set())
    assert scored.awards.get(award, 0) == {"half_flush": 10, "full_flush": 40, None: 0}[award]


PAIRS = "2b 2b 3b 3b 5c 5c 6c 6c 8d 8d R R R N N E"


@pytest.mark.parametrize(
    ("hand", "tile", "circumstances", "awards"),
    [
        (PAIRS, "E", {}, {"no_flowers": 1, "concealed_hand": 1, "honour_triplet": 1}),
        (f"{PAIRS} | f1", "E", DRAWN, {"flowers": 1, "concealed_self_draw": 3, "honour_triplet": 1}),
        (
            "2b 2b 3b 3b 5c 5c 6c 6c 8d 8d R R N N E E",
            "E",
            {},
            {"no_flowers": 1, "concealed_hand": 1, "honour_triplet": 1},
        ),
        ("2b 2b 2b 2b 5c 5c 5c 6c 6c 8d 8d R R N N E", "E", {}, {"no_flowers": 1, "concealed_hand": 1}),
        (
            "2c 2c 3c 3c 5c 5c 6c 6c 8c 8c 8c 9c 9c 9c 9c 1c",
            "1c",
            {},
            {"no_honours_no_flowers": 3, "full_flush": 40, "concealed_hand": 1},
        ),
        (
            "2c 2c 3c 3c 5c 5c 6c 6c 8c 8c 8c N N N N 1c",
            "1c",
            {"live": 0},
            {"no_flowers": 1, "half_flush": 10, "concealed_hand": 1, "last_tile": 1},
        ),
        (
            f"{PAIRS} | f1",
            "E",
            {"discards": 5, "call": True},
            {
                "flowers": 1,
                "concealed_hand": 1,
                "honour_triplet": 1,
                "win_within_five_discards": 10,
                "original_call": 15,
            },
        ),
        (
            PAIRS,
            "E",
            {"source": "dealt", "wind": "E", "discards": 0},
            {"no_flowers": 1, "concealed_self_draw": 3, "honour_triplet": 1, "heavenly_hand": 40},
        ),
        (
            PAIRS,
            "E",
            {"giver": "E", "discards": 1},
            {"no_flowers": 1, "concealed_hand": 1, "honour_triplet": 1, "earthly_hand": 40},
        ),
    ],
)
def test_t58_what_seven_pairs_and_a_triplet_earns(hand, tile, circumstances, awards):
    assert taiwanese(hand, tile, **circumstances).awards == {"winning": 2, "seven_pairs_and_triplet": 30} | awards


@pytest.mark.parametrize(
    ("hand", "tile"),
    [
        ("2b 2b 3b 3b 5c 5c 6c 6c 8d 8d R R R N N E", "W"),
        ("2b 2b 2b 3b 3b 5c 5c 6c 6c 8d 8d 8d R R N N", "N"),
        ("2b 2b 3b 3b 5c 5c 6c 6c 8d 8d R R N N E E", "9d"),
        ("[kk G] 2b 2b 3b 3b 5c 5c 6c 6c R R R N N", "N"),
    ],
)
def test_t58_other_numbers_of_alike_tiles_are_no_seven_pairs(hand, tile):
    with pytest.raises(CaseError) as caught:
        taiwanese(hand, tile)
    assert caught.value.reason is CaseReason.NOT_A_WIN


def test_t59_implied_awards_add():
    pungs = taiwanese("(1c 1c 1c) 3c 3c 3c 5c 5c 5c 7c 7c 7c 9c 9c 9c 8c", "8c")
    assert {"full_flush": 40, "no_honours_no_flowers": 3, "all_pungs": 10}.items() <= pungs.awards.items()
    winds = taiwanese("(E E E) (S S S) W W W N N N 9b 9b R R", "R")
    assert {
        "big_four_winds": 40,
        "all_pungs": 10,
        "half_flush": 10,
        "honour_triplet": 1,
    }.items() <= winds.awards.items()


def test_t59_earthly_hand_and_original_call_add():
    assert taiwanese(CLOSED, "9d", giver="E", discards=1, call=True).awards.items() >= {
        ("earthly_hand", 40),
        ("original_call", 15),
    }


ORDINARY = "1b 2b 4b 5b 7b 8b 1c 2c 4c 5c 7c 8c 1d 2d 4d 5d"


@pytest.mark.parametrize(
    ("hand", "source", "giver", "item"),
    [
        (f"{ORDINARY} | f1 f2 f3 f4 s1 s2 s3 s4", "eight_flowers", None, ("eight_flowers", 30)),
        (f"{ORDINARY} | f1 f2 f3 f4 s1 s2 s3", "seven_flowers_rob_eighth", "W", ("seven_flowers_rob_eighth", 20)),
        (
            "[kk R] [kk G] [kk P] [kk E] S S S 9b | f1 f2 f3 f4 s1 s2 s3 s4",
            "eight_flowers",
            None,
            ("eight_flowers", 30),
        ),
    ],
)
@pytest.mark.parametrize("call", [False, True])
def test_t60_a_flower_win_is_one_item_and_nothing_else(hand, source, giver, item, call):
    others = {"W": "| s4"} if giver else {}
    scored = taiwanese(hand, None, source=source, giver=giver, others=others, call=call, discards=5, live=0)
    assert scored.hand()["items"] == [{"award": item[0], "tai": item[1]}]
    assert scored.value == item[1]
