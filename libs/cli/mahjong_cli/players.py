"""Who can sit at a simulated table. Chance lives here: the engine's computer players know none."""

import random
from collections.abc import Callable
from functools import partial

from mahjong_engine import bots
from mahjong_engine.action import Action, RobFlower, Win
from mahjong_engine.view import HandView

Player = Callable[[HandView], Action]

LEVELS = ("random", *bots.LEVELS)
"""The levels that `player` knows, weakest first. `random` takes a win and else any legal answer, all equally likely."""


def player(level: str, chance: random.Random) -> Player:
    """Returns a player of a level.

    Args:
        level: one of `LEVELS`.
        chance: where `random` takes its choices from; the other levels need none.
    """
    if level != "random":
        return partial(bots.decide, level)

    def choose(view: HandView) -> Action:
        assert view.decision is not None
        options = view.decision.options
        if isinstance(options[0], Win | RobFlower):
            return options[0]
        return options[int(chance.random() * len(options))]

    return choose
