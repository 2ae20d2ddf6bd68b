"""Thirteen orphans and seven pairs and a triplet, against definitions that count."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.classical.orphans import is_thirteen_orphans, orphan_shanten, orphan_waits
from mahjong_engine.keys import keys_of
from mahjong_engine.taiwanese.pairs import is_seven_pairs_and_triplet, pairs_shanten, pairs_waits
from mahjong_engine.tile import CODES, MAJORS, parse_tile
from tests.unit.engine import plain

seeds = st.integers(0, 2**32).map(random.Random)


def hand(text):
    return keys_of(map(parse_tile, text.split()))


def codes(tiles):
    return " ".join(CODES[tile] for tile in tiles)


# --- thirteen orphans (C37)

ALL_MAJORS = "1b 9b 1c 9c 1d 9d E S W N R G P"


@pytest.mark.parametrize("second", MAJORS)
def test_thirteen_orphans_with_any_major_twice_is_complete(second):
    assert is_thirteen_orphans(hand(f"{ALL_MAJORS} {CODES[second]}"))
    assert orphan_shanten(hand(f"{ALL_MAJORS} {CODES[second]}")) == -1


@pytest.mark.parametrize(
    "tiles",
    [
        ALL_MAJORS,
        f"{ALL_MAJORS} 2b",
        f"{ALL_MAJORS} 1b 1b",
        ALL_MAJORS.replace("P", "G G"),
        ALL_MAJORS.replace("9d", "1d 1d"),
        "E E",
    ],
)
def test_thirteen_orphans_with_a_tile_wrong_is_not_complete(tiles):
    assert not is_thirteen_orphans(hand(tiles))


def test_orphan_waits_with_all_thirteen_are_all_majors():
    assert codes(orphan_waits(hand(ALL_MAJORS))) == ALL_MAJORS


def test_orphan_waits_with_a_pair_are_the_missing_major():
    assert codes(orphan_waits(hand(ALL_MAJORS.replace("W", "9d")))) == "W"


def test_orphan_waits_of_a_hand_that_is_not_ready_are_none():
    assert orphan_waits(hand(ALL_MAJORS.replace("W", "2b"))) == ()
    assert orphan_waits(hand(ALL_MAJORS.replace("E S", "R R"))) == ()


@given(seeds, st.sampled_from((13, 14)), st.integers(0, 10))
def test_orphan_shanten_is_the_least_number_of_tiles_missing_from_any_of_the_thirteen_hands(rng, size, swaps):
    start = [int(tile in MAJORS) for tile in range(34)]
    if size == 14:
        start[rng.choice(MAJORS)] += 1
    counts = plain.swap(rng, start, swaps)
    hands = [[int(tile in MAJORS) + (tile == second) for tile in range(34)] for second in MAJORS]
    missing = [sum(max(0, n - held) for n, held in zip(full, counts, strict=True)) for full in hands]
    assert orphan_shanten(plain.keys(counts)) == min(missing) - 1
    if size == 14:
        assert is_thirteen_orphans(plain.keys(counts)) is (min(missing) == 0)


@given(seeds, st.integers(0, 2))
def test_orphan_waits_are_the_kinds_that_complete(rng, swaps):
    counts = plain.swap(rng, [int(tile in MAJORS) for tile in range(34)], swaps)
    found = []
    for tile in range(34):
        more = [n + (tile == other) for other, n in enumerate(counts)]
        if counts[tile] < 4 and is_thirteen_orphans(plain.keys(more)):
            found.append(tile)
    assert orphan_waits(plain.keys(counts)) == tuple(found)


# --- seven pairs and a triplet (T40)


def pairs_by_definition(counts):
    held = [n for n in counts if n]
    return sum(held) == 17 and held.count(3) == 1 and set(held) <= {2, 3, 4}


def nearly_pairs(rng, size, swaps):
    """Random pairs, some twice, and a triplet, then so many random exchanges; with 16 tiles one is taken away."""
    counts = [0] * 34
    counts[triplet := rng.randrange(34)] = 3
    while sum(counts) < 17:
        tile = rng.choice([t for t in range(34) if t != triplet and counts[t] < 4][: rng.choice((8, 34))])
        counts[tile] += 2
    counts = plain.swap(rng, counts, swaps)
    if size == 16:
        counts[rng.choice([t for t in range(34) if counts[t]])] -= 1
    return counts


@pytest.mark.parametrize(
    ("tiles", "complete"),
    [
        ("1b 1b 2c 2c 3d 3d E E S S W W N N R R R", True),
        ("1b 1b 1b 1b 2c 2c 2c 2c 3d 3d 3d 3d E E S S S", True),
        ("1b 1b 1b 2c 2c 2c 3d 3d 3d E E S S W W N N", False),
        ("1b 1b 2c 2c 3d 3d E E S S W W N N R R G", False),
        ("1b 1b 2c 2c 3d 3d E E S S S", False),  # a meld less
        ("1b 1b 2c 2c 3d 3d E E S S W W N N R R R R", False),
    ],
)
def test_is_seven_pairs_and_triplet_of_a_named_hand(tiles, complete):
    assert is_seven_pairs_and_triplet(hand(tiles)) is complete


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ("1b 1b 2c 2c 3d 3d E E S S W W N N R R", "1b 2c 3d E S W N R"),
        ("1b 1b 1b 1b 3d 3d E E S S W W N N R R", "3d E S W N R"),
        ("1b 2c 2c 3d 3d E E S S W W N N R R R", "1b"),
        ("1b 1b 1b 2c 2c 2c 3d 3d E E S S W W N N", "1b 2c"),
        ("1b 1b 1b 1b 2c 2c 2c 2c 3d 3d 3d 3d E E E E", ""),
        ("1b 1b 2c 2c 3d 3d E E S S W W N N R G", ""),
    ],
)
def test_pairs_waits_of_a_named_hand(tiles, expected):
    assert codes(pairs_waits(hand(tiles))) == expected


@given(seeds, st.integers(0, 3))
def test_is_seven_pairs_and_triplet_agrees_with_the_definition(rng, swaps):
    counts = nearly_pairs(rng, 17, swaps)
    assert is_seven_pairs_and_triplet(plain.keys(counts)) is pairs_by_definition(counts)


@given(seeds, st.integers(0, 3))
def test_pairs_waits_are_the_kinds_that_complete(rng, swaps):
    counts = nearly_pairs(rng, 16, swaps)
    more = [[n + (tile == other) for other, n in enumerate(counts)] for tile in range(34)]
    assert pairs_waits(plain.keys(counts)) == tuple(t for t in range(34) if pairs_by_definition(more[t]))


def most_kept(counts):
    """Tries every triplet with every choice of seven pairs among the kinds that matter: those held and two others."""
    kinds = [tile for tile in range(34) if counts[tile]] + [tile for tile in range(34) if not counts[tile]][:8]
    best = 0
    for triplet in kinds:
        gains = sorted(
            (min(2, max(0, counts[tile] - 2 * nth)) for tile in kinds if tile != triplet for nth in (0, 1)),
            reverse=True,
        )
        best = max(best, min(3, counts[triplet]) + sum(gains[:7]))
    return best


@given(seeds, st.sampled_from((16, 17)), st.integers(0, 12))
def test_pairs_shanten_is_the_least_number_of_tiles_missing(rng, size, swaps):
    counts = nearly_pairs(rng, size, swaps)
    assert pairs_shanten(plain.keys(counts)) == 16 - most_kept(counts)


def test_pairs_shanten_of_quads_agrees_with_trying_every_complete_hand():
    kinds = range(6)  # on six kinds every complete hand can be listed: one triplet, seven pairs on the other five
    counts = [4, 4, 3, 3, 1, 1]
    best = 17
    for triplet in kinds:
        others = [tile for tile in kinds if tile != triplet for _ in range(2)]
        for pairs in set(combinations(others, 7)):
            full = [3 if tile == triplet else 2 * pairs.count(tile) for tile in kinds]
            best = min(best, sum(max(0, n - held) for n, held in zip(full, counts, strict=True)))
    assert pairs_shanten(plain.keys([*counts, *[0] * 28])) == best - 1
