"""How a computer decides: a pure function of its view."""

from mahjong_engine.action import DISCARD, Action, RobFlower, Win
from mahjong_engine.state import Phase
from mahjong_engine.view import HandView
from mahjong_table.core.terms import Level


def choose(level: Level, seen: HandView) -> Action:
    """Returns the answer of a computer to its open decision."""
    del level
    assert seen.decision is not None
    options = seen.decision.options
    if isinstance(options[0], Win | RobFlower):
        return options[0]
    if seen.decision.phase is Phase.TURN and seen.drawn is not None:
        return DISCARD[seen.drawn]
    if seen.decision.phase is Phase.TURN_AFTER_CLAIM:
        return DISCARD[seen.concealed[-1]]
    return options[-1]
