"""Places of the winning tile: every set or pair outside the melds that contains its kind (C49, T52)."""

from typing import Final, NewType

from mahjong_engine.shape import Decomposition
from mahjong_engine.tile import KINDS, Tile

Place = NewType("Place", int)
"""The lowest tile of the chow that the winning tile completes, or `IN_PAIR` or `IN_TRIPLET`."""

IN_PAIR: Final = Place(-1)
IN_TRIPLET: Final = Place(-2)


Arrangement = tuple[Decomposition, Place]
"""One way to split the tiles, and one place of the winning tile in it."""


_CHOWS: Final = tuple(
    tuple(tuple(Place(tile - 2 + bit) for bit in range(3) if bits >> bit & 1) for bits in range(8)) for tile in KINDS
)
"""Chows that contain a tile, by the tile and by which of the three chows that could there are, as bits."""


def arrangements(splits: tuple[Decomposition, ...], tile: Tile) -> list[Arrangement]:
    """Returns every arrangement of tiles that were completed by this tile."""
    found = []
    for split in splits:
        if split.pair == tile:
            found.append((split, IN_PAIR))
        if split.triplet_bits >> tile & 1:
            found.append((split, IN_TRIPLET))
        for chow in _CHOWS[tile][split.chow_bits << 2 >> tile & 0b111]:
            found.append((split, chow))  # noqa: PERF401 - there is seldom more than one
    return found
