"""Limit hands: every reason for which a winner's hand is worth the limit (C58)."""

from collections.abc import Callable
from typing import Final

from mahjong_engine.classical.constants import (
    ALL_GREEN_NEEDS_DRAGON,
    CONSECUTIVE_KONGS_MIN,
    DEALER_STREAK_WIN,
    NINE_GATES_NEEDS_NINE_WAITS,
    SETS,
)
from mahjong_engine.classical.orphans import is_thirteen_orphans
from mahjong_engine.classical.won_hand import WonHand, is_last_discard, is_last_live_tile
from mahjong_engine.keys import Keys
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

_NINE_GATES: Final = sum((3 if rank in (0, 8) else 1) * 5**rank for rank in range(9))
"""Key of 1112345678999 of one suit."""
_NINE_GATES_AND_ONE: Final = frozenset(_NINE_GATES + 5**rank for rank in range(9))


def _is_all_green(hand: WonHand) -> bool:
    needs_dragon = ALL_GREEN_NEEDS_DRAGON and not hand.kinds >> GREEN & 1
    return not hand.kinds & ~_GREEN_BITS and not needs_dragon


def _has_four_kongs(hand: WonHand) -> bool:
    return len(hand.melds) == SETS and all(meld.kind in KONGS for meld in hand.melds)


def _has_four_concealed_triplets(hand: WonHand) -> bool:
    concealed = hand.laid.concealed_triplets
    return hand.is_self_drawn and any(concealed + len(split.triplets) == SETS for split in hand.splits)


def _has_triplets_of(hand: WonHand, kinds: int, *, all_pungs: bool) -> bool:
    return any(
        (hand.laid.triplets | split.triplet_bits) & kinds == kinds
        and (not all_pungs or (hand.laid.triplets | split.triplet_bits).bit_count() == SETS)
        for split in hand.splits
    )


def _is_nine_gates(hand: WonHand) -> bool:
    held: Keys = hand.seat.concealed if NINE_GATES_NEEDS_NINE_WAITS else hand.completed
    gates = {_NINE_GATES} if NINE_GATES_NEEDS_NINE_WAITS else _NINE_GATES_AND_ONE
    return is_one_suit(hand.kinds) and sum(held) in gates


def _is_concealed_one_suit(hand: WonHand) -> bool:
    return hand.is_self_drawn and hand.is_concealed and is_one_suit(hand.kinds)


def _is_on_first_discard(hand: WonHand) -> bool:
    return not hand.is_east and hand.case.discard_count == 1 and hand.source is WinSource.DISCARD


def _is_of_kongs_in_a_row(hand: WonHand) -> bool:
    return hand.source is WinSource.KONG_REPLACEMENT and hand.case.kongs_in_turn >= CONSECUTIVE_KONGS_MIN


_IN_STANDARD_SHAPE: Final[dict[str, Callable[[WonHand], bool]]] = {
    "all_green": _is_all_green,
    "four_kongs": _has_four_kongs,
    "four_concealed_triplets": _has_four_concealed_triplets,
    "three_dragons_and_triplet": lambda hand: _has_triplets_of(hand, DRAGON_BITS, all_pungs=True),
    "all_honours": lambda hand: not hand.kinds & ~HONOUR_BITS,
    "all_terminals": lambda hand: not hand.kinds & ~TERMINAL_BITS,
    "four_winds": lambda hand: _has_triplets_of(hand, WIND_BITS, all_pungs=False),
    "nine_gates": _is_nine_gates,
    "concealed_one_suit_self_draw": _is_concealed_one_suit,
}

_IN_EITHER_SHAPE: Final[dict[str, Callable[[WonHand], bool]]] = {
    "east_before_first_discard": lambda hand: hand.is_east and hand.case.discard_count == 0,
    "east_first_discard": _is_on_first_discard,
    "one_circles_last_tile": lambda hand: (
        hand.tile == TILES["1d"] and (is_last_live_tile(hand) or is_last_discard(hand))
    ),
    "five_circles_kong_replacement": lambda hand: (
        hand.tile == TILES["5d"] and hand.source is WinSource.KONG_REPLACEMENT
    ),
    "robbing_two_bamboo": lambda hand: hand.tile == TILES["2b"] and hand.source is WinSource.ROBBED_PROMOTED_KONG,
    "consecutive_kongs": _is_of_kongs_in_a_row,
    "thirteenth_dealer_win": lambda hand: hand.is_east and hand.case.dealer_wins_before == DEALER_STREAK_WIN - 1,
}


def limit_reasons(hand: WonHand) -> tuple[str, ...]:
    """Returns every limit reason that some arrangement gives, or that needs no arrangement."""
    reasons = []
    if hand.splits:
        reasons += [name for name, applies in _IN_STANDARD_SHAPE.items() if applies(hand)]
    elif is_thirteen_orphans(hand.completed):
        reasons.append("thirteen_orphans")
    reasons += [name for name, applies in _IN_EITHER_SHAPE.items() if applies(hand)]
    return tuple(reasons)
