"""What makes a Taiwanese scoring case possible, beyond the checks of every rule set."""

from typing import Final

from mahjong_engine.case_checks import has_kong, inconsistent
from mahjong_engine.case_error import CaseError, CaseReason
from mahjong_engine.keys import add
from mahjong_engine.settlement import ScoringCase, WinClaim, WinSource
from mahjong_engine.shape import is_complete
from mahjong_engine.taiwanese.constants import SETS
from mahjong_engine.taiwanese.pairs import is_seven_pairs_and_triplet
from mahjong_engine.tile import FLOWERS, SEASONS

_ALL_FLOWERS: Final = frozenset(FLOWERS + SEASONS)

WIN_SOURCES: Final = frozenset(
    {
        WinSource.DISCARD,
        WinSource.LIVE_WALL,
        WinSource.KONG_REPLACEMENT,
        WinSource.FLOWER_REPLACEMENT,
        WinSource.DEALT,
        WinSource.ROBBED_PROMOTED_KONG,
        WinSource.EIGHT_FLOWERS,
        WinSource.SEVEN_FLOWERS_ROB_EIGHTH,
    }
)


def check_win(case: ScoringCase, win: WinClaim) -> None:
    """Refuses a win that cannot have come about.

    Raises:
        CaseError: INCONSISTENT_SOURCE or NOT_A_WIN.
    """
    winner = case.seats[win.seat]
    match win.source:
        case WinSource.EIGHT_FLOWERS:
            if len(winner.bonus) != len(_ALL_FLOWERS):
                raise CaseError(CaseReason.NOT_A_WIN, "the winner does not show all eight flowers")
            return
        case WinSource.SEVEN_FLOWERS_ROB_EIGHTH:
            _check_robbed_flower(case, win)
            return
        case WinSource.LIVE_WALL if not case.discard_count:
            raise inconsistent("before any discard nobody draws from the live wall (T16)")
        case WinSource.FLOWER_REPLACEMENT if not case.discard_count and not has_kong(winner):
            raise inconsistent("a flower replaced in the opening makes a dealt tile (T16)")
    completed = add(winner.concealed, win.winning_tile)
    is_pairs = not winner.melds and is_seven_pairs_and_triplet(completed)
    if not is_pairs and not is_complete(completed, SETS - len(winner.melds)):
        raise CaseError(CaseReason.NOT_A_WIN, f"the tiles of seat {win.seat} do not win")


def _check_robbed_flower(case: ScoringCase, win: WinClaim) -> None:
    missing = _ALL_FLOWERS.difference(case.seats[win.seat].bonus)
    if len(missing) != 1:
        raise CaseError(CaseReason.NOT_A_WIN, "the robber does not show seven flowers")
    if win.from_seat is None or not missing.issubset(case.seats[win.from_seat].bonus):
        raise inconsistent("the seat robbed does not show the eighth flower")
    if win.tile is not None and win.tile not in missing:
        raise inconsistent("the tile is not the eighth flower")
