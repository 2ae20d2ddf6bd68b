"""Concealed tiles as one integer per suit.

`Keys` holds four integers: bamboo, characters, circles, honours. Rank r (0-8; honours in sort order, 0-6) held n times
adds n * 5**r to its suit's integer, so that adding or removing a tile is one addition and every question about a suit
is a table look-up on its integer. Where a table for all 5**9 keys of a suit would be too much, the two halves of a key
are looked up: its five lower ranks, `key % HALF`, and the ranks above, `key // HALF`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from mahjong_engine.tile import CODES, KIND_COUNT, MalformedTileError, Tile

Keys = tuple[int, int, int, int]

NO_TILES: Final[Keys] = (0, 0, 0, 0)

SUIT: Final = tuple(tile // 9 for tile in range(KIND_COUNT))
"""Index of a tile's suit in `Keys`."""

UNIT: Final[tuple[int, ...]] = tuple(5 ** (tile % 9) for tile in range(KIND_COUNT))
"""What one copy of a tile adds to its suit's integer."""

HALF: Final = 5**5
"""Divides a suit's integer into its five lower ranks and the ranks above."""


_BITS: Final = 24
"""Room for a suit's integer where all four stand in one, even if it holds one kind `_MOST` times."""
_MOST: Final = 24
"""More tiles than any hand has; as many of one kind stay below 5**10, so that `size_of` reads every carry."""
_MASK: Final = (1 << _BITS) - 1
_PACKED_UNIT: Final = tuple(unit << _BITS * suit for unit, suit in zip(UNIT, SUIT, strict=True))
_PACKED_CODE: Final = dict(zip(CODES, _PACKED_UNIT, strict=False))


def keys_of(tiles: Iterable[Tile]) -> Keys:
    """Returns the keys of tiles without bonus tiles; more than four of a kind are not allowed."""
    packed = 0
    for tile in tiles:
        packed += _PACKED_UNIT[tile]
    return packed & _MASK, packed >> _BITS & _MASK, packed >> 2 * _BITS & _MASK, packed >> 3 * _BITS


def parse_keys(codes: Sequence[str]) -> Keys:
    """Returns the keys of tiles given by their codes, in any order.

    Raises:
        MalformedTileError: something is no code, is a bonus tile, or is there five times; or there are over 24 tiles.
    """
    packed = 0
    try:
        for code in codes:
            packed += _PACKED_CODE[code]
    except (KeyError, TypeError):
        raise MalformedTileError(f"{code!r} is no tile that a set can hold") from None
    if len(codes) > _MOST:
        raise MalformedTileError(f"{len(codes)} tiles are no hand")
    keys = packed & _MASK, packed >> _BITS & _MASK, packed >> 2 * _BITS & _MASK, packed >> 3 * _BITS
    if size_of(keys) != len(codes):  # five copies have carried into the next rank, where they count for one
        raise MalformedTileError("more than four copies of a tile")
    return keys


def add(keys: Keys, tile: Tile) -> Keys:
    """Returns the keys with one more copy of a tile of which they hold at most three."""
    bamboo, characters, circles, honours = keys
    if tile < 9:
        return bamboo + UNIT[tile], characters, circles, honours
    if tile < 18:
        return bamboo, characters + UNIT[tile], circles, honours
    if tile < 27:
        return bamboo, characters, circles + UNIT[tile], honours
    return bamboo, characters, circles, honours + UNIT[tile]


def remove(keys: Keys, tile: Tile) -> Keys:
    """Returns the keys with one copy less of a tile that they hold."""
    bamboo, characters, circles, honours = keys
    if tile < 9:
        return bamboo - UNIT[tile], characters, circles, honours
    if tile < 18:
        return bamboo, characters - UNIT[tile], circles, honours
    if tile < 27:
        return bamboo, characters, circles - UNIT[tile], honours
    return bamboo, characters, circles, honours - UNIT[tile]


def count_of(keys: Keys, tile: Tile) -> int:
    """Returns how many copies of a tile the keys hold, 0-4."""
    return keys[SUIT[tile]] // UNIT[tile] % 5


def sum_by_half(*values: int) -> tuple[int, ...]:
    """Returns for every half of a suit's integer the sum, over its ranks, of the value of how often each is held."""
    sums = [0]
    for _ in range(5):
        sums = [value + total for value in values for total in sums]
    return tuple(sums)


_SIZES: Final = sum_by_half(0, 1, 2, 3, 4)


def size_of(keys: Keys) -> int:
    """Returns how many tiles the keys hold."""
    bamboo, characters, circles, honours = keys
    return (
        _SIZES[bamboo % HALF]
        + _SIZES[bamboo // HALF]
        + _SIZES[characters % HALF]
        + _SIZES[characters // HALF]
        + _SIZES[circles % HALF]
        + _SIZES[circles // HALF]
        + _SIZES[honours % HALF]
        + _SIZES[honours // HALF]
    )


class _Half(dict[int, tuple[Tile, ...]]):
    """Tiles by half of a suit's integer, filled on first sight: each kind as often as `copies` says for its count."""

    def __init__(self, first: int, copies: tuple[int, ...]) -> None:
        self._first = first
        self._copies = copies

    def __missing__(self, half: int) -> tuple[Tile, ...]:
        tiles: tuple[Tile, ...] = ()
        tile, rest = self._first, half
        while rest:
            rest, count = divmod(rest, 5)
            tiles += (Tile(tile),) * self._copies[count]
            tile += 1
        self[half] = tiles
        return tiles


def _reader(*copies: int) -> Callable[[Keys], tuple[Tile, ...]]:
    """Returns a function that lists each kind as often as `copies` says for its count."""
    a, b, c, d, e, f, g, h = (_Half(first, copies) for suit in range(4) for first in (9 * suit, 9 * suit + 5))

    def read(keys: Keys) -> tuple[Tile, ...]:
        bamboo, characters, circles, honours = keys
        return (
            a[bamboo % HALF]
            + b[bamboo // HALF]
            + c[characters % HALF]
            + d[characters // HALF]
            + e[circles % HALF]
            + f[circles // HALF]
            + g[honours % HALF]
            + h[honours // HALF]
        )

    return read


tiles_of: Final = _reader(0, 1, 2, 3, 4)
"""Returns the tiles that the keys hold, sorted, copies side by side."""

kinds_of: Final = _reader(0, 1, 1, 1, 1)
"""Returns the kinds that the keys hold, sorted."""

fours_of: Final = _reader(0, 0, 0, 0, 1)
"""Returns the kinds that the keys hold four times, sorted."""
