"""Thirteen orphans: one of each terminal and honour and a second of one of them (C37)."""

from typing import Final

from mahjong_engine.keys import Keys, count_of
from mahjong_engine.tile import MAJORS, Tile

_NINE: Final = 5**8
"""What a 9 adds to its suit; a suit without simples holds less than five beside it."""
_SUIT: Final = 1 + _NINE
"""Key of a suit with one of each terminal."""
_HONOURS: Final = sum(5**rank for rank in range(7))
"""Key of one of each honour."""

_SUIT_EXTRAS: Final = {_SUIT: 0, _SUIT + 1: 1, _SUIT + _NINE: 1}
"""Tiles beyond one of each, by key of a suit that can be part of the shape."""
_HONOUR_EXTRAS: Final = {_HONOURS: 0} | {_HONOURS + 5**rank: 1 for rank in range(7)}


def is_thirteen_orphans(keys: Keys) -> bool:
    """Whether the tiles are thirteen orphans; fourteen tiles, so never with a meld."""
    bamboo, characters, circles, honours = keys
    extras = _SUIT_EXTRAS
    return (
        bamboo in extras
        and characters in extras
        and circles in extras
        and honours in _HONOUR_EXTRAS
        and extras[bamboo] + extras[characters] + extras[circles] + _HONOUR_EXTRAS[honours] == 1
    )


def orphan_waits(keys: Keys) -> tuple[Tile, ...]:
    """Returns the kinds that complete thirteen tiles to thirteen orphans, sorted; never one that is held four times."""
    bamboo, characters, circles, _ = keys
    if bamboo % _NINE > 4 or characters % _NINE > 4 or circles % _NINE > 4 or orphan_shanten(keys):
        return ()  # nearly always for a simple
    return tuple(tile for tile in MAJORS if not count_of(keys, tile)) or MAJORS


def orphan_shanten(keys: Keys) -> int:
    """Returns how many tiles thirteen or fourteen tiles are from ready: -1 complete, 0 ready."""
    counts = [count_of(keys, tile) for tile in MAJORS]
    return 13 - sum(map(bool, counts)) - (max(counts) > 1)
