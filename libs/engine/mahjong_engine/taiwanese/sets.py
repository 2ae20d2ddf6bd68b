"""Awards for sets of the normal shape (T53, T54, T56)."""

from typing import Final

from mahjong_engine.kind_bits import HONOUR_BITS, bits_of
from mahjong_engine.placing import IN_PAIR, IN_TRIPLET, Arrangement, Place
from mahjong_engine.settlement import Item
from mahjong_engine.shape import Decomposition
from mahjong_engine.taiwanese import awards
from mahjong_engine.taiwanese.circumstances import absence_awards, concealment_awards
from mahjong_engine.taiwanese.constants import (
    CONCEALED_STRAIGHT_NEEDS_SELF_DRAWN_CHOWS,
    CONCEALED_TRIPLETS_WITH_ALL_PUNGS,
    EXPOSED_HAND_ON_SELF_DRAW,
    EXPOSED_HAND_WITH_CONCEALED_KONG,
    SETS,
    WIND_PATTERNS_WITH_ALL_PUNGS,
)
from mahjong_engine.taiwanese.honours import dragon_awards, has_wind_pattern, wind_awards
from mahjong_engine.taiwanese.won_hand import WonHand
from mahjong_engine.tile import Tile

_FIRST_OF_SUITS: Final = 1 | 1 << 9 | 1 << 18
"""The first kind of each suit."""


def set_awards(hand: WonHand) -> list[Item]:
    """Returns the awards that all arrangements have; honours can be split in one way only."""
    pair = 1 << hand.splits[0].pair
    triplets = hand.laid.triplets | hand.splits[0].triplet_bits
    earned = concealment_awards(hand)
    earned += hand.laid.kongs
    if triplets & HONOUR_BITS:
        earned += dragon_awards(triplets, pair) + wind_awards(triplets, pair)
    return earned


def arrangement_awards(hand: WonHand, arrangement: Arrangement) -> list[Item]:
    """Returns the awards that depend on the arrangement and on the place of the winning tile."""
    split, place = arrangement
    triplets = hand.laid.triplets | split.triplet_bits
    is_all_pungs = triplets.bit_count() == SETS
    earned = _wait_awards(hand, place) + _straight_awards(hand, split, place)
    earned += absence_awards(hand, is_all_chows=triplets == 0)
    concealed_kongs = len(hand.seat.melds) - hand.laid.open_count
    concealed = concealed_kongs + len(split.triplets) - (place == IN_TRIPLET and not hand.is_self_drawn)
    if concealed >= 2 and (CONCEALED_TRIPLETS_WITH_ALL_PUNGS or not is_all_pungs):
        earned.append(awards.CONCEALED_TRIPLETS[concealed])
    if is_all_pungs and (WIND_PATTERNS_WITH_ALL_PUNGS or not has_wind_pattern(triplets, 1 << split.pair)):
        earned.append(awards.ALL_PUNGS)
    return earned


def _wait_awards(hand: WonHand, place: Place) -> list[Item]:
    if place == IN_TRIPLET:
        return []
    if place == IN_PAIR:
        return [awards.EXPOSED_HAND if _is_exposed_hand(hand) else awards.PAIR_WAIT]
    rank, offset = place % 9, hand.tile - place
    is_edge = (rank, offset) in ((0, 2), (6, 0))
    return [awards.EDGE_OR_CLOSED_WAIT] if offset == 1 or is_edge else []


def _is_exposed_hand(hand: WonHand) -> bool:
    laid = len(hand.seat.melds) if EXPOSED_HAND_WITH_CONCEALED_KONG else hand.laid.open_count
    return laid == SETS and (EXPOSED_HAND_ON_SELF_DRAW or not hand.is_self_drawn)


def _straight_awards(hand: WonHand, split: Decomposition, place: Place) -> list[Item]:
    if not _has_straight(hand.laid.chows | split.chow_bits):
        return []
    is_concealed = _has_straight(_concealed_chows(hand, split, place))
    return [awards.CONCEALED_STRAIGHT if is_concealed else awards.STRAIGHT]


def _has_straight(chows: int) -> bool:
    """Whether chows of the first, fourth and seventh kind of one suit are there."""
    return chows & chows >> 3 & chows >> 6 & _FIRST_OF_SUITS != 0


def _concealed_chows(hand: WonHand, split: Decomposition, place: Place) -> int:
    """Returns the lowest kinds of the concealed chows; of two alike one may be completed by a claimed tile."""
    if place < 0 or hand.is_self_drawn or not CONCEALED_STRAIGHT_NEEDS_SELF_DRAWN_CHOWS:
        return split.chow_bits
    chows = list(split.chows)
    chows.remove(Tile(place))
    return bits_of(chows)
