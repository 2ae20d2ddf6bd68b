"""Places of the winning tile: every set or pair outside the melds that contains its kind (C49, T52)."""

from typing import Final, NamedTuple, NewType

from mahjong_engine.shape import Decomposition
from mahjong_engine.tile import Tile

Place = NewType("Place", int)
"""The lowest tile of the chow that the winning tile completes, or `IN_PAIR` or `IN_TRIPLET`."""

IN_PAIR: Final = Place(-1)
IN_TRIPLET: Final = Place(-2)


class Arrangement(NamedTuple):
    """One way to split the tiles, and one place of the winning tile in it."""

    split: Decomposition
    place: Place


def arrangements(splits: tuple[Decomposition, ...], tile: Tile) -> list[Arrangement]:
    """Returns every arrangement of tiles that were completed by this tile."""
    return [Arrangement(split, place) for split in splits for place in _places(split, tile)]


def _places(split: Decomposition, tile: Tile) -> list[Place]:
    places = []
    if split.pair == tile:
        places.append(IN_PAIR)
    if split.triplet_bits >> tile & 1:
        places.append(IN_TRIPLET)
    if split.chow_bits & (0b111 << tile >> 2):
        places += [Place(low) for low in range(max(tile - 2, 0), tile + 1) if split.chow_bits >> low & 1]
    return places
