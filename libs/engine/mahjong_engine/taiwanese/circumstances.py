"""Awards of the way of winning and of all tiles, which both shapes can earn (T55, T57)."""

from functools import cache
from typing import Final

from mahjong_engine.kind_bits import HONOUR_BITS, is_one_suit, is_one_suit_with_honours
from mahjong_engine.settlement import Item, WinSource
from mahjong_engine.taiwanese import awards
from mahjong_engine.taiwanese.constants import (
    FULL_FLUSH_WITH_NO_HONOURS,
    HALF_FLUSH_NEEDS_SUIT_TILE,
    HEAVENLY_HAND_ALLOWS,
    LAST_TILE_COVERS_LAST_DISCARD,
    LAST_TILE_COVERS_REPLACEMENT,
    ORIGINAL_CALL_WITH_EARTHLY_HAND,
)
from mahjong_engine.taiwanese.won_hand import WonHand

_LAST_TILE_SOURCES: Final = (
    {WinSource.LIVE_WALL}
    | ({WinSource.DISCARD} if LAST_TILE_COVERS_LAST_DISCARD else set())
    | ({WinSource.KONG_REPLACEMENT, WinSource.FLOWER_REPLACEMENT} if LAST_TILE_COVERS_REPLACEMENT else set())
)


def winning_awards(hand: WonHand) -> list[Item]:
    """Returns the awards of winning, of flowers shown, of the way of winning and of one suit."""
    seat, case = hand.seat, hand.case
    way = _way_awards(
        hand.source,
        case.live_tiles_left == 0,
        hand.is_east,
        min(case.discard_count, _LATE),
        len(seat.bonus),
        bool(seat.melds),
        seat.original_call,
    )
    return [*way, *_flush_awards(hand.kinds)]


_LATE: Final = 10
"""A number of discards for which no early win counts."""


@cache
def _way_awards(
    source: WinSource,
    is_wall_empty: bool,  # noqa: FBT001 - all are keys of the cache
    is_east: bool,  # noqa: FBT001
    discard_count: int,
    flower_count: int,
    has_melds: bool,  # noqa: FBT001
    original_call: bool,  # noqa: FBT001
) -> tuple[Item, ...]:
    earned = [awards.WINNING]
    if flower_count:
        earned.append(awards.FLOWERS[flower_count])
    if is_wall_empty and source in _LAST_TILE_SOURCES:
        earned.append(awards.LAST_TILE)
    if source is WinSource.ROBBED_PROMOTED_KONG:
        earned.append(awards.ROBBING_A_KONG)
    is_earthly = not is_east and discard_count == 1 and source is WinSource.DISCARD
    is_heavenly = is_east and discard_count == 0 and _may_be_heavenly(flower_count=flower_count, has_melds=has_melds)
    if is_earthly:
        earned.append(awards.EARTHLY_HAND)
    elif is_heavenly:
        earned.append(awards.HEAVENLY_HAND)
    elif discard_count <= 5:
        earned.append(awards.WIN_WITHIN_FIVE_DISCARDS)
    elif discard_count <= 9:
        earned.append(awards.WIN_WITHIN_NINE_DISCARDS)
    if original_call and (ORIGINAL_CALL_WITH_EARTHLY_HAND or not is_earthly):
        earned.append(awards.ORIGINAL_CALL)
    return tuple(earned)


def _may_be_heavenly(*, flower_count: int, has_melds: bool) -> bool:
    """Before any discard all melds are concealed kongs."""
    return ("flowers" in HEAVENLY_HAND_ALLOWS or not flower_count) and (
        "concealed_kongs" in HEAVENLY_HAND_ALLOWS or not has_melds
    )


def _flush_awards(kinds: int) -> list[Item]:
    if is_one_suit(kinds):
        return [awards.FULL_FLUSH]
    if is_one_suit_with_honours(kinds) or (not HALF_FLUSH_NEEDS_SUIT_TILE and not kinds & ~HONOUR_BITS):
        return [awards.HALF_FLUSH]
    return []


def concealment_awards(hand: WonHand) -> list[Item]:
    """Returns the award of a concealed hand or of a self-draw."""
    if hand.laid.open_count == 0:
        return [awards.CONCEALED_SELF_DRAW if hand.is_self_drawn else awards.CONCEALED_HAND]
    return [awards.SELF_DRAW] if hand.is_self_drawn else []


def absence_awards(hand: WonHand, *, is_all_chows: bool = False) -> list[Item]:
    """Returns the awards of tiles without honours or flowers, and of all chows, which replace one another."""
    no_flowers = not hand.seat.bonus
    no_honours = not hand.kinds & HONOUR_BITS and (FULL_FLUSH_WITH_NO_HONOURS or not is_one_suit(hand.kinds))
    if is_all_chows and no_honours and no_flowers:
        return [awards.ALL_CHOWS_NO_HONOURS_NO_FLOWERS]
    earned = [awards.ALL_CHOWS] if is_all_chows else []
    if no_honours and no_flowers:
        earned.append(awards.NO_HONOURS_NO_FLOWERS)
    elif no_honours:
        earned.append(awards.NO_HONOURS)
    elif no_flowers:
        earned.append(awards.NO_FLOWERS)
    return earned
