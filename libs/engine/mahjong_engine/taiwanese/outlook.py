"""About what a Taiwanese win would be worth, for computer players. Estimates; the rules are in score.py."""

from collections.abc import Iterator
from typing import Final

from mahjong_engine.keys import count_of, kinds_of
from mahjong_engine.meld import KONGS, MeldKind
from mahjong_engine.outlook import Goal, Holding
from mahjong_engine.taiwanese.pairs import pairs_shanten
from mahjong_engine.tile import KIND_COUNT, Tile

GOAL_TAI: Final = {Goal.ANY: 1.0, Goal.HALF_FLUSH: 11.0, Goal.FULL_FLUSH: 42.0, Goal.PUNGS: 16.0}
CHOWS_TAI: Final = 3.0
PURE_CHOWS_TAI: Final = 10.0
CHOWS_SHARE: Final = 0.3
CHOWS_SHARE_A_MELD: Final = 0.12
STRAIGHT_TAI: Final = 5.0
STRAIGHT_SHARES: Final = {7: 0.2, 8: 0.5, 9: 0.9}
CONCEALED_TAI: Final = 1.8
CALL_TAI: Final = 15.0
PAIRS_TAI: Final = 32.0
PAIRS_DISTANCE_MAX: Final = 1
PAYERS: Final = 1.7
"""Seats that pay a win on average: three for a self-draw, else one."""


class TaiwaneseOutlook:
    """Values in tai; the discarder alone pays a win on a discard (T61)."""

    deal_in_cost: Final = 2.5

    def worth(self, holding: Holding, goal: Goal) -> float:
        """Returns about what a win with the goal brings, all payers together."""
        tai = 2.0 + max(1, len(holding.bonus)) + GOAL_TAI[goal] + _triplet_tai(holding)
        if goal is Goal.ANY:
            tai += _chow_tai(holding) + _straight_tai(holding)
        if not holding.is_open:
            tai += CONCEALED_TAI
        if holding.original_call:
            tai += CALL_TAI
        return tai * PAYERS

    def specials(self, holding: Holding) -> Iterator[tuple[tuple[Tile, ...], int, float]]:
        """Yields seven pairs and a triplet."""
        if not holding.melds and (distance := pairs_shanten(holding.keys)) <= PAIRS_DISTANCE_MAX:
            tai = 2.0 + max(1, len(holding.bonus)) + PAIRS_TAI + (CALL_TAI if holding.original_call else 0.0)
            yield kinds_of(holding.keys), distance, tai * PAYERS


def _chow_tai(holding: Holding) -> float:
    """What all chows would bring, as often as the hand comes to that."""
    if any(meld.kind is not MeldKind.CHOW for meld in holding.melds):
        return 0.0
    honours = holding.keys[3] > 0
    tai = CHOWS_TAI if holding.bonus or honours else PURE_CHOWS_TAI
    return tai * (CHOWS_SHARE + CHOWS_SHARE_A_MELD * len(holding.melds))


def _straight_tai(holding: Holding) -> float:
    """What a straight would bring, by the ranks of its suit that are there."""
    ranks = [sum(key // 5**rank % 5 > 0 for rank in range(9)) for key in holding.keys[:3]]
    for meld in holding.melds:
        if meld.kind is MeldKind.CHOW and meld.tile % 3 == 0:
            ranks[meld.tile // 9] += 3
    return STRAIGHT_TAI * max(STRAIGHT_SHARES.get(count, 0.0) for count in ranks)


def _triplet_tai(holding: Holding) -> float:
    """Honour triplets and kongs, and what concealed triplets are on the way to."""
    tai = 0.0
    for meld in holding.melds:
        tai += meld.tile >= 27
        if meld.kind in KONGS:
            tai += 2 if meld.kind is MeldKind.CONCEALED_KONG else 1
    counts = [count_of(holding.keys, tile) for tile in range(KIND_COUNT)]  # type: ignore[arg-type]
    tai += sum(count >= 3 for count in counts[27:])
    concealed = sum(count >= 3 for count in counts) + sum(meld.claimed is None for meld in holding.melds)
    return tai + (0.0, 0.2, 2.0, 5.0, 15.0, 40.0)[min(concealed, 5)]


OUTLOOK: Final = TaiwaneseOutlook()
