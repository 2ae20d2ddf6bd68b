"""Concealed tiles as one integer per suit.

`Keys` holds four integers: bamboo, characters, circles, honours. Rank r (0-8; honours in sort order, 0-6) held n times
adds n * 5**r to its suit's integer, so that adding or removing a tile is one addition and every question about a suit
is a table look-up on its integer.
"""

from collections.abc import Iterable
from typing import Final

from mahjong_engine.tile import KIND_COUNT, Tile

Keys = tuple[int, int, int, int]

NO_TILES: Final[Keys] = (0, 0, 0, 0)

SUIT: Final = tuple(tile // 9 for tile in range(KIND_COUNT))
"""Index of a tile's suit in `Keys`."""

UNIT: Final[tuple[int, ...]] = tuple(5 ** (tile % 9) for tile in range(KIND_COUNT))
"""What one copy of a tile adds to its suit's integer."""


def keys_of(tiles: Iterable[Tile]) -> Keys:
    """Returns the keys of tiles without bonus tiles; more than four of a kind are not allowed."""
    keys = [0, 0, 0, 0]
    for tile in tiles:
        keys[SUIT[tile]] += UNIT[tile]
    return keys[0], keys[1], keys[2], keys[3]


def add(keys: Keys, tile: Tile) -> Keys:
    """Returns the keys with one more copy of a tile of which they hold at most three."""
    bamboo, characters, circles, honours = keys
    unit = UNIT[tile]
    if tile < 9:
        return bamboo + unit, characters, circles, honours
    if tile < 18:
        return bamboo, characters + unit, circles, honours
    if tile < 27:
        return bamboo, characters, circles + unit, honours
    return bamboo, characters, circles, honours + unit


def remove(keys: Keys, tile: Tile) -> Keys:
    """Returns the keys with one copy less of a tile that they hold."""
    bamboo, characters, circles, honours = keys
    unit = UNIT[tile]
    if tile < 9:
        return bamboo - unit, characters, circles, honours
    if tile < 18:
        return bamboo, characters - unit, circles, honours
    if tile < 27:
        return bamboo, characters, circles - unit, honours
    return bamboo, characters, circles, honours - unit


def count_of(keys: Keys, tile: Tile) -> int:
    """Returns how many copies of a tile the keys hold, 0-4."""
    return keys[SUIT[tile]] // UNIT[tile] % 5


def tiles_of(keys: Keys) -> tuple[Tile, ...]:
    """Returns the tiles that the keys hold, sorted."""
    return tuple(Tile(t) for t in range(KIND_COUNT) for _ in range(keys[SUIT[t]] // UNIT[t] % 5))
