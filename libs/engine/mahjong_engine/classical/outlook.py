"""About what a classical win would be worth, for computer players. Estimates; the rules are in score.py."""

from collections.abc import Iterator
from typing import Final

from mahjong_engine.classical.orphans import orphan_shanten
from mahjong_engine.keys import count_of
from mahjong_engine.meld import KONGS, MeldKind
from mahjong_engine.outlook import Goal, Holding
from mahjong_engine.tile import DRAGONS, FLOWERS, MAJORS, SEASONS, Tile, is_major, seat_wind

LIMIT: Final = 1000.0
GOAL_DOUBLES: Final = {Goal.ANY: 0.0, Goal.HALF_FLUSH: 1.0, Goal.FULL_FLUSH: 3.0, Goal.PUNGS: 1.0}
PUNGS_POINTS: Final = 10.0
"""Points that four triplets have beyond those of other hands."""
PAIR_BECOMES_TRIPLET: Final = 0.35
CONCEALED_DOUBLES: Final = 0.45
"""The double for a concealed self-draw, as often as a concealed hand wins by its own draw."""
CALL_DOUBLES: Final = 1.0
ORPHANS_DISTANCE_MAX: Final = 2


class ClassicalOutlook:
    """Values by points and doubles; everybody pays the winner, and the dealer double (C59)."""

    deal_in_cost: Final = 12.0

    def worth(self, holding: Holding, goal: Goal) -> float:
        """Returns about what a win with the goal brings, all payers together."""
        points = 13.0 + 4 * len(holding.bonus) + _meld_points(holding) + (PUNGS_POINTS if goal is Goal.PUNGS else 0.0)
        doubles = GOAL_DOUBLES[goal] + _honour_doubles(holding) + _bonus_doubles(holding)
        if not holding.is_open:
            doubles += CONCEALED_DOUBLES
        if holding.original_call:
            doubles += CALL_DOUBLES
        return float(min(LIMIT, points * 2.0**doubles) * _shares(holding))

    def specials(self, holding: Holding) -> Iterator[tuple[tuple[Tile, ...], int, float]]:
        """Yields thirteen orphans, a limit from all payers."""
        if not holding.melds and (distance := orphan_shanten(holding.keys)) <= ORPHANS_DISTANCE_MAX:
            useful = tuple(tile for tile in MAJORS if not count_of(holding.keys, tile))
            yield useful, distance, LIMIT * _shares(holding)


def _shares(holding: Holding) -> float:
    return 6.0 if holding.seat == holding.dealer else 4.0


def _meld_points(holding: Holding) -> float:
    points = 0.0
    for meld in holding.melds:
        if meld.kind is not MeldKind.CHOW:
            worth = 2 * (2 if is_major(meld.tile) else 1) * (4 if meld.kind in KONGS else 1)
            points += worth * (2 if meld.kind is MeldKind.CONCEALED_KONG else 1)
    return points


def _honour_doubles(holding: Holding) -> float:
    lucky = (*DRAGONS, seat_wind(holding.seat, holding.dealer), holding.round_wind)
    return sum(_triplet_chance(holding, tile) for tile in lucky)


def _triplet_chance(holding: Holding, tile: Tile) -> float:
    if any(meld.tile == tile for meld in holding.melds):
        return 1.0
    held = count_of(holding.keys, tile)
    return 1.0 if held >= 3 else PAIR_BECOMES_TRIPLET if held == 2 else 0.0


def _bonus_doubles(holding: Holding) -> float:
    own = (holding.seat - holding.dealer) % 4
    shown = set(holding.bonus)
    sets = ({FLOWERS[own], SEASONS[own]}, set(FLOWERS), set(SEASONS))
    return float(sum(wanted <= shown for wanted in sets))


OUTLOOK: Final = ClassicalOutlook()
