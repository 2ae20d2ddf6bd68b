"""Whole hands: random play with records, records played again, and a search of all continuations."""

import random
from collections.abc import Iterator
from typing import Any

from loadtests.engine import samples
from loadtests.engine.contest import OURS, Contender
from mahjong_engine.action import Action
from mahjong_engine.hand import apply, legal_actions, start_hand
from mahjong_engine.record import hand_record
from mahjong_engine.referee import verify_record
from mahjong_engine.rule_set import RuleSet, rule_set
from mahjong_engine.state import SEATS, Deal, HandState
from mahjong_engine.tile import Seat
from mahjong_engine.wall import NO_NONCE, shuffle

DEPTH = 3


def contenders() -> list[Contender]:
    """Returns every question of this group."""
    return [each for name in ("classical", "taiwanese") for each in _contenders(rule_set(name))]


def _contenders(rules: RuleSet) -> Iterator[Contender]:
    def play(seed: int) -> dict[str, Any]:
        return hand_record(random_round(rules, seed))

    yield Contender(OURS, f"{rules.name} random rounds", samples.SEEDS, int, play, is_whole)
    yield Contender(OURS, f"{rules.name} records verified", samples.SEEDS, play, verify_record)
    yield Contender(
        OURS,
        f"{rules.name} perft",
        samples.SEEDS,
        lambda seed: middle(rules, seed),
        lambda state: perft(state, DEPTH),
        counts=True,
        least=1,
    )


def deal(rules: RuleSet, seed: int) -> HandState:
    """Returns a hand before its first decision, dealt from a shuffled wall."""
    wall = shuffle(seed.to_bytes(80, "big"), "bench", (NO_NONCE,) * 4, 0)
    state, _ = start_hand(Deal(rules, wall, 0, 0, 0, (rules.start_score,) * 4))
    return state


def random_round(rules: RuleSet, seed: int) -> HandState:
    """Plays a hand by random legal answers."""
    chance = random.Random(seed).random
    state = deal(rules, seed)
    while not state.is_over:
        seat, options = asked(state)
        state, _ = apply(state, seat, options[int(chance() * len(options))])
    return state


def asked(state: HandState) -> tuple[Seat, tuple[Action, ...]]:
    """Returns the first seat that has an open decision, with its legal answers."""
    for seat in SEATS:
        if options := legal_actions(state, seat):
            return seat, options
    raise ValueError("nobody is asked")


def is_whole(_: int, record: dict[str, Any]) -> bool:
    """Whether a record stands and its changes sum to zero."""
    result = verify_record(record).result
    return result is not None and sum(result.changes) == 0


def middle(rules: RuleSet, seed: int) -> HandState:
    """Returns a hand some random answers after the deal."""
    chance = random.Random(seed)
    state = deal(rules, seed)
    for _ in range(20):
        seat, options = asked(state)
        after, _ = apply(state, seat, chance.choice(options))
        if after.is_over:
            break
        state = after
    return state


def perft(state: HandState, depth: int) -> int:
    """Counts the answers given in a full search to a depth; of seats asked together the first answers first."""
    if state.is_over:
        return 0
    nodes = 0
    seat, options = asked(state)
    for action in options:
        after, _ = apply(state, seat, action)
        nodes += 1
        if depth > 1:
            nodes += perft(after, depth - 1)
    return nodes
