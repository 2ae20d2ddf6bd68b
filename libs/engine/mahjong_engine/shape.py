"""The standard shape: sets and a pair. Is a hand complete, what would complete it, how far is it, how does it split?

Every function takes the concealed tiles as `Keys` and the number of sets that they still have to make: four (classical)
or five (Taiwanese) less the melds.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

from mahjong_engine.keys import SUIT, UNIT, Keys, add, count_of, remove
from mahjong_engine.tile import KIND_COUNT, Tile


class Decomposition(NamedTuple):
    """One way to split tiles into sets and a pair."""

    chows: tuple[Tile, ...]
    """Lowest tile of each chow, sorted."""
    triplets: tuple[Tile, ...]
    """Tile of each triplet, sorted."""
    pair: Tile
    chow_bits: int
    """Bit t is set if at least one of the chows begins with tile t."""
    triplet_bits: int
    """Bit t is set if there is a triplet of tile t."""


def is_complete(keys: Keys, sets: int) -> bool:
    """Whether the tiles are exactly that many sets and a pair."""
    return bool(decompositions(keys, sets))


def waits(keys: Keys, sets: int, *, fifth_copies: bool = False) -> tuple[Tile, ...]:
    """Returns the kinds that complete 3 * sets + 1 tiles, sorted.

    A kind that the keys hold four times is left out, since nobody can ever draw it. With `fifth_copies` it is listed
    too if a fifth copy would complete the tiles: C54 asks so. Copies elsewhere, in melds too, are not looked at.
    """
    found = []
    for tile in map(Tile, range(KIND_COUNT)):
        if count_of(keys, tile) < 4:
            if is_complete(add(keys, tile), sets):
                found.append(tile)
        elif fifth_copies and _is_complete_with_fifth(keys, sets, tile):
            found.append(tile)
    return tuple(found)


def _is_complete_with_fifth(keys: Keys, sets: int, tile: Tile) -> bool:
    """Whether a fifth copy of a tile completes the keys; of five copies some are in a triplet or a chow."""
    if is_complete(remove(remove(keys, tile), tile), sets - 1):
        return True
    for low in range(tile - 2, tile + 1):
        if low < 0 or low + 2 >= 27 or SUIT[low] != SUIT[low + 2]:
            continue
        one, two = (Tile(t) for t in range(low, low + 3) if t != tile)
        if count_of(keys, one) and count_of(keys, two) and is_complete(remove(remove(keys, one), two), sets - 1):
            return True
    return False


def decompositions(keys: Keys, sets: int) -> tuple[Decomposition, ...]:
    """Returns every distinct way to split the tiles into that many sets and a pair; none if they are not complete."""
    found = []
    for parts in product(*(_splits(suit, key) for suit, key in enumerate(keys))):
        pairs = [pair for _, _, pair in parts if pair is not None]
        chows = sum((p[0] for p in parts), ())
        triplets = sum((p[1] for p in parts), ())
        if len(pairs) == 1 and len(chows) + len(triplets) == sets:
            chow_bits = sum({1 << t for t in chows})
            found.append(Decomposition(chows, triplets, pairs[0], chow_bits, sum(1 << t for t in triplets)))
    return tuple(found)


@cache
def _splits(suit: int, key: int) -> tuple[tuple[tuple[Tile, ...], tuple[Tile, ...], Tile | None], ...]:
    found = set()

    def split(rank: int, key: int, chows: tuple[Tile, ...], triplets: tuple[Tile, ...], pair: Tile | None) -> None:
        if not key:
            found.add((chows, triplets, pair))
            return
        while not key // 5**rank % 5:
            rank += 1
        unit = 5**rank
        tile = Tile(9 * suit + rank)
        if key // unit % 5 >= 3:
            split(rank, key - 3 * unit, chows, (*triplets, tile), pair)
        if key // unit % 5 >= 2 and pair is None:
            split(rank, key - 2 * unit, chows, triplets, tile)
        if suit < 3 and rank < 7 and key // unit // 5 % 5 and key // unit // 25 % 5:
            split(rank, key - 31 * unit, (*chows, tile), triplets, pair)

    split(0, key, (), (), None)
    return tuple(sorted(found, key=lambda s: s[:2]))


def shanten(keys: Keys, sets: int) -> int:
    """Returns how many tiles the hand is from ready: -1 complete, 0 ready; no fifth copy is ever counted on."""
    best = {(0, 0): 0}
    for suit, key in enumerate(keys):
        merged: dict[tuple[int, int], int] = {}
        for (s, p), cost in best.items():
            for (s2, p2), cost2 in _distances(suit < 3, key).items():
                where = s + s2, p + p2
                if where[0] <= sets and where[1] <= 1:
                    merged[where] = min(merged.get(where, 99), cost + cost2)
        best = merged
    return best[sets, 1] - 1


@cache
def _distances(is_suit: bool, key: int) -> dict[tuple[int, int], int]:  # noqa: FBT001 - cached
    states = {(0, 0, 0, 0): 0}
    ranks = 9 if is_suit else 7
    for rank in range(ranks):
        held = key // 5**rank % 5
        after: dict[tuple[int, int, int, int], int] = {}
        for (s, p, one, two), cost in states.items():
            for triplets, pairs, chows in product((0, 1), (0, 1), (0, 1, 2) if is_suit and rank < 7 else (0,)):
                use = one + two + 3 * triplets + 2 * pairs + chows
                where = s + triplets + chows, p + pairs, two, chows
                if use <= 4 and where[0] <= 5 and where[1] <= 1:
                    after[where] = min(after.get(where, 99), cost + max(0, use - held))
        states = after
    return {(s, p): cost for (s, p, one, two), cost in states.items() if not one and not two}


def useful_tiles(keys: Keys, sets: int) -> tuple[Tile, ...]:
    """Returns the kinds that lower `shanten`, sorted; of a kind held four times there is no more."""
    now = shanten(keys, sets)
    kinds = [Tile(t) for t in range(KIND_COUNT) if keys[SUIT[t]] // UNIT[t] % 5 < 4]
    return tuple(t for t in kinds if shanten(add(keys, t), sets) < now)


def shanten_after_discards(keys: Keys, sets: int) -> tuple[tuple[Tile, int], ...]:
    """Returns each kind held, sorted, with the shanten of the tiles without one copy of it."""
    kinds = [Tile(t) for t in range(KIND_COUNT) if keys[SUIT[t]] // UNIT[t] % 5]
    return tuple((t, shanten(remove(keys, t), sets)) for t in kinds)
