"""The finite tables behind shape.py, unpacked on import: what the key of a suit is worth, and how suits add up.

The *distance vector* of a key holds, for 0-5 sets with 0 or 1 pair, the fewest tiles to add so that the suit holds
them, never counting on a fifth copy. There are 1,953,125 suit keys and 187 vectors (83 for honours), so one byte names
a key's vector: its *class*. The vectors of two suits merge by min-plus into one of 328, those of a suit and the honours
into one of 275, so that the distance of a whole hand is a handful of look-ups. The tables are made, and explained
further, by scripts/build_distance_data.py.

The tables by key end in a margin for a *carry*: a fifth copy of the last rank leads there, one of any other rank to a
key that has four copies less and one of the next rank more. So a loop over the tiles that could be added need not look
for kinds held four times: with three tiles less than it should have, a hand is never complete nor nearer than before.
"""

from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from lzma import decompress
from struct import iter_unpack
from typing import Final, TypeVar

from mahjong_engine.distance_data import PACKED

T = TypeVar("T")

_KEYS: Final = (5**9, 5**7)
_CLASSES: Final = (187, 83)
_PAIR_CLASSES: Final = 328
_TAIL_CLASSES: Final = 275
_SETS: Final = range(6)

INCOMPLETE: Final = 64
"""Code of a key that is not made of sets and at most one pair; more than the codes of a complete hand add up to."""
PAIR: Final = 16
"""What a pair adds to a code; a set adds 1."""


def _cut(data: memoryview, *sizes: int) -> Iterator[memoryview]:
    """Yields pieces of the given sizes, one after another."""
    start = 0
    for size in sizes:
        yield data[start : start + size]
        start += size


def _share(values: Iterable[T]) -> tuple[T, ...]:
    """Returns the values, equal ones as one object."""
    known: dict[T, T] = {}
    return tuple(known.setdefault(value, value) for value in values)


_suit, _honours, _suit_codes, _honour_codes, _pairs, _tails, *_distances = _cut(
    memoryview(decompress(a2b_base64(PACKED))),
    *_KEYS,
    *_CLASSES,
    2 * _CLASSES[0] * _CLASSES[0],
    2 * _CLASSES[0] * _CLASSES[1],
    *(_PAIR_CLASSES * _TAIL_CLASSES for _ in _SETS),
)

SUIT_CLASS: Final = b"".join((_suit, bytes(_suit[:1]) * (_KEYS[0] // 5)))
"""Class of every suit key."""
HONOUR_CLASS: Final = b"".join((_honours, bytes(_honours[:1]) * (_KEYS[1] // 5)))
"""Class of every honour key."""

SUIT_CODE: Final = SUIT_CLASS.translate(bytes(_suit_codes).ljust(256))
"""Code of every suit key: sets + PAIR * pairs, or INCOMPLETE."""
HONOUR_CODE: Final = HONOUR_CLASS.translate(bytes(_honour_codes).ljust(256))
"""Code of every honour key."""

_tail_rows = tuple(zip(*iter_unpack(f"<{_CLASSES[1]}H", _tails), strict=True))
TAILS: Final[tuple[tuple[int, ...], ...]] = tuple(_tail_rows[number] for number in HONOUR_CLASS)
"""Merged class of the honours and a suit, by the key of the honours, then the class of the suit."""


def _distances_of(rows: memoryview, pairs: memoryview) -> tuple[tuple[bytes, ...], ...]:
    """Returns the distances to one number of sets by the classes of two suits, then the merged class of the rest."""
    by_pair = _share(bytes(rows[start : start + _TAIL_CLASSES]) for start in range(0, len(rows), _TAIL_CLASSES))
    return _share(tuple([by_pair[pair] for pair in row]) for row in iter_unpack(f"<{_CLASSES[0]}H", pairs))


DISTANCES: Final = tuple(_distances_of(rows, _pairs) for rows in _distances)
"""Fewest tiles that complete a hand, by sets, then the classes of two suits, then the merged class of the rest."""

del _suit, _honours, _suit_codes, _honour_codes, _pairs, _tails, _distances, _tail_rows
