"""Computer players: functions of a view, by level. They know what their seat may see, and nothing else (C65, T67)."""

from collections.abc import Callable
from typing import Final

from mahjong_engine.action import Action
from mahjong_engine.bots import basic, strong
from mahjong_engine.view import HandView

LEVELS: Final[dict[str, Callable[[HandView], Action]]] = {"basic": basic.decide, "strong": strong.decide}
"""How each level decides; each is measurably stronger than the one before it (`mahjong duel`)."""


class UnknownLevelError(LookupError):
    """No computer player has that level."""


def decide(level: str, view: HandView) -> Action:
    """Returns the computer player's answer to the view's open decision: one of its options, the same for equal views.

    Raises:
        UnknownLevelError: there is no such level.
        ValueError: the view has no open decision.
    """
    if level not in LEVELS:
        raise UnknownLevelError(f"no computer player is called {level!r}")
    return LEVELS[level](view)
