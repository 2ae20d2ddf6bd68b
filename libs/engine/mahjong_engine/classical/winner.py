"""The winner's value: points, doubles and the choice of the arrangement (C49, C53, C56, C57).

Awards that all arrangements of the tiles have are collected once. Of each arrangement only its own are picked; they are
shared values, so that an arrangement costs a few look-ups and two sums.
"""

from mahjong_engine.classical import awards
from mahjong_engine.classical.awards import worth
from mahjong_engine.classical.constants import ARRANGEMENT_CHOICE, LIMIT, SETS
from mahjong_engine.classical.doubles import bonus_items, honour_doubles
from mahjong_engine.classical.groups import CONCEALED_PUNG, EXPOSED_PUNG, pair_points
from mahjong_engine.classical.limits import limit_reasons
from mahjong_engine.classical.one_chance import is_one_chance
from mahjong_engine.classical.ways import way_items
from mahjong_engine.classical.won_hand import WonHand, won_hand
from mahjong_engine.kind_bits import HONOUR_BITS, MAJOR_BITS
from mahjong_engine.placing import IN_PAIR, IN_TRIPLET, Arrangement, arrangements
from mahjong_engine.settlement import Item, ScoringCase, SeatScore, WinClaim
from mahjong_engine.tile import EAST, is_major


def score_winner(case: ScoringCase, win: WinClaim) -> SeatScore:
    """Returns the winner's value with the items of its best arrangement, or with every limit reason."""
    hand = won_hand(case, win)
    limit = limit_reasons(hand)
    if limit:
        return SeatScore(win.seat, LIMIT, (), limit)
    shared = _shared_items(hand)
    if is_one_chance(case, hand.seat, hand.tile):
        shared.append(awards.ONE_CHANCE)
    found = arrangements(hand.splits, hand.tile)
    best = _arrangement_items(hand, found[0]) if len(found) == 1 else _best_items(hand, found, shared)
    points, doubles = worth(items := (*shared, *best))
    return SeatScore(win.seat, min(points << doubles, LIMIT), items)


def _best_items(hand: WonHand, found: list[Arrangement], shared: list[Item]) -> list[Item]:
    """Returns what the arrangement of the highest value adds."""
    points, doubles = worth(shared)

    def value(items: list[Item]) -> int:
        more_points, more_doubles = worth(items)
        return (points + more_points) << (doubles + more_doubles)

    return ARRANGEMENT_CHOICE([_arrangement_items(hand, arrangement) for arrangement in found], key=value)


def _shared_items(hand: WonHand) -> list[Item]:
    """Returns the awards that do not depend on the arrangement, one chance left out."""
    seat, kinds = hand.seat, hand.kinds
    items = [*way_items(hand.source, hand.is_wall_empty), *hand.laid.items]
    if seat.bonus:
        items += bonus_items(seat.bonus, hand.wind)
    honours = kinds & HONOUR_BITS
    # Honours can be split in one way only, so that any arrangement shows their triplets and pair.
    split = hand.splits[0]
    if triplets := (hand.laid.triplets | split.triplet_bits) & HONOUR_BITS:
        items += honour_doubles(triplets, 1 << split.pair & HONOUR_BITS, hand.wind, hand.case.round_wind)
    if hand.is_of_one_suit and kinds != honours:
        items.append(awards.ONE_SUIT_WITH_HONOURS if honours else awards.PURE_SUIT)
    if not kinds & ~MAJOR_BITS:
        items.append(awards.TERMINALS_AND_HONOURS)
    if hand.is_self_drawn and hand.is_concealed:
        items.append(awards.CONCEALED_SELF_DRAW)
    if seat.original_call:
        items.append(awards.ORIGINAL_CALL)
    return items


def _arrangement_items(hand: WonHand, arrangement: Arrangement) -> list[Item]:
    """Returns what an arrangement adds; a triplet that a discard or a robbed tile completes is exposed (C50)."""
    split, place = arrangement
    is_exposed = place == IN_TRIPLET and not hand.is_self_drawn
    items = [CONCEALED_PUNG[tile] for tile in split.triplets] if split.triplets else []
    if is_exposed:
        items[split.triplets.index(hand.tile)] = EXPOSED_PUNG[hand.tile]
    pair = pair_points(split.pair, hand.wind, hand.case.round_wind) if split.pair >= EAST else 0
    if pair:
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
