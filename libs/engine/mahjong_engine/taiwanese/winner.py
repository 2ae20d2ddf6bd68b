"""A winner's total: the choice of the shape and the arrangement (T51, T52, T58, T59)."""

from collections.abc import Iterable

from mahjong_engine.placing import arrangements
from mahjong_engine.settlement import Item, ScoringCase, SeatScore, WinClaim
from mahjong_engine.taiwanese import awards
from mahjong_engine.taiwanese.circumstances import absence_awards, concealment_awards, winning_awards
from mahjong_engine.taiwanese.constants import SEVEN_PAIRS_WITH_CONCEALED_HAND, SEVEN_PAIRS_WITH_HONOUR_TRIPLET
from mahjong_engine.taiwanese.pairs import is_seven_pairs_and_triplet
from mahjong_engine.taiwanese.sets import arrangement_awards, set_awards
from mahjong_engine.taiwanese.won_hand import WonHand, won_hand


def score_winner(case: ScoringCase, win: WinClaim) -> SeatScore:
    """Returns the total of a normal win with the items of its best arrangement."""
    hand = won_hand(case, win)
    best: list[Item] = []
    if hand.splits:
        readings = [arrangement_awards(hand, arrangement) for arrangement in arrangements(hand.splits, hand.tile)]
        best = set_awards(hand) + (readings[0] if len(readings) == 1 else max(readings, key=total))
    if not hand.seat.melds and is_seven_pairs_and_triplet(hand.completed):
        best = max(best, _seven_pairs_awards(hand), key=total)
    items = (*winning_awards(hand), *best)
    return SeatScore(win.seat, total(items), items)


def total(items: Iterable[Item]) -> int:
    """Returns the sum of the tai."""
    return sum([item.tai for item in items])


def _seven_pairs_awards(hand: WonHand) -> list[Item]:
    """Returns what seven pairs and a triplet earn besides that which both shapes do (T58)."""
    earned = [awards.SEVEN_PAIRS_AND_TRIPLET, *absence_awards(hand)]
    if SEVEN_PAIRS_WITH_CONCEALED_HAND:
        earned += concealment_awards(hand)
    if SEVEN_PAIRS_WITH_HONOUR_TRIPLET and _has_three_alike(hand.completed[3]):
        earned.append(awards.HONOUR_TRIPLET)
    return earned


def _has_three_alike(honours: int) -> bool:
    return any(honours // 5**rank % 5 == 3 for rank in range(7))
