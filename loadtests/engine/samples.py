"""Test inputs that are the same in every run: the n-th batch of a name is made from the seed `SEED:name:n`.

A hand is 34 counts, as bytes, in our sort order. Peers that know other suits read bamboo, characters and circles as
their three suits; only dragons are told apart (`RIICHI_TILE`), since scores depend on them.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from loadtests.engine.contest import Sample
from tests.unit.engine import plain

SEED = "mahjong-planet-bench-1"
BATCH = 500

MAJORS = (0, 8, 9, 17, 18, 26, *range(27, 34))

RIICHI_TILE = [*range(31), 33, 32, 31]
"""Peers' number of each of our tiles: their dragons run white, green, red."""

Hand = bytes


def _is_special(counts: list[int]) -> bool:
    """Seven different pairs or thirteen orphans, which some peers cannot be told to leave out."""
    return counts.count(2) == 7 or all(counts[tile] for tile in MAJORS)


def _maybe_win(sets: int, rng: random.Random) -> tuple[Hand, bool]:
    """Half wins, a quarter one tile off a win, a quarter random deals; with the answer."""
    if rng.random() < 0.5:
        return bytes(plain.random_win(rng, sets)), True
    dealt = rng.random() < 0.5
    while True:
        counts = plain.random_hand(rng, 3 * sets + 2) if dealt else plain.swap(rng, plain.random_win(rng, sets), 1)
        if not plain.splits(counts, sets) and not _is_special(counts):
            return bytes(counts), False


def _win(sets: int, rng: random.Random) -> Hand:
    return bytes(plain.random_win(rng, sets))


def _unfinished(sets: int, rng: random.Random) -> Hand:
    """Half random deals, half two or three tiles away from a win; one tile short."""
    if rng.random() < 0.5:
        return bytes(plain.random_hand(rng, 3 * sets + 1))
    counts = plain.swap(rng, plain.random_win(rng, sets), rng.choice((2, 3)))
    counts[rng.choice([tile for tile in range(34) if counts[tile]])] -= 1
    return bytes(counts)


@dataclass(frozen=True)
class Score:
    """A winning hand to be scored; every family of rules gives it a value."""

    concealed: Hand
    """With the winning tile."""
    melds: tuple[tuple[str, int], ...]
    """chow, pung or kong, with the lowest tile; claimed from others."""
    tile: int
    """The winning tile, one of the concealed."""
    self_drawn: bool
    seat: int
    """Distance from the dealer."""
    round: int
    flowers: int


def _score(sets: int, rng: random.Random) -> Score:
    """Half concealed, half with one to three melds, the first of them of a dragon, some of them a kong."""
    wanted = rng.choice((0, 0, 0, 1, 2, 3))
    while True:
        counts = plain.random_win(rng, sets)
        melds = _melds(rng, counts, wanted) if wanted else ()
        if len(melds) == wanted:
            break
    tile = rng.choice([tile for tile in range(34) if counts[tile]])
    flowers = rng.choice((0, 1, 1, 2, 3))
    return Score(bytes(counts), melds, tile, rng.random() < 0.5, rng.randrange(4), rng.randrange(4), flowers)


def _melds(rng: random.Random, counts: list[int], many: int) -> tuple[tuple[str, int], ...]:
    """Takes so many sets out of a win, one of them swapped for a dragon triplet; none if the dragon does not fit."""
    chows, triplets, _ = rng.choice(sorted(plain.splits(counts, sum(counts) // 3)))
    groups = [("chow", tile) for tile in chows] + [("pung", tile) for tile in triplets]
    dragon = rng.randrange(31, 34)
    if counts[dragon]:
        return ()
    taken = rng.sample(groups, many)
    for kind, tile in taken:
        for each in (tile, tile + 1, tile + 2) if kind == "chow" else (tile,) * 3:
            counts[each] -= 1
    return (("kong" if rng.random() < 0.2 else "pung", dragon), *taken[1:])


def _sample(name: str, make: Callable[[random.Random], Any]) -> Sample:
    """Returns a sample made in batches, each from its own seed."""

    def batch(number: int) -> list[Any]:
        rng = random.Random(f"{SEED}:{name}:{number}")
        return [make(rng) for _ in range(BATCH)]

    return Sample(batch)


MAYBE_WIN_14 = _sample("win 14", partial(_maybe_win, 4))
MAYBE_WIN_17 = _sample("win 17", partial(_maybe_win, 5))
WIN_14 = _sample("split 14", partial(_win, 4))
WIN_17 = _sample("split 17", partial(_win, 5))
UNFINISHED_13 = _sample("shanten 13", partial(_unfinished, 4))
UNFINISHED_16 = _sample("shanten 16", partial(_unfinished, 5))
SCORE_14 = _sample("score 14", partial(_score, 4))
SCORE_17 = _sample("score 17", partial(_score, 5))
SEEDS = Sample(lambda number: [number])


def tiles(counts: Hand) -> list[int]:
    """Returns the tiles of counts, sorted."""
    return [tile for tile in range(34) for _ in range(counts[tile])]


def meld_tiles(kind: str, tile: int) -> tuple[int, ...]:
    """Returns the tiles of a meld."""
    return (tile, tile + 1, tile + 2) if kind == "chow" else (tile,) * (4 if kind == "kong" else 3)


def is_label(case: tuple[Hand, bool], answer: object) -> bool:
    """Whether a win check agrees with the label."""
    return bool(answer) == case[1]


def is_shanten(hand: Hand, answer: int) -> bool:
    """Whether a shanten of sets and a pair agrees with the plain reference."""
    return answer == plain.shanten(hand, sum(hand) // 3)


def is_useful(hand: Hand, answer: tuple[int, ...]) -> bool:
    """Whether the kinds that lower the shanten of sets and a pair agree with the plain reference."""
    sets = sum(hand) // 3
    now = plain.shanten(hand, sets)
    more = [[held + (kind == tile) for kind, held in enumerate(hand)] for tile in range(34)]
    return answer == tuple(t for t in range(34) if hand[t] < 4 and plain.shanten(more[t], sets) < now)


def is_riichi_shanten(hand: Hand, answer: int) -> bool:
    """The same where seven pairs and thirteen orphans count as well."""
    kinds, pairs = sum(map(bool, hand)), sum(n >= 2 for n in hand)
    seven_pairs = 6 - pairs + max(0, 7 - kinds)
    orphans = 13 - sum(bool(hand[t]) for t in MAJORS) - any(hand[t] >= 2 for t in MAJORS)
    return answer == min(plain.shanten(hand, 4), seven_pairs, orphans)
