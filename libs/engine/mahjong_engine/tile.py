"""Tiles as small integers, in the fixed sort order of docs/formats/notation.md.

0-8 bamboo, 9-17 characters, 18-26 circles, 27-30 winds E S W N, 31-33 dragons R G P, 34-37 flowers, 38-41 seasons.
Copies of a tile are not told apart.
"""

from typing import Final, NewType

Tile = NewType("Tile", int)
"""One kind of tile, 0-41; comparing two tiles compares their places in the sort order."""

Seat = NewType("Seat", int)
"""A seat of the match, 0-3, fixed for its whole length."""

CODES: Final = (
    *(f"{rank}{suit}" for suit in "bcd" for rank in range(1, 10)),
    *("E", "S", "W", "N", "R", "G", "P"),
    *(f"{kind}{number}" for kind in "fs" for number in range(1, 5)),
)
"""Code of every tile, by tile."""

TILES: Final[dict[str, Tile]] = {code: Tile(index) for index, code in enumerate(CODES)}
"""Tile of every code."""

KIND_COUNT: Final = 34
"""Number of kinds that can be part of a set; tiles from here on are bonus tiles."""

KINDS: Final = tuple(Tile(t) for t in range(KIND_COUNT))
"""Every kind that can be part of a set, sorted."""

EAST, SOUTH, WEST, NORTH = WINDS = tuple(Tile(t) for t in range(27, 31))
RED, GREEN, WHITE = DRAGONS = tuple(Tile(t) for t in range(31, 34))
FLOWERS: Final = tuple(Tile(t) for t in range(34, 38))
SEASONS: Final = tuple(Tile(t) for t in range(38, 42))
MAJORS: Final = tuple(Tile(t) for t in (0, 8, 9, 17, 18, 26, *range(27, 34)))
"""Terminals and honours, the thirteen orphans."""

SORTED_SET: Final = tuple(t for t in map(Tile, range(KIND_COUNT)) for _ in range(4)) + FLOWERS + SEASONS
"""All 144 tiles in sort order, copies side by side."""


class MalformedTileError(ValueError):
    """A text that is no tile code."""


def parse_tile(code: object) -> Tile:
    """Returns the tile of a code such as `5b`, `E` or `f1`.

    Raises:
        MalformedTileError: the value is no tile code.
    """
    tile = TILES.get(code) if isinstance(code, str) else None
    if tile is None:
        raise MalformedTileError(f"{code!r} is no tile")
    return tile


def is_bonus(tile: Tile) -> bool:
    """Whether the tile is a flower or a season."""
    return tile >= KIND_COUNT


def is_honour(tile: Tile) -> bool:
    """Whether the tile is a wind or a dragon."""
    return 27 <= tile < KIND_COUNT


def is_major(tile: Tile) -> bool:
    """Whether the tile is a terminal or an honour."""
    return tile in MAJORS


def seat_wind(seat: Seat, dealer: Seat) -> Tile:
    """Returns the wind of a seat under a dealer (C2, T2)."""
    return WINDS[(seat - dealer) % 4]
