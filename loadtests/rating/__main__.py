"""Fits beta, and compares the rating model with others on simulated populations: `make bench-rating`.

Three populations play the same matches under each way to rate. Rank correlation is that of skill and rating; log-loss
is how surprising the winners and the whole orders were to what the ratings foretold (a table of equals: ln 4 = 1.3863
and ln 24 = 3.1781). Beta is fitted to the log-loss of orders. The findings are in docs/decisions/rating-model.md.
"""

import argparse
import math
import statistics
from collections.abc import Sequence

from loadtests.rating.models import ALTERNATIVES, Maker, OpenSkill
from loadtests.rating.populations import MARKS, Outcome, Population, play
from mahjong_rating import model

SKILLS = (0.10, 0.14, 0.20)
_GOLDEN = (math.sqrt(5) - 1) / 2


def loss(outcomes: Sequence[Outcome]) -> float:
    """Returns the mean log-loss of orders."""
    return statistics.mean(loss for outcome in outcomes for loss in outcome.order_losses)


def fit(populations: Sequence[Population], steps: int) -> tuple[float, float]:
    """Returns the beta of the least log-loss and that loss, by golden-section search over its logarithm."""

    def loss_at(log_beta: float) -> float:
        beta = math.exp(log_beta)
        return loss([play(population, lambda players: OpenSkill(players, beta)) for population in populations])

    low, high = math.log(model.MU / 6), math.log(model.MU * 16)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    left_loss, right_loss = loss_at(left), loss_at(right)
    for _ in range(steps):
        if left_loss < right_loss:
            high, right, right_loss = right, left, left_loss
            left = high - _GOLDEN * (high - low)
            left_loss = loss_at(left)
        else:
            low, left, left_loss = left, right, right_loss
            right = low + _GOLDEN * (high - low)
            right_loss = loss_at(right)
    return min((left_loss, math.exp(left)), (right_loss, math.exp(right)))[::-1]


def row(name: str, populations: Sequence[Population], make: Maker) -> None:
    outcomes = [play(population, make) for population in populations]
    marks = [mark for mark in MARKS if mark in outcomes[0].correlation]
    means = [statistics.mean(outcome.correlation[mark] for outcome in outcomes) for mark in marks]
    winner = statistics.mean(loss for outcome in outcomes for loss in outcome.winner_losses)
    foretells = winner < math.log(4) - 1e-12 or winner > math.log(4) + 1e-12
    losses = f"{winner:>10.4f}{loss(outcomes):>10.4f}" if foretells else f"{'-':>10}{'-':>10}"
    print(f"{name:<32}" + "".join(f"{mean:>10.3f}" for mean in means) + losses, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="loadtests.rating", description=__doc__)
    parser.add_argument("--players", type=int, default=200, help="a multiple of 4")
    parser.add_argument("--matches", type=int, default=200, help="of each player")
    parser.add_argument("--steps", type=int, default=5, help="of the search for beta, each a run of all populations")
    options = parser.parse_args()
    populations = [
        Population(options.players, options.matches, skill, seed) for seed, skill in enumerate(SKILLS, start=1)
    ]
    print(f"{'':<32}" + "".join(f"{f'corr@{mark}':>10}" for mark in MARKS) + f"{'winner':>10}{'order':>10}")
    for name, make in ALTERNATIVES.items():
        row(name, populations, make)
    beta, least = fit(populations, options.steps)
    print(f"fitted beta: {beta:.1f} (log-loss of orders {least:.4f}); ours is {model.BETA:.1f}")
    for population in populations:
        beta, least = fit([population], options.steps)
        print(f"  skills {population.skill} apart: {beta:.1f} ({least:.4f})")


if __name__ == "__main__":
    main()
