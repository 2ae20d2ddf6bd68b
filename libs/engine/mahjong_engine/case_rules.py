"""What a rule set tells the reader of scoring cases."""

from collections.abc import Callable
from dataclasses import dataclass

from mahjong_engine.settlement import ScoringCase, Settlement, WinClaim, WinSource


@dataclass(frozen=True, slots=True)
class CaseRules:
    """The side of one rule set."""

    name: str
    sets: int
    """Sets of a standard hand; a seat holds one tile more than three for each while others play."""
    live_wall_size: int
    """Tiles of the live wall after the deal."""
    sources: frozenset[WinSource]
    several_may_win: bool
    check_win: Callable[[ScoringCase, WinClaim], None]
    """Raises CaseError for a win that only this rule set can judge; the checks of every rule set have passed."""
    settle: Callable[[ScoringCase], Settlement]
