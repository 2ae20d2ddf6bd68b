"""The winner's value: points, doubles and the choice of the arrangement (C49, C53, C56, C57)."""

from collections.abc import Callable
from typing import Final, NamedTuple

from mahjong_engine.classical import awards
from mahjong_engine.classical.constants import ARRANGEMENT_CHOICE, LIMIT, SETS, WAYS_OF_WINNING_EXCLUSIVE
from mahjong_engine.classical.doubles import bonus_doubles, honour_doubles
from mahjong_engine.classical.groups import pung_item, pungs_points
from mahjong_engine.classical.limits import limit_reasons
from mahjong_engine.classical.one_chance import is_one_chance
from mahjong_engine.classical.won_hand import WonHand, is_last_discard, is_last_live_tile, won_hand
from mahjong_engine.kind_bits import MAJOR_BITS, is_one_suit, is_one_suit_with_honours
from mahjong_engine.placing import IN_PAIR, IN_TRIPLET, Arrangement, arrangements
from mahjong_engine.settlement import Item, ScoringCase, SeatScore, WinClaim, WinSource
from mahjong_engine.shape import Decomposition
from mahjong_engine.tile import Tile, is_major


def score_winner(case: ScoringCase, win: WinClaim) -> SeatScore:
    """Returns the winner's value with the items of its best arrangement, or with every limit reason."""
    hand = won_hand(case, win)
    limit = limit_reasons(hand)
    if limit:
        return SeatScore(win.seat, LIMIT, (), limit)
    items = _shared_points(case, win, hand) + _shared_doubles(hand)
    points = sum(item.points for item in items)
    doubles = sum(item.doubles for item in items)
    best = ARRANGEMENT_CHOICE(
        (_read(hand, arrangement) for arrangement in arrangements(hand.splits, hand.tile)),
        key=lambda reading: (points + reading.points) << (doubles + reading.doubles),
    )
    value = (points + best.points) << (doubles + best.doubles)
    return SeatScore(win.seat, min(value, LIMIT), (*items, *_reading_items(best)))


def _shared_points(case: ScoringCase, win: WinClaim, hand: WonHand) -> list[Item]:
    """Points that all arrangements have; honours allow one arrangement only, so a pair with points is in them all."""
    items = [awards.WINNING, *hand.laid.items]
    if hand.is_self_drawn and not is_last_live_tile(hand):
        on_kong = hand.source is WinSource.KONG_REPLACEMENT
        items.append(awards.SELF_DRAW_ON_KONG if on_kong else awards.SELF_DRAW)
    if is_one_chance(case, win):
        items.append(awards.ONE_CHANCE)
    if hand.seat.bonus:
        items.append(awards.BONUS_TILES[len(hand.seat.bonus)])
    if hand.pair_points:
        items.append(awards.pair(hand.splits[0].pair, hand.pair_points))
    return items


_WAYS_OF_WINNING: Final[tuple[tuple[Item, Callable[[WonHand], bool]], ...]] = (
    (awards.LAST_LIVE_TILE, is_last_live_tile),
    (awards.LAST_DISCARD, is_last_discard),
    (awards.KONG_REPLACEMENT, lambda hand: hand.source is WinSource.KONG_REPLACEMENT),
    (
        awards.ROBBING_A_KONG,
        lambda hand: hand.source in {WinSource.ROBBED_PROMOTED_KONG, WinSource.ROBBED_CONCEALED_KONG},
    ),
)


def _shared_doubles(hand: WonHand) -> list[Item]:
    """Doubles that all arrangements have."""
    split = hand.splits[0]
    seat = hand.seat
    items = honour_doubles(hand.laid.triplets | split.triplet_bits, 1 << split.pair, hand.wind, hand.case.round_wind)
    items += bonus_doubles(seat.bonus, hand.wind)
    if not hand.kinds & ~MAJOR_BITS:
        items.append(awards.TERMINALS_AND_HONOURS)
    if is_one_suit(hand.kinds):
        items.append(awards.PURE_SUIT)
    elif is_one_suit_with_honours(hand.kinds):
        items.append(awards.ONE_SUIT_WITH_HONOURS)
    if hand.is_self_drawn and hand.is_concealed:
        items.append(awards.CONCEALED_SELF_DRAW)
    ways = [item for item, applies in _WAYS_OF_WINNING if applies(hand)]
    items += ways[:1] if WAYS_OF_WINNING_EXCLUSIVE else ways
    if seat.original_call:
        items.append(awards.ORIGINAL_CALL)
    return items


class _Reading(NamedTuple):
    """What one arrangement adds to that which all arrangements of the tiles have."""

    points: int
    doubles: int
    split: Decomposition
    exposed: Tile | None
    """The triplet that a discard or a robbed tile completed (C50)."""
    awards: list[Item]
    """All that it earns besides the points of its triplets."""


def _read(hand: WonHand, arrangement: Arrangement) -> _Reading:
    split, place = arrangement
    exposed = hand.tile if place == IN_TRIPLET and not hand.is_self_drawn else None
    triplet_count = (hand.laid.triplets | split.triplet_bits).bit_count()
    earned = []
    if place == IN_PAIR:
        earned.append(awards.PAIR_COMPLETED)
        if is_major(hand.tile):
            earned.append(awards.PAIR_COMPLETED_MAJOR)
    if hand.laid.concealed_triplets + len(split.triplets) - (exposed is not None) >= 3:
        earned.append(awards.THREE_CONCEALED_TRIPLETS)
    if triplet_count == 0 and hand.pair_points == 0:
        earned.append(awards.ALL_CHOWS)
    if triplet_count == SETS:
        earned.append(awards.ALL_PUNGS)
    points = pungs_points(split.triplets, exposed) + sum(item.points for item in earned)
    return _Reading(points, sum(item.doubles for item in earned), split, exposed, earned)


def _reading_items(reading: _Reading) -> list[Item]:
    pungs = [pung_item(tile, concealed=tile != reading.exposed) for tile in reading.split.triplets]
    return pungs + reading.awards
