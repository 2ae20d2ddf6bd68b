"""Limit hands: every reason for which a winner's hand is worth the limit (C58)."""

from typing import Final

from mahjong_engine.classical.constants import (
    ALL_GREEN_NEEDS_DRAGON,
    CONSECUTIVE_KONGS_MIN,
    DEALER_STREAK_WIN,
    NINE_GATES_NEEDS_NINE_WAITS,
    SETS,
)
from mahjong_engine.classical.orphans import is_thirteen_orphans
from mahjong_engine.classical.ways import is_last_discard, is_last_live_tile
from mahjong_engine.classical.won_hand import WonHand
from mahjong_engine.kind_bits import (
    DRAGON_BITS,
    HONOUR_BITS,
    TERMINAL_BITS,
    WIND_BITS,
    bits_of,
)
from mahjong_engine.meld import KONGS
from mahjong_engine.settlement import WinSource
from mahjong_engine.tile import GREEN, TILES

_GREEN_BITS: Final = bits_of(TILES[code] for code in ("2b", "3b", "4b", "6b", "8b", "G"))
_TWO_BAMBOO, _ONE_CIRCLES, _FIVE_CIRCLES = TILES["2b"], TILES["1d"], TILES["5d"]

_TILES_OF_LIMITS: Final = frozenset({_TWO_BAMBOO, _ONE_CIRCLES, _FIVE_CIRCLES})
"""Winning tiles that have a limit reason of their own."""

_NINE_GATES: Final[int] = sum((3 if rank in (0, 8) else 1) * 5**rank for rank in range(9))
"""Key of 1112345678999 of one suit."""
_NINE_GATES_AND_ONE: Final = frozenset(_NINE_GATES + 5**rank for rank in range(9))


def limit_reasons(hand: WonHand) -> tuple[str, ...]:
    """Returns every limit reason that some arrangement gives, or that needs no arrangement.

    Each family of reasons is looked at only where one of them can apply; most wins have none.
    """
    reasons: list[str] = []
    if hand.is_east or hand.case.discard_count == 1:
        reasons += _reasons_of_time(hand)
    if hand.source is WinSource.KONG_REPLACEMENT or hand.tile in _TILES_OF_LIMITS:
        reasons += _reasons_of_the_winning_tile(hand)
    if not hand.splits:
        return (*reasons, "thirteen_orphans") if is_thirteen_orphans(hand.completed) else tuple(reasons)
    if hand.is_of_one_suit:
        reasons += _reasons_of_one_suit(hand)
    if not hand.kinds & ~TERMINAL_BITS:
        reasons.append("all_terminals")
    for split in hand.splits:
        if hand.laid.triplets.bit_count() + len(split.triplets) == SETS:
            reasons += _reasons_of_four_triplets(hand)
    return tuple(reasons)


def _reasons_of_time(hand: WonHand) -> list[str]:
    reasons = []
    if not hand.is_east:
        if hand.case.discard_count == 1 and hand.source is WinSource.DISCARD:
            reasons.append("east_first_discard")
        return reasons
    if hand.case.discard_count == 0:
        reasons.append("east_before_first_discard")
    if hand.case.dealer_wins_before == DEALER_STREAK_WIN - 1:
        reasons.append("thirteenth_dealer_win")
    return reasons


def _reasons_of_the_winning_tile(hand: WonHand) -> list[str]:
    reasons = []
    tile, source, is_empty = hand.tile, hand.source, hand.is_wall_empty
    if tile == _ONE_CIRCLES and (
        is_last_live_tile(source, is_wall_empty=is_empty) or is_last_discard(source, is_wall_empty=is_empty)
    ):
        reasons.append("one_circles_last_tile")
    if tile == _TWO_BAMBOO and source is WinSource.ROBBED_PROMOTED_KONG:
        reasons.append("robbing_two_bamboo")
    if source is WinSource.KONG_REPLACEMENT:
        if tile == _FIVE_CIRCLES:
            reasons.append("five_circles_kong_replacement")
        if hand.case.kongs_in_turn >= CONSECUTIVE_KONGS_MIN:
            reasons.append("consecutive_kongs")
    return reasons


def _reasons_of_one_suit(hand: WonHand) -> list[str]:
    """Reasons of one suit, with honours or without, or of honours alone."""
    reasons = []
    kinds = hand.kinds
    if not kinds & ~_GREEN_BITS and not (ALL_GREEN_NEEDS_DRAGON and not kinds >> GREEN & 1):
        reasons.append("all_green")
    if not kinds & ~HONOUR_BITS:
        reasons.append("all_honours")
    if not kinds & HONOUR_BITS:
        if _is_nine_gates(hand):
            reasons.append("nine_gates")
        if hand.is_self_drawn and hand.is_concealed:
            reasons.append("concealed_one_suit_self_draw")
    return reasons


def _is_nine_gates(hand: WonHand) -> bool:
    if NINE_GATES_NEEDS_NINE_WAITS:
        return sum(hand.seat.concealed) == _NINE_GATES
    return sum(hand.completed) in _NINE_GATES_AND_ONE


def _reasons_of_four_triplets(hand: WonHand) -> list[str]:
    """Reasons of an arrangement of four triplets; there is one such arrangement at most."""
    reasons = []
    triplets = hand.laid.triplets | hand.splits[0].triplet_bits
    if hand.is_self_drawn and hand.is_concealed:
        reasons.append("four_concealed_triplets")
    if triplets & DRAGON_BITS == DRAGON_BITS:
        reasons.append("three_dragons_and_triplet")
    if triplets & WIND_BITS == WIND_BITS:
        reasons.append("four_winds")
    if len(hand.seat.melds) == SETS and all(meld.kind in KONGS for meld in hand.seat.melds):
        reasons.append("four_kongs")
    return reasons
