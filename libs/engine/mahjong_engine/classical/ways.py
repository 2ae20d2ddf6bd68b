"""Awards of the way of winning: points and doubles of the winning tile's source (C39, C53, C57)."""

from functools import cache
from typing import Final

from mahjong_engine.classical import awards
from mahjong_engine.classical.constants import LAST_LIVE_TILE_COVERS_KONG_REPLACEMENT, WAYS_OF_WINNING_EXCLUSIVE
from mahjong_engine.settlement import SELF_DRAWN, Item, WinSource

_ROBBING: Final = frozenset({WinSource.ROBBED_PROMOTED_KONG, WinSource.ROBBED_CONCEALED_KONG})


def is_last_live_tile(source: WinSource, *, is_wall_empty: bool) -> bool:
    """Whether the winning tile is the last live tile (C39)."""
    return is_wall_empty and (
        source is WinSource.LIVE_WALL
        or (LAST_LIVE_TILE_COVERS_KONG_REPLACEMENT and source is WinSource.KONG_REPLACEMENT)
    )


def is_last_discard(source: WinSource, *, is_wall_empty: bool) -> bool:
    """Whether the winning tile is a last discard (C39)."""
    return is_wall_empty and source is WinSource.DISCARD


@cache
def way_items(source: WinSource, is_wall_empty: bool) -> tuple[Item, ...]:  # noqa: FBT001 - a key of the cache
    """Returns the awards of winning and of the way of winning."""
    is_last = is_last_live_tile(source, is_wall_empty=is_wall_empty)
    items = [awards.WINNING]
    if source in SELF_DRAWN and not is_last:
        items.append(awards.SELF_DRAW_ON_KONG if source is WinSource.KONG_REPLACEMENT else awards.SELF_DRAW)
    ways = []
    if is_last:
        ways.append(awards.LAST_LIVE_TILE)
    if is_last_discard(source, is_wall_empty=is_wall_empty):
        ways.append(awards.LAST_DISCARD)
    if source is WinSource.KONG_REPLACEMENT:
        ways.append(awards.KONG_REPLACEMENT)
    if source in _ROBBING:
        ways.append(awards.ROBBING_A_KONG)
    return (*items, *(ways[:1] if WAYS_OF_WINNING_EXCLUSIVE else ways))
