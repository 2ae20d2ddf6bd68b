"""Sets of kinds as one integer: bit t stands for tile t.

Awards for all tiles of a hand ("one suit only", "majors only") are tests of one such integer.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from mahjong_engine.keys import UNIT, Keys
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.tile import DRAGONS, KIND_COUNT, MAJORS, WINDS, Tile


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
    bamboo, characters, circles, honours = keys
    return _suit_kinds(0, bamboo) | _suit_kinds(9, characters) | _suit_kinds(18, circles) | _suit_kinds(27, honours)


@cache
def _suit_kinds(first: int, key: int) -> int:
    return bits_of(Tile(t) for t in range(first, min(first + 9, KIND_COUNT)) if key // UNIT[t] % 5)


def bits_of_melds(melds: Iterable[Meld]) -> int:
    """Returns the kinds that the melds are made of."""
    kinds = 0
    for meld in melds:
        kinds |= (7 if meld.kind is MeldKind.CHOW else 1) << meld.tile
    return kinds


def is_one_suit(kinds: int) -> bool:
    """Whether the tiles are of one suit only, without honours."""
    bamboo, characters, circles = SUIT_BITS
    return kinds & ~bamboo == 0 or kinds & ~characters == 0 or kinds & ~circles == 0


def is_one_suit_with_honours(kinds: int) -> bool:
    """Whether the tiles are of one suit, at least one of it, and at least one is an honour."""
    suits = kinds & ~HONOUR_BITS
    return suits not in (0, kinds) and is_one_suit(suits)
