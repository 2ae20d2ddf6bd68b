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
    is_one_suit,
)
from mahjong_engine.meld import KONGS
from mahjong_engine.settlement import WinSource
from mahjong_engine.tile import GREEN, TILES

_GREEN_BITS: Final = bits_of(TILES[code] for code in ("2b", "3b", "4b", "6b", "8b", "G"))
_TWO_BAMBOO, _ONE_CIRCLES, _FIVE_CIRCLES = TILES["2b"], TILES["1d"], TILES["5d"]

_NINE_GATES: Final[int] = sum((3 if rank in (0, 8) else 1) * 5**rank for rank in range(9))
"""Key of 1112345678999 of one suit."""
_NINE_GATES_AND_ONE: Final = frozenset(_NINE_GATES + 5**rank for rank in range(9))


def limit_reasons(hand: WonHand) -> tuple[str, ...]:
    """Returns every limit reason that some arrangement gives, or that needs no arrangement."""
    reasons = _reasons_of_the_win(hand)
    if hand.splits:
        reasons += _reasons_of_kinds(hand) + _reasons_of_sets(hand)
    elif is_thirteen_orphans(hand.completed):
        reasons.append("thirteen_orphans")
    return tuple(reasons)


def _reasons_of_the_win(hand: WonHand) -> list[str]:
    """Reasons that need no arrangement: how and when the tiles were won, in either shape."""
    reasons = []
    tile, source, case = hand.tile, hand.source, hand.case
    if hand.is_east:
        if case.discard_count == 0:
            reasons.append("east_before_first_discard")
        if case.dealer_wins_before == DEALER_STREAK_WIN - 1:
            reasons.append("thirteenth_dealer_win")
    elif case.discard_count == 1 and source is WinSource.DISCARD:
        reasons.append("east_first_discard")
    if tile == _ONE_CIRCLES and _is_last_tile(hand):
        reasons.append("one_circles_last_tile")
    if tile == _TWO_BAMBOO and source is WinSource.ROBBED_PROMOTED_KONG:
        reasons.append("robbing_two_bamboo")
    if source is WinSource.KONG_REPLACEMENT:
        if tile == _FIVE_CIRCLES:
            reasons.append("five_circles_kong_replacement")
        if case.kongs_in_turn >= CONSECUTIVE_KONGS_MIN:
            reasons.append("consecutive_kongs")
    return reasons


def _is_last_tile(hand: WonHand) -> bool:
    is_empty = hand.is_wall_empty
    return is_last_live_tile(hand.source, is_wall_empty=is_empty) or is_last_discard(
        hand.source, is_wall_empty=is_empty
    )


def _reasons_of_kinds(hand: WonHand) -> list[str]:
    """Reasons of all tiles of the standard shape."""
    reasons = []
    kinds = hand.kinds
    if not kinds & ~_GREEN_BITS and not (ALL_GREEN_NEEDS_DRAGON and not kinds >> GREEN & 1):
        reasons.append("all_green")
    if not kinds & ~HONOUR_BITS:
        reasons.append("all_honours")
    if not kinds & ~TERMINAL_BITS:
        reasons.append("all_terminals")
    if is_one_suit(kinds):
        if _is_nine_gates(hand):
            reasons.append("nine_gates")
        if hand.is_self_drawn and hand.is_concealed:
            reasons.append("concealed_one_suit_self_draw")
    return reasons


def _is_nine_gates(hand: WonHand) -> bool:
    if NINE_GATES_NEEDS_NINE_WAITS:
        return sum(hand.seat.concealed) == _NINE_GATES
    return sum(hand.completed) in _NINE_GATES_AND_ONE


def _reasons_of_sets(hand: WonHand) -> list[str]:
    """Reasons of the sets of the standard shape: all of them have four triplets, in some arrangement."""
    most = max([len(split.triplets) for split in hand.splits])
    if hand.laid.triplets.bit_count() + most < SETS:
        return []
    reasons = []
    triplets = hand.laid.triplets | hand.splits[0].triplet_bits  # those of honours are the same in all arrangements
    if hand.is_self_drawn and hand.laid.concealed_triplets + most == SETS:
        reasons.append("four_concealed_triplets")
    if triplets & DRAGON_BITS == DRAGON_BITS:
        reasons.append("three_dragons_and_triplet")
    if triplets & WIND_BITS == WIND_BITS:
        reasons.append("four_winds")
    if len(hand.seat.melds) == SETS and all(meld.kind in KONGS for meld in hand.seat.melds):
        reasons.append("four_kongs")
    return reasons
