"""Places of the winning tile: every set or pair outside the melds that contains its kind (C49, T52)."""

from typing import Final, NewType

from mahjong_engine.shape import Decomposition
from mahjong_engine.tile import Tile

Place = NewType("Place", int)
"""The lowest tile of the chow that the winning tile completes, or `IN_PAIR` or `IN_TRIPLET`."""

IN_PAIR: Final = Place(-1)
IN_TRIPLET: Final = Place(-2)


Arrangement = tuple[Decomposition, Place]
"""One way to split the tiles, and one place of the winning tile in it."""


def arrangements(splits: tuple[Decomposition, ...], tile: Tile) -> list[Arrangement]:
    """Returns every arrangement of tiles that were completed by this tile."""
    found = []
    for split in splits:
        if split.pair == tile:
            found.append((split, IN_PAIR))
        if split.triplet_bits >> tile & 1:
            found.append((split, IN_TRIPLET))
        if split.chow_bits & (0b111 << tile >> 2):
            lows = range(max(tile - 2, 0), tile + 1)
            found += [(split, Place(low)) for low in lows if split.chow_bits >> low & 1]
    return found
