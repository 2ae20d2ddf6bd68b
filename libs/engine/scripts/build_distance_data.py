"""Builds mahjong_engine/distance_data.py: every finite table that mahjong_engine/distance.py unpacks.

Run it as `make tables`; it takes a few seconds. A test builds the tables again and compares them with the shipped ones.

Of each suit key the *distance vector* is taken: for 0-5 sets with 0 or 1 pair, the fewest tiles to add so that the suit
holds them, never counting on a fifth copy. A suit has 1,953,125 keys but only 187 different vectors, the honours 83, so
one byte a key names the vector, its *class*. The vectors of two disjoint parts of a hand merge by min-plus: the
cheapest way to share out sets and pair. Merged vectors are few again, so that merging is a table look-up too.
"""

import lzma
from base64 import b64encode
from itertools import product
from pathlib import Path
from struct import pack
from textwrap import wrap

SETS = 5
SLOTS = tuple(product(range(SETS + 1), (0, 1)))
"""The places of a distance vector: (sets, pairs)."""
INCOMPLETE = 64
IMPOSSIBLE = 99
FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0, "dict_size": 1 << 20},)
TARGET = Path(__file__).parents[1] / "mahjong_engine" / "distance_data.py"

Vector = tuple[int, ...]

# A state of the walk over the ranks is (sets begun, pairs, chows that need one more rank, chows that need two more).
# Three equal chows are the tiles of three triplets, so at most two chows begin at one rank.
_STATES = tuple(product(range(SETS + 1), (0, 1), range(3), range(3)))
_INDEX = {state: index for index, state in enumerate(_STATES)}
_START = tuple(0 if state == (0, 0, 0, 0) else IMPOSSIBLE for state in _STATES)
_ENDS = tuple(_INDEX[sets, pairs, 0, 0] for sets, pairs in SLOTS)


def _moves(held: int, *, chows: bool) -> tuple[tuple[int, int, int], ...]:
    """Returns what a rank held so often can be used for: (state before, state after, copies missing)."""
    moves = []
    for (sets, pairs, one, two), triplet, pair, begun in product(_STATES, (0, 1), (0, 1), range(3) if chows else (0,)):
        used = one + two + 3 * triplet + 2 * pair + begun
        after = (sets + triplet + begun, pairs + pair, two, begun)
        if used <= 4 and after in _INDEX:
            moves.append((_INDEX[sets, pairs, one, two], _INDEX[after], max(0, used - held)))
    return tuple(moves)


_MOVES = {chows: tuple(_moves(held, chows=chows) for held in range(5)) for chows in (False, True)}


def _step(costs: Vector, moves: tuple[tuple[int, int, int], ...]) -> Vector:
    """Returns the least cost of every state after one more rank."""
    after = [IMPOSSIBLE] * len(_STATES)
    for before, state, missing in moves:
        cost = costs[before] + missing
        if cost < after[state]:  # noqa: PLR1730 - nearly all of the build's time is spent here
            after[state] = cost
    return tuple(after)


def classify(ranks: int, *, chows: bool) -> tuple[bytes, tuple[Vector, ...]]:
    """Returns the class of every key of a suit with so many ranks, and the distance vector of every class.

    Keys that share the costs of their higher ranks share a whole stretch of the table, so few costs are computed.
    """
    seen: dict[Vector, int] = {}
    stretches: list[dict[Vector, bytes]] = [{} for _ in range(ranks + 1)]

    def stretch(left: int, costs: Vector) -> bytes:
        known = stretches[left].get(costs)
        if known is None:
            if left:
                moves = _MOVES[chows and left > 2]
                known = b"".join(stretch(left - 1, _step(costs, moves[held])) for held in range(5))
            else:
                known = bytes([seen.setdefault(tuple(costs[end] for end in _ENDS), len(seen))])
            stretches[left][costs] = known
        return known

    table = stretch(ranks, _START)
    vectors = tuple(sorted(seen))
    renumber = bytearray(256)
    for number, vector in enumerate(vectors):
        renumber[seen[vector]] = number
    return table.translate(bytes(renumber)), vectors


def whole_codes(ranks: int, classes: bytes, *, chows: bool) -> bytes:
    """Returns for every class sets + 16 * pairs if its keys are exactly those sets and pairs, else INCOMPLETE."""
    groups = [3 * 5**rank for rank in range(ranks)] + [31 * 5**rank for rank in range(ranks - 2 if chows else 0)]
    whole = {0}
    codes = bytearray([INCOMPLETE]) * (max(classes) + 1)
    for sets in range(SETS + 1):
        for key, pair in product(whole, (0, *(2 * 5**rank for rank in range(ranks)))):
            if not pair or _can_add(key, pair, ranks):
                codes[classes[key + pair]] = sets + 16 * bool(pair)
        whole = {key + group for key, group in product(whole, groups) if _can_add(key, group, ranks)}
    return bytes(codes)


def _can_add(key: int, group: int, ranks: int) -> bool:
    return all(key // 5**rank % 5 + group // 5**rank % 5 < 5 for rank in range(ranks))


def _merge(left: Vector, right: Vector) -> Vector:
    return tuple(
        min(left[2 * s + p] + right[2 * (sets - s) + pairs - p] for s in range(sets + 1) for p in range(pairs + 1))
        for sets, pairs in SLOTS
    )


def merge_all(left: tuple[Vector, ...], right: tuple[Vector, ...]) -> tuple[list[int], tuple[Vector, ...]]:
    """Returns the merged class of every pair of classes, row by row, and the distance vector of every merged class."""
    merged = [_merge(one, other) for one, other in product(left, right)]
    vectors = tuple(sorted(set(merged)))
    number = {vector: index for index, vector in enumerate(vectors)}
    return [number[vector] for vector in merged], vectors


def distances(left: tuple[Vector, ...], right: tuple[Vector, ...], sets: int) -> bytes:
    """Returns the distance to so many sets and a pair for every pair of merged classes, row by row."""
    ways = [(2 * s + p, 2 * (sets - s) + 1 - p) for s in range(sets + 1) for p in (0, 1)]
    return bytes(min(one[i] + other[j] for i, j in ways) for one, other in product(left, right))


def build() -> bytes:
    """Returns all tables one after another, in the order in which distance.py cuts them."""
    suit, suit_vectors = classify(9, chows=True)
    honour, honour_vectors = classify(7, chows=False)
    pairs, pair_vectors = merge_all(suit_vectors, suit_vectors)
    tails, tail_vectors = merge_all(suit_vectors, honour_vectors)
    return b"".join(
        (
            suit,
            honour,
            whole_codes(9, suit, chows=True),
            whole_codes(7, honour, chows=False),
            pack(f"<{len(pairs)}H", *pairs),
            pack(f"<{len(tails)}H", *tails),
            *(distances(pair_vectors, tail_vectors, sets) for sets in range(SETS + 1)),
        )
    )


def main() -> None:
    """Writes the module."""
    packed = b64encode(lzma.compress(build(), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, filters=FILTERS)).decode()
    lines = "\n".join(f'    "{line}"' for line in wrap(packed, 112))
    TARGET.write_text(
        '"""The tables of distance.py, packed. Made by scripts/build_distance_data.py; do not edit."""\n\n'
        f"from typing import Final\n\nPACKED: Final = (\n{lines}\n)\n"
    )


if __name__ == "__main__":
    main()
