"""What makes a classical scoring case possible, beyond the checks of every rule set."""

from typing import Final

from mahjong_engine.case_checks import has_kong, holds_three, inconsistent
from mahjong_engine.case_error import CaseError, CaseReason
from mahjong_engine.classical.constants import SETS
from mahjong_engine.classical.orphans import is_thirteen_orphans
from mahjong_engine.keys import add
from mahjong_engine.settlement import ScoringCase, WinClaim, WinSource
from mahjong_engine.shape import is_complete

WIN_SOURCES: Final = frozenset(
    {
        WinSource.DISCARD,
        WinSource.LIVE_WALL,
        WinSource.KONG_REPLACEMENT,
        WinSource.DEALT,
        WinSource.ROBBED_PROMOTED_KONG,
        WinSource.ROBBED_CONCEALED_KONG,
    }
)


def check_win(case: ScoringCase, win: WinClaim) -> None:
    """Refuses a win that cannot have come about.

    Raises:
        CaseError: INCONSISTENT_SOURCE, NOT_ROBBABLE or NOT_A_WIN.
    """
    winner = case.seats[win.seat]
    match win.source:
        case WinSource.LIVE_WALL if not case.discard_count and not (has_kong(winner) and winner.bonus):
            raise inconsistent("before any discard a live tile wins only in place of a kong's bonus tile (C38)")
        case WinSource.ROBBED_CONCEALED_KONG:
            _check_robbed(case, win)
    completed = add(winner.concealed, win.winning_tile)
    is_orphans = not winner.melds and is_thirteen_orphans(completed)
    if not is_orphans and not is_complete(completed, SETS - len(winner.melds)):
        raise CaseError(CaseReason.NOT_A_WIN, f"the tiles of seat {win.seat} do not win")
    if win.source is WinSource.ROBBED_CONCEALED_KONG and not is_orphans:
        raise CaseError(CaseReason.NOT_ROBBABLE, "only thirteen orphans rob a concealed kong")


def _check_robbed(case: ScoringCase, win: WinClaim) -> None:
    if win.from_seat is None or not holds_three(case.seats[win.from_seat], win.winning_tile):
        raise inconsistent("the owner of the robbed kong does not hold three more of the tile")
    if win.seat == case.dealer and not case.discard_count:
        raise inconsistent("East cannot rob a kong before its first discard (C14)")
