"""The engine against a plain second implementation of both games: the same answers are legal, at every step."""

import random

import pytest

from tests.unit.engine.lockstep import Lockstep

RULE_SETS = ("classical", "taiwanese")


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("wall", ["random", "rare"])
@pytest.mark.parametrize("seed", range(25))
def test_hands_ask_the_same_of_the_same_seats_at_every_step_and_end_alike(name, wall, seed):
    chance = random.Random(f"{name}/{wall}/{seed}")
    pair = getattr(Lockstep, wall)(name, chance)
    while not pair.is_over:
        pair.step(chance)
    pair.check_end()
