"""The winner's value: points, doubles and the choice of the arrangement (C49, C53, C56, C57).

Awards that all arrangements of the tiles have are collected once. Of each arrangement only its own are picked; they are
shared values, so that an arrangement costs a few look-ups and two sums.
"""

from typing import Final

from mahjong_engine.classical import awards
from mahjong_engine.classical.awards import worth
from mahjong_engine.classical.constants import ARRANGEMENT_CHOICE, LIMIT, SETS, WAYS_OF_WINNING_EXCLUSIVE
from mahjong_engine.classical.doubles import bonus_doubles, honour_doubles
from mahjong_engine.classical.groups import CONCEALED_PUNG, EXPOSED_PUNG, pair_points
from mahjong_engine.classical.limits import limit_reasons
from mahjong_engine.classical.one_chance import is_one_chance
from mahjong_engine.classical.won_hand import WonHand, is_last_discard, is_last_live_tile, won_hand
from mahjong_engine.kind_bits import HONOUR_BITS, MAJOR_BITS, is_one_suit, is_one_suit_with_honours
from mahjong_engine.placing import IN_PAIR, IN_TRIPLET, Arrangement, arrangements
from mahjong_engine.settlement import Item, ScoringCase, SeatScore, WinClaim, WinSource
from mahjong_engine.tile import is_major

_ROBBING: Final = frozenset({WinSource.ROBBED_PROMOTED_KONG, WinSource.ROBBED_CONCEALED_KONG})


def score_winner(case: ScoringCase, win: WinClaim) -> SeatScore:
    """Returns the winner's value with the items of its best arrangement, or with every limit reason."""
    hand = won_hand(case, win)
    limit = limit_reasons(hand)
    if limit:
        return SeatScore(win.seat, LIMIT, (), limit)
    shared = _points(hand) + _doubles(hand)
    if is_one_chance(case, win):
        shared.append(awards.ONE_CHANCE)
    points, doubles = worth(shared)

    def value(items: list[Item]) -> int:
        more_points, more_doubles = worth(items)
        return (points + more_points) << (doubles + more_doubles)

    readings = [_arrangement_items(hand, arrangement) for arrangement in arrangements(hand.splits, hand.tile)]
    best = ARRANGEMENT_CHOICE(readings, key=value)
    return SeatScore(win.seat, min(value(best), LIMIT), (*shared, *best))


def _points(hand: WonHand) -> list[Item]:
    """Returns the points of melds, bonus tiles and the way of winning."""
    items = [awards.WINNING, *hand.laid.items]
    if hand.is_self_drawn and not is_last_live_tile(hand):
        on_kong = hand.source is WinSource.KONG_REPLACEMENT
        items.append(awards.SELF_DRAW_ON_KONG if on_kong else awards.SELF_DRAW)
    if hand.seat.bonus:
        items.append(awards.BONUS_TILES[len(hand.seat.bonus)])
    return items


def _doubles(hand: WonHand) -> list[Item]:
    """Returns the doubles that do not depend on the arrangement; honours can be split in one way only."""
    split, kinds = hand.splits[0], hand.kinds
    items = _ways_of_winning(hand)
    if kinds & HONOUR_BITS:
        triplets = hand.laid.triplets | split.triplet_bits
        items += honour_doubles(triplets, 1 << split.pair, hand.wind, hand.case.round_wind)
    if hand.seat.bonus:
        items += bonus_doubles(hand.seat.bonus, hand.wind)
    if not kinds & ~MAJOR_BITS:
        items.append(awards.TERMINALS_AND_HONOURS)
    if is_one_suit(kinds):
        items.append(awards.PURE_SUIT)
    elif is_one_suit_with_honours(kinds):
        items.append(awards.ONE_SUIT_WITH_HONOURS)
    if hand.is_self_drawn and hand.is_concealed:
        items.append(awards.CONCEALED_SELF_DRAW)
    if hand.seat.original_call:
        items.append(awards.ORIGINAL_CALL)
    return items


def _ways_of_winning(hand: WonHand) -> list[Item]:
    ways = []
    if is_last_live_tile(hand):
        ways.append(awards.LAST_LIVE_TILE)
    if is_last_discard(hand):
        ways.append(awards.LAST_DISCARD)
    if hand.source is WinSource.KONG_REPLACEMENT:
        ways.append(awards.KONG_REPLACEMENT)
    if hand.source in _ROBBING:
        ways.append(awards.ROBBING_A_KONG)
    return ways[:1] if WAYS_OF_WINNING_EXCLUSIVE else ways


def _arrangement_items(hand: WonHand, arrangement: Arrangement) -> list[Item]:
    """Returns what an arrangement adds; a triplet that a discard or a robbed tile completes is exposed (C50)."""
    split, place = arrangement
    is_exposed = place == IN_TRIPLET and not hand.is_self_drawn
    items = [CONCEALED_PUNG[tile] for tile in split.triplets]
    if is_exposed:
        items[split.triplets.index(hand.tile)] = EXPOSED_PUNG[hand.tile]
    if pair := pair_points(split.pair, hand.wind, hand.case.round_wind):
        items.append(awards.pair(split.pair, pair))
    if place == IN_PAIR:
        items.append(awards.PAIR_COMPLETED)
        if is_major(hand.tile):
            items.append(awards.PAIR_COMPLETED_MAJOR)
    if hand.laid.concealed_triplets + len(split.triplets) - is_exposed >= 3:
        items.append(awards.THREE_CONCEALED_TRIPLETS)
    triplet_count = hand.laid.triplets.bit_count() + len(split.triplets)
    if triplet_count == 0 and not pair:
        items.append(awards.ALL_CHOWS)
    if triplet_count == SETS:
        items.append(awards.ALL_PUNGS)
    return items
