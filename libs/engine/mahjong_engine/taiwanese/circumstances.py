"""Awards of the way of winning and of all tiles, which both shapes can earn (T55, T57)."""

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
    earned = [awards.WINNING]
    if hand.seat.bonus:
        earned.append(awards.FLOWERS[len(hand.seat.bonus)])
    if hand.case.live_tiles_left == 0 and hand.source in _LAST_TILE_SOURCES:
        earned.append(awards.LAST_TILE)
    if hand.source is WinSource.ROBBED_PROMOTED_KONG:
        earned.append(awards.ROBBING_A_KONG)
    return earned + _early_awards(hand) + _flush_awards(hand.kinds)


def _early_awards(hand: WonHand) -> list[Item]:
    earned = []
    discards = hand.case.discard_count
    is_earthly = not hand.is_east and discards == 1 and hand.source is WinSource.DISCARD
    if hand.seat.original_call and (ORIGINAL_CALL_WITH_EARTHLY_HAND or not is_earthly):
        earned.append(awards.ORIGINAL_CALL)
    if is_earthly:
        earned.append(awards.EARTHLY_HAND)
    elif _is_heavenly(hand):
        earned.append(awards.HEAVENLY_HAND)
    elif discards <= 5:
        earned.append(awards.WIN_WITHIN_FIVE_DISCARDS)
    elif discards <= 9:
        earned.append(awards.WIN_WITHIN_NINE_DISCARDS)
    return earned


def _is_heavenly(hand: WonHand) -> bool:
    return (
        hand.is_east
        and hand.case.discard_count == 0
        and ("flowers" in HEAVENLY_HAND_ALLOWS or not hand.seat.bonus)
        and ("concealed_kongs" in HEAVENLY_HAND_ALLOWS or not hand.melds)
    )


def _flush_awards(kinds: int) -> list[Item]:
    if is_one_suit(kinds):
        return [awards.FULL_FLUSH]
    if is_one_suit_with_honours(kinds) or (not HALF_FLUSH_NEEDS_SUIT_TILE and not kinds & ~HONOUR_BITS):
        return [awards.HALF_FLUSH]
    return []


def concealment_awards(hand: WonHand) -> list[Item]:
    """Returns the award of a concealed hand or of a self-draw."""
    if hand.open_meld_count == 0:
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
