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
from collections.abc import Iterator
from lzma import decompress
from struct import iter_unpack
from typing import Final

from mahjong_engine.distance_data import PACKED

_KEYS: Final = (5**9, 5**7)
_CLASSES: Final = (187, 83)
_PAIR_CLASSES: Final = 328
_TAIL_CLASSES: Final = 275
_SETS: Final = range(6)

INCOMPLETE: Final = 64
"""Code of a key that is not made of sets and at most one pair; more than the codes of a complete hand add up to."""
PAIR: Final = 16
"""What a pair adds to a code; a set adds 1."""


def _cut(data: bytes, *sizes: int) -> Iterator[bytes]:
    """Yields pieces of the given sizes, one after another."""
    start = 0
    for size in sizes:
        yield data[start : start + size]
        start += size


_suit, _honours, _suit_codes, _honour_codes, _pairs, _tails, *_distances = _cut(
    decompress(a2b_base64(PACKED)),
    *_KEYS,
    *_CLASSES,
    2 * _CLASSES[0] * _CLASSES[0],
    2 * _CLASSES[0] * _CLASSES[1],
    *(_PAIR_CLASSES * _TAIL_CLASSES for _ in _SETS),
)

SUIT_CLASS: Final = _suit + _suit[:1] * (_KEYS[0] // 5)
"""Class of every suit key."""
HONOUR_CLASS: Final = _honours + _honours[:1] * (_KEYS[1] // 5)
"""Class of every honour key."""

SUIT_CODE: Final = SUIT_CLASS.translate(_suit_codes.ljust(256))
"""Code of every suit key: sets + PAIR * pairs, or INCOMPLETE."""
HONOUR_CODE: Final = HONOUR_CLASS.translate(_honour_codes.ljust(256))
"""Code of every honour key."""

PAIRS: Final[tuple[tuple[int, ...], ...]] = tuple(iter_unpack(f"<{_CLASSES[0]}H", _pairs))
"""Merged class of two suits, by the class of one, then of the other."""
TAILS: Final[tuple[tuple[int, ...], ...]] = tuple(iter_unpack(f"<{_CLASSES[1]}H", _tails))
"""Merged class of a suit and the honours, by the class of the suit, then of the honours."""
DISTANCES: Final = tuple(
    tuple(rows[start : start + _TAIL_CLASSES] for start in range(0, len(rows), _TAIL_CLASSES)) for rows in _distances
)
"""Fewest tiles to add to complete a hand, by sets, then merged class of two suits, then merged class of the rest."""

del _suit, _honours, _suit_codes, _honour_codes, _pairs, _tails, _distances
