"""Places of the winning tile: every set or pair outside the melds that contains its kind (C49, T52)."""

from typing import Final, NewType

from mahjong_engine.shape import Decomposition
from mahjong_engine.tile import KIND_COUNT, Tile

Place = NewType("Place", int)
"""The lowest tile of the chow that the winning tile completes, or `IN_PAIR` or `IN_TRIPLET`."""

IN_PAIR: Final = Place(-1)
IN_TRIPLET: Final = Place(-2)


Arrangement = tuple[Decomposition, Place]
"""One way to split the tiles, and one place of the winning tile in it."""


_LOWS: Final = tuple(tuple(Place(low) for low in range(max(tile - 2, 0), tile + 1)) for tile in range(KIND_COUNT))
"""Lowest tiles of the chows that a tile can be in; where they are of another suit there is no such chow anyway."""


def arrangements(splits: tuple[Decomposition, ...], tile: Tile) -> list[Arrangement]:
    """Returns every arrangement of tiles that were completed by this tile."""
    found = []
    for split in splits:
        if split.pair == tile:
            found.append((split, IN_PAIR))
        if split.triplet_bits >> tile & 1:
            found.append((split, IN_TRIPLET))
        if split.chow_bits & (0b111 << tile >> 2):
            for low in _LOWS[tile]:
                if split.chow_bits >> low & 1:
                    found.append((split, low))  # noqa: PERF401 - there are one or two
    return found
