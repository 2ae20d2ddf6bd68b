"""Compares values of the rating model's beta on simulated populations: `.venv/bin/python loadtests/rating_beta.py`.

400 players with skills of standard deviation 0.14 beside a luck of 1 a match, 300 rated matches each at random tables,
the mean of three populations. Rank correlation is that of skill and rating; log-loss is that of the winner as the model
foretells it before each match from the hundredth on (a table of equals has ln 4 = 1.3863). The findings are in
docs/decisions/rating-model.md.
"""

import math
import random
import statistics
from dataclasses import dataclass, field

from openskill.models import PlackettLuce, PlackettLuceRating

from mahjong_rating import model

PLAYERS = 400
MATCHES = 300
SETTLED = 100
SKILL = 0.14
MARKS = (10, 20, 30, 100, 300)


@dataclass
class Run:
    correlation: dict[int, float] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    spread: float = 0.0


def ranks(values: list[float]) -> list[int]:
    order = sorted(range(len(values)), key=values.__getitem__)
    place = [0] * len(values)
    for rank, player in enumerate(order):
        place[player] = rank
    return place


def simulate(beta: float, seed: int) -> Run:
    chance, run = random.Random(seed), Run()
    rules = PlackettLuce(mu=model.MU, sigma=model.SIGMA, beta=beta, tau=model.TAU)
    skills = [chance.gauss(0, SKILL) for _ in range(PLAYERS)]
    ratings = [rules.rating() for _ in range(PLAYERS)]
    players = list(range(PLAYERS))
    for match in range(1, MATCHES + 1):
        chance.shuffle(players)
        for start in range(0, PLAYERS, 4):
            results = {player: skills[player] + chance.gauss(0, 1) for player in players[start : start + 4]}
            order = sorted(results, key=results.__getitem__, reverse=True)
            if match > SETTLED:
                run.losses.append(loss_of_winner([ratings[player] for player in order], beta))
            rated = rules.rate([[ratings[player]] for player in order], ranks=[0.0, 1.0, 2.0, 3.0])
            for player, team in zip(order, rated, strict=True):
                ratings[player] = team[0]
        if match in MARKS:
            run.correlation[match] = statistics.correlation(ranks(skills), ranks([r.mu for r in ratings]))
    run.spread = statistics.pstdev(rating.mu for rating in ratings)
    return run


def loss_of_winner(table: list[PlackettLuceRating], beta: float) -> float:
    c = math.sqrt(sum(rating.sigma**2 + beta**2 for rating in table))
    return math.log(sum(math.exp((rating.mu - table[0].mu) / c) for rating in table))


def main() -> None:
    print("beta    " + "".join(f"corr@{mark:<5}" for mark in MARKS) + "log-loss  sd of mu")
    for beta in (model.MU / 6, model.MU * 4 / 6, model.BETA, model.MU * 16 / 6):
        runs = [simulate(beta, seed) for seed in (1, 2, 3)]
        means = [statistics.mean(run.correlation[mark] for run in runs) for mark in MARKS]
        loss = statistics.mean(loss for run in runs for loss in run.losses)
        spread = statistics.mean(run.spread for run in runs)
        print(f"{beta:<8.2f}" + "".join(f"{value:<10.3f}" for value in means) + f"{loss:<10.4f}{spread:.1f}")


if __name__ == "__main__":
    main()
