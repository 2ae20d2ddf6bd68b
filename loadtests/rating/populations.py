"""Simulated players: what they are worth, and what happens when they sit down together."""

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from loadtests.rating.models import Maker

MARKS = (20, 100, 200)
"""Matches a player after which skill and rating are compared."""
SEASON = 50
"""Matches a player in a season."""
SETTLED = 50
"""Matches a player before what is foretold counts."""


@dataclass(frozen=True)
class Population:
    """So many players, whose skills lie apart by `skill` beside a luck of 1 a match (standard deviations)."""

    players: int
    matches: int
    skill: float
    seed: int


@dataclass
class Outcome:
    """How well a way to rate did."""

    correlation: dict[int, float] = field(default_factory=dict)
    """Of the ranks of skill and rating, after so many matches."""
    winner_losses: list[float] = field(default_factory=list)
    order_losses: list[float] = field(default_factory=list)


def play(population: Population, make: Maker) -> Outcome:
    """Plays all matches of a population at random tables; equal populations play the very same matches."""
    chance, outcome = random.Random(population.seed), Outcome()
    skills = [chance.gauss(0, population.skill) for _ in range(population.players)]
    ratings, players = make(population.players), list(range(population.players))
    for match in range(1, population.matches + 1):
        if match % SEASON == 1 and match > 1:
            ratings.start_season()
        chance.shuffle(players)
        for start in range(0, population.players, 4):
            results = {player: skills[player] + chance.gauss(0, 1) for player in players[start : start + 4]}
            order = sorted(results, key=results.__getitem__, reverse=True)
            if match > SETTLED:
                _foretell(outcome, ratings.strengths(order))
            ratings.rate(order)
        if match in MARKS:
            outcome.correlation[match] = statistics.correlation(ranks(skills), ranks(ratings.values()))
    return outcome


def _foretell(outcome: Outcome, strengths: Sequence[float]) -> None:
    """Notes how surprising the order of a match was: its winner, and all of it."""
    losses = [math.log(sum(strengths[place:]) / strengths[place]) for place in range(len(strengths))]
    outcome.winner_losses.append(losses[0])
    outcome.order_losses.append(sum(losses))


def ranks(values: Sequence[float]) -> list[int]:
    """Returns the rank of each value."""
    order = sorted(range(len(values)), key=values.__getitem__)
    place = [0] * len(values)
    for rank, player in enumerate(order):
        place[player] = rank
    return place
