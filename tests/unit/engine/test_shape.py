"""shape.py against plain backtracking, and the cases that tables get wrong when they get anything wrong."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.keys import Keys, add, count_of, keys_of, kinds_of, remove, tiles_of
from mahjong_engine.shape import (
    best_discards,
    decompositions,
    is_complete,
    shanten,
    shanten_after_discards,
    useful_tiles,
    waits,
)
from mahjong_engine.tile import CODES, KIND_COUNT, Tile, parse_tile
from tests.unit.engine import plain

sizes = st.integers(0, 5)
seeds = st.integers(0, 2**32).map(random.Random)


def hand(text: str) -> Keys:
    return keys_of(map(parse_tile, text.split()))


def codes(tiles) -> str:
    return " ".join(CODES[tile] for tile in tiles)


# --- complete, decompositions


@pytest.mark.parametrize(
    ("tiles", "sets", "complete"),
    [
        ("E E", 0, True),
        ("E S", 0, False),
        ("1b 2b 3b E E", 1, True),
        ("8b 9b 1c E E", 1, False),
        ("R G P E E", 1, False),
        ("1b 1b 1b 1b 2b 3b 9c 9c", 2, True),
        ("1b 1b 1b 1b 2b 2b 2b 2b", 2, False),
        ("1b 1b 1b 1b 2b 2b 2b 2b 3b 3b 3b 3b 4b 4b", 4, True),
        ("E E E 1d 1d 1d 1d 2d 3d 5d 5d", 3, True),
        ("E E E S S S W W W N N N R R", 4, True),
        ("1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 4c 5c 6c E E", 5, True),
        ("1b 1b 2b 2b 3b 3b 5b 5b 7b 7b 9b 9b E E", 4, False),
    ],
)
def test_is_complete_of_a_named_hand(tiles, sets, complete):
    assert is_complete(hand(tiles), sets) is complete
    assert bool(decompositions(hand(tiles), sets)) is complete


def test_is_complete_asks_for_exactly_so_many_sets():
    assert [sets for sets in range(6) if is_complete(hand("1b 2b 3b E E"), sets)] == [1]


def test_decompositions_of_three_runs_of_triplets_are_all_listed():
    assert [
        (codes(d.chows), codes(d.triplets), CODES[d.pair])
        for d in decompositions(hand("1b 1b 1b 2b 2b 2b 3b 3b 3b E E"), 3)
    ] == [
        ("", "1b 2b 3b", "E"),
        ("1b 1b 1b", "", "E"),
    ]


def test_decompositions_of_one_of_the_hands_with_the_most_are_six():
    found = decompositions(hand("1b 1b 1b 2b 3b 4b 4b 4b 5b 5b 5b 6b 6b 6b 7b 7b 7b"), 5)
    assert [(codes(d.chows), codes(d.triplets), CODES[d.pair]) for d in found] == [
        ("1b", "4b 5b 6b 7b", "1b"),
        ("1b 4b 4b 4b", "7b", "1b"),
        ("1b 5b 5b 5b", "4b", "1b"),
        ("2b", "1b 5b 6b 7b", "4b"),
        ("2b 4b 4b 5b", "1b", "7b"),
        ("2b 5b 5b 5b", "1b", "4b"),
    ]


@pytest.mark.parametrize("sets", range(6))
def test_decompositions_of_random_wins_are_those_of_backtracking(sets):
    rng = random.Random(f"decompositions {sets}")
    for _ in range(250):
        counts = plain.random_win(rng, sets, suits=rng.choice((1, 2, 4)))
        found = decompositions(plain.keys(counts), sets)
        assert len(set(found)) == len(found)
        assert {(d.chows, d.triplets, d.pair) for d in found} == plain.splits(counts, sets)


@pytest.mark.parametrize("sets", range(1, 6))
def test_is_complete_of_random_hands_agrees_with_backtracking(sets):
    rng = random.Random(f"complete {sets}")
    for _ in range(400):
        counts = rng.choice(
            (
                plain.random_win(rng, sets),
                plain.swap(rng, plain.random_win(rng, sets, suits=1), 1),
                plain.swap(rng, plain.random_win(rng, sets), 1),
                plain.random_hand(rng, 3 * sets + 2),
            )
        )
        assert is_complete(plain.keys(counts), sets) is bool(plain.splits(counts, sets))


@given(seeds, st.integers(0, 5), st.sampled_from((1, 2, 4)))
def test_every_decomposition_adds_up_to_the_tiles_and_its_bits_to_its_sets(rng, sets, suits):
    keys = plain.keys(plain.random_win(rng, sets, suits=suits))
    for chows, triplets, pair, chow_bits, triplet_bits in decompositions(keys, sets):
        chow_tiles = [Tile(lowest + step) for lowest in chows for step in range(3)]
        assert tuple(sorted([*chow_tiles, *triplets * 3, pair, pair])) == tiles_of(keys)
        assert (list(chows), list(triplets)) == (sorted(chows), sorted(triplets))
        assert {t for t in range(64) if chow_bits >> t & 1} == set(chows)
        assert {t for t in range(64) if triplet_bits >> t & 1} == set(triplets)


# --- waits


@pytest.mark.parametrize(
    ("tiles", "sets", "expected", "with_fifth"),
    [
        ("E", 0, "E", "E"),
        ("2b 3b E E", 1, "1b 4b", "1b 4b"),
        ("1b 1b 2b 3b 4b 5b 6b 7b 8b 9b 9b 9b 1b", 4, "1b 2b 3b 4b 5b 6b 7b 8b 9b", "1b 2b 3b 4b 5b 6b 7b 8b 9b"),
        ("1b 1b E E", 1, "1b E", "1b E"),
        ("1b 1b 1b 1b 2b 3b 9c", 2, "9c", "9c"),
        ("1b 1b 1b 1b", 1, "", "1b"),  # five copies: triplet and pair
        ("E E E E 1b 2b 3b", 2, "", "E"),
        ("1b 1b 1b 1b 2b 3b E E E E", 3, "", "E"),
        ("2c 3c 3c 3c 3c 4c 4c 5c E E", 3, "6c E", "3c 6c E"),  # triplet and two chows
        ("1c 2c 3c 3c 3c 3c 4c 4c 5c 5c", 3, "4c 5c 6c", "3c 4c 5c 6c"),  # pair and three chows
        ("1c 1c 2c 2c 2c 3c 3c 3c 3c 4c 4c 4c 5c 5c E E", 5, "6c", "3c 6c"),  # five chows
        ("7d 8d 9d 9d 9d 9d 1b", 2, "1b", "1b"),
        ("7d 8d 9d 9d 9d 9d 8c 8c 8c 8c", 3, "", "8c"),
    ],
)
def test_waits_of_a_named_hand(tiles, sets, expected, with_fifth):
    assert codes(waits(hand(tiles), sets)) == expected
    assert codes(waits(hand(tiles), sets, fifth_copies=True)) == with_fifth


@pytest.mark.parametrize("sets", range(6))
def test_waits_of_nearly_complete_hands_agree_with_backtracking(sets):
    rng = random.Random(f"waits {sets}")
    for _ in range(60):
        counts = plain.random_win(rng, sets, suits=rng.choice((1, 1, 2, 4)))
        counts[rng.choice([tile for tile in range(34) if counts[tile]])] -= 1
        assert waits(plain.keys(counts), sets) == plain.waits(counts, sets, most=4)
        assert waits(plain.keys(counts), sets, fifth_copies=True) == plain.waits(counts, sets, most=5)


def test_waits_of_hands_that_need_a_fifth_copy_agree_with_backtracking():
    rng = random.Random("fifth")
    for _ in range(150):
        while True:  # a hand of one or two suits that holds five of a kind, less one of them
            counts = [0] * 34
            counts[rng.randrange(9)] += 2
            for group in rng.choices([g for g in plain.GROUPS if g[0] < 9], k=4):
                for tile in group:
                    counts[tile] += 1
            if max(counts) == 5 and counts.count(5) == 1:
                break
        fifth = counts.index(5)
        counts[fifth] = 4
        assert fifth in waits(plain.keys(counts), 4, fifth_copies=True)
        assert fifth not in waits(plain.keys(counts), 4)
        assert waits(plain.keys(counts), 4, fifth_copies=True) == plain.waits(counts, 4, most=5)


@given(seeds, sizes)
def test_waits_are_empty_unless_shanten_is_zero(rng, sets):
    keys = plain.keys(plain.swap(rng, plain.random_hand(rng, 3 * sets + 1), 0))
    assert bool(waits(keys, sets)) is (shanten(keys, sets) == 0)


# --- shanten


def test_shanten_never_counts_on_a_fifth_copy():
    # 333m344556s5555z of Riichi notation: complete with a fifth white dragon only, so it is one away from ready.
    keys = hand("3c 3c 3c 3b 4b 4b 5b 5b 6b P P P P")
    assert shanten(keys, 4) == 1
    assert waits(keys, 4) == ()
    assert codes(waits(keys, 4, fifth_copies=True)) == "P"


@pytest.mark.parametrize(
    ("tiles", "sets", "expected"),
    [
        ("E E", 0, -1),
        ("E", 0, 0),
        ("E S", 0, 0),
        ("1b 1b 1b 1b", 1, 1),
        ("1b 4b 7b E", 1, 2),
        ("1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c E", 4, 0),
        ("1b 4b 7b 1c 4c 7c 1d 4d 7d E S W N", 4, 8),
        ("1b 4b 7b 1c 4c 7c 1d 4d 7d E S W N R G P", 5, 10),
    ],
)
def test_shanten_of_a_named_hand(tiles, sets, expected):
    assert shanten(hand(tiles), sets) == expected


@pytest.mark.parametrize("sets", range(1, 6))
@pytest.mark.parametrize("extra", [1, 2])
def test_shanten_agrees_with_a_search_over_all_complete_hands(sets, extra):
    rng = random.Random(f"shanten {sets} {extra}")
    for round_number in range(12):
        if round_number % 3:
            counts = plain.swap(rng, plain.random_win(rng, sets, suits=rng.choice((1, 2, 4))), rng.choice((1, 2, 3)))
            if extra == 1:
                counts[rng.choice([tile for tile in range(34) if counts[tile]])] -= 1
        else:
            counts = plain.random_hand(rng, 3 * sets + extra)
        assert shanten(plain.keys(counts), sets) == plain.shanten(counts, sets)


@given(seeds, sizes, st.sampled_from((1, 2)))
def test_a_tile_more_lowers_shanten_by_one_or_not_at_all(rng, sets, extra):
    keys = plain.keys(plain.random_hand(rng, 3 * sets + extra))
    now = shanten(keys, sets)
    for tile in map(Tile, range(KIND_COUNT)):
        if count_of(keys, tile) < 4:
            assert shanten(add(keys, tile), sets) in (now, now - 1)


@given(seeds, sizes)
def test_shanten_does_not_change_when_suits_swap_or_ranks_turn_round(rng, sets):
    counts = plain.random_hand(rng, 3 * sets + 1)
    suits = [counts[:9], counts[9:18], counts[18:27]]
    rng.shuffle(suits)
    turned = [*suits[0][::-1], *suits[1], *suits[2][::-1], *rng.sample(counts[27:], 7)]
    assert shanten(plain.keys(turned), sets) == shanten(plain.keys(counts), sets)


# --- useful tiles, discards


def hands_with_fours(rng: random.Random, sets: int) -> list[int]:
    """Few kinds, so that many are held four times: what additions that carry must not disturb."""
    kinds = rng.sample(range(34), sets + 2) if rng.random() < 0.5 else rng.sample(range(9), min(9, sets + 2))
    counts = [0] * 34
    while sum(counts) < 3 * sets + 1:
        tile = rng.choice(kinds)
        counts[tile] = min(4, counts[tile] + rng.choice((1, 4)))
        if sum(counts) > 3 * sets + 1:
            counts[tile] -= sum(counts) - (3 * sets + 1)
    return counts


@given(seeds, sizes, st.booleans())
def test_useful_tiles_are_those_that_lower_shanten(rng, sets, fours):
    keys = plain.keys(hands_with_fours(rng, sets) if fours else plain.random_hand(rng, 3 * sets + 1))
    now = shanten(keys, sets)
    assert useful_tiles(keys, sets) == tuple(
        tile
        for tile in map(Tile, range(KIND_COUNT))
        if count_of(keys, tile) < 4 and shanten(add(keys, tile), sets) < now
    )


def test_useful_tiles_of_every_small_hand_in_one_suit_are_those_that_lower_shanten():
    for counts in product(range(5), repeat=9):
        if sum(counts) == 7:
            keys = plain.keys([*counts, *[0] * 25])
            now = shanten(keys, 2)
            for tile in map(Tile, range(9)):
                expected = counts[tile] < 4 and shanten(add(keys, tile), 2) < now
                assert (tile in useful_tiles(keys, 2)) is expected


@given(seeds, sizes)
def test_useful_tiles_of_a_ready_hand_are_its_waits(rng, sets):
    counts = plain.random_win(rng, sets)
    counts[rng.choice([tile for tile in range(34) if counts[tile]])] -= 1
    keys = plain.keys(counts)
    assert useful_tiles(keys, sets) == waits(keys, sets)


@given(seeds, sizes)
def test_best_discards_are_all_that_leave_the_lowest_shanten(rng, sets):
    keys = plain.keys(plain.random_hand(rng, 3 * sets + 2))
    after = {tile: shanten(remove(keys, tile), sets) for tile in kinds_of(keys)}
    assert shanten_after_discards(keys, sets) == tuple(after.items())
    best, discards = best_discards(keys, sets)
    assert best == min(after.values())
    assert discards == tuple((t, useful_tiles(remove(keys, t), sets)) for t in after if after[t] == best)
