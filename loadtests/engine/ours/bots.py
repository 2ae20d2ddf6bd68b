"""Rounds of four computer players, views included."""

from collections.abc import Callable

from loadtests.engine import samples
from loadtests.engine.contest import OURS, Contender
from loadtests.engine.ours.play import asked, deal
from mahjong_engine.bots import LEVELS
from mahjong_engine.hand import apply
from mahjong_engine.record import hand_record
from mahjong_engine.rule_set import RuleSet, rule_set
from mahjong_engine.state import HandState
from mahjong_engine.view import view


def contenders() -> list[Contender]:
    """Returns every question of this group."""
    return [
        Contender(
            OURS,
            f"{name} {level} rounds",
            samples.SEEDS,
            int,
            play(rule_set(name), level),
            lambda _, state: hand_record(state)["result"]["ended"] in {"win", "draw", "flowers"},
            checks=20,
            least=2,
        )
        for name in ("classical", "taiwanese")
        for level in LEVELS
    ]


def play(rules: RuleSet, level: str) -> Callable[[int], HandState]:
    """Returns a call that plays the hand of a seed between four players of a level."""
    decide = LEVELS[level]

    def play_round(seed: int) -> HandState:
        state = deal(rules, seed)
        while not state.is_over:
            seat, _ = asked(state)
            state, _ = apply(state, seat, decide(view(state, seat)))
        return state

    return play_round
