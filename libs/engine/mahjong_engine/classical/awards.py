"""Every classical award of points and doubles as an item, ready to be listed (docs/rules/classical.md, section 18).

Items are shared values: building the list of a hand's items is picking from here.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from mahjong_engine.classical.constants import SELF_DRAW_POINTS_ON_KONG_REPLACEMENT
from mahjong_engine.settlement import Item
from mahjong_engine.tile import Tile


def worth(items: Iterable[Item]) -> tuple[int, int]:
    """Returns the sums of points and of doubles."""
    points = doubles = 0
    for item in items:
        points += item.points
        doubles += item.doubles
    return points, doubles


# Points of the winner (C53).
WINNING: Final = Item("winning", points=10)
SELF_DRAW: Final = Item("self_draw", points=2)
SELF_DRAW_ON_KONG: Final = Item("self_draw", points=SELF_DRAW_POINTS_ON_KONG_REPLACEMENT)
PAIR_COMPLETED: Final = Item("pair_completed", points=2)
PAIR_COMPLETED_MAJOR: Final = Item("pair_completed_major", points=2)
ONE_CHANCE: Final = Item("one_chance", points=2)

# Points of every seat (C52); those of pungs and kongs are in groups.py.
BONUS_TILES: Final = tuple(Item("bonus_tiles", points=4 * count) for count in range(9))
"""By number of bonus tiles."""


@cache
def group(tile: Tile, size: int, points: int) -> Item:
    """Returns the item of a pung or kong."""
    return Item("group", points=points, tiles=(tile,) * size)


@cache
def pair(tile: Tile, points: int) -> Item:
    """Returns the item of a pair that has points."""
    return Item("pair", points=points, tiles=(tile, tile))


# Doubles of every seat (C55).
DRAGON_GROUP: Final = Item("dragon_group", doubles=1)
SEAT_WIND: Final = Item("seat_wind", doubles=1)
ROUND_WIND: Final = Item("round_wind", doubles=1)
THREE_CONCEALED_TRIPLETS: Final = Item("three_concealed_triplets", doubles=1)
LITTLE_THREE_DRAGONS: Final = Item("little_three_dragons", doubles=3)
BIG_THREE_DRAGONS: Final = Item("big_three_dragons", doubles=5)
LITTLE_FOUR_WINDS: Final = Item("little_four_winds", doubles=1)
FOUR_WINDS: Final = Item("four_winds", doubles=4)
OWN_FLOWER_AND_SEASON: Final = Item("own_flower_and_season", doubles=1)
FOUR_FLOWERS: Final = Item("four_flowers", doubles=1)
FOUR_SEASONS: Final = Item("four_seasons", doubles=1)

# Doubles of the winner (C56).
ALL_CHOWS: Final = Item("all_chows", doubles=1)
ALL_PUNGS: Final = Item("all_pungs", doubles=1)
TERMINALS_AND_HONOURS: Final = Item("terminals_and_honours", doubles=1)
ONE_SUIT_WITH_HONOURS: Final = Item("one_suit_with_honours", doubles=1)
PURE_SUIT: Final = Item("pure_suit", doubles=3)
CONCEALED_SELF_DRAW: Final = Item("concealed_self_draw", doubles=1)
LAST_LIVE_TILE: Final = Item("last_live_tile", doubles=1)
LAST_DISCARD: Final = Item("last_discard", doubles=1)
KONG_REPLACEMENT: Final = Item("kong_replacement", doubles=1)
ROBBING_A_KONG: Final = Item("robbing_a_kong", doubles=1)
ORIGINAL_CALL: Final = Item("original_call", doubles=1)
