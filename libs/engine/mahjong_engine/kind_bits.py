"""Sets of kinds as one integer: bit t stands for tile t.

Awards for all tiles of a hand ("one suit only", "majors only") are tests of one such integer.
"""

from collections.abc import Iterable
from typing import Final

from mahjong_engine.keys import Keys, kinds_of
from mahjong_engine.shape import Decomposition
from mahjong_engine.tile import DRAGONS, MAJORS, WINDS, Tile


def bits_of(tiles: Iterable[Tile]) -> int:
    """Returns the kinds of the tiles."""
    kinds = 0
    for tile in tiles:
        kinds |= 1 << tile
    return kinds


WIND_BITS: Final = bits_of(WINDS)
DRAGON_BITS: Final = bits_of(DRAGONS)
HONOUR_BITS: Final = WIND_BITS | DRAGON_BITS
MAJOR_BITS: Final = bits_of(MAJORS)
TERMINAL_BITS: Final = MAJOR_BITS & ~HONOUR_BITS
SUIT_BITS: Final = tuple(0b111111111 << 9 * suit for suit in range(3))
"""Kinds of each of the three suits."""


def bits_of_keys(keys: Keys) -> int:
    """Returns the kinds that the keys hold."""
    return bits_of(kinds_of(keys))


def bits_of_split(split: Decomposition) -> int:
    """Returns the kinds of all tiles of a split."""
    lows = split.chow_bits
    return lows | lows << 1 | lows << 2 | split.triplet_bits | 1 << split.pair


def is_one_suit(kinds: int) -> bool:
    """Whether the tiles are of one suit only, without honours."""
    return not kinds & _OUTSIDE[(kinds & -kinds).bit_length()]


_OUTSIDE: Final = (0, *(~suit for suit in SUIT_BITS for _ in range(9)), *(HONOUR_BITS for _ in range(7)))
"""Kinds outside the suit of the lowest kind, by the number of that kind's bit, counted from 1; honours are no suit."""


def is_one_suit_with_honours(kinds: int) -> bool:
    """Whether the tiles are of one suit, at least one of it, and at least one is an honour."""
    suits = kinds & ~HONOUR_BITS
    return suits not in (0, kinds) and is_one_suit(suits)
