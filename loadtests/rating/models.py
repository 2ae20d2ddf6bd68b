"""Ways to rate, ours and others, behind one protocol."""

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from openskill.models import PlackettLuce, PlackettLuceRating

from mahjong_rating import model


class Ratings(Protocol):
    """The ratings of a population."""

    def strengths(self, table: Sequence[int]) -> list[float]:
        """Returns what the players of a table are worth: each wins with its share of the sum."""

    def rate(self, order: Sequence[int]) -> None:
        """Takes in a match, best place first."""

    def values(self) -> list[float]:
        """Returns the ratings by player."""

    def start_season(self) -> None:
        """A season begins."""


class OpenSkill:
    """Plackett-Luce, as the rating service has it, with a beta; a reset keeps a share of what was learned."""

    def __init__(self, players: int, beta: float, kept: float = 1.0) -> None:
        self._rules = PlackettLuce(mu=model.MU, sigma=model.SIGMA, beta=beta, tau=model.TAU)
        self._ratings: list[PlackettLuceRating] = [self._rules.rating() for _ in range(players)]
        self._beta, self._kept = beta, kept

    def strengths(self, table: Sequence[int]) -> list[float]:
        ratings = [self._ratings[player] for player in table]
        c = math.sqrt(sum(rating.sigma**2 + self._beta**2 for rating in ratings))
        return [math.exp((rating.mu - model.MU) / c) for rating in ratings]

    def rate(self, order: Sequence[int]) -> None:
        rated = self._rules.rate([[self._ratings[player]] for player in order], ranks=[0.0, 1.0, 2.0, 3.0])
        for player, team in zip(order, rated, strict=True):
            self._ratings[player] = team[0]

    def values(self) -> list[float]:
        return [rating.mu for rating in self._ratings]

    def start_season(self) -> None:
        if self._kept == 1:
            return
        for player, rating in enumerate(self._ratings):
            mu = model.MU + self._kept * (rating.mu - model.MU)
            sigma = model.SIGMA + self._kept * (rating.sigma - model.SIGMA)
            self._ratings[player] = self._rules.rating(mu=mu, sigma=sigma)


class Elo:
    """Elo over the six pairs of a table, each a third of K."""

    def __init__(self, players: int, k: float) -> None:
        self._ratings = [0.0] * players
        self._k = k

    def strengths(self, table: Sequence[int]) -> list[float]:
        return [10 ** (self._ratings[player] / 400) for player in table]

    def rate(self, order: Sequence[int]) -> None:
        gains = dict.fromkeys(order, 0.0)
        for place, better in enumerate(order):
            for worse in order[place + 1 :]:
                surprise = 1 / (1 + 10 ** ((self._ratings[better] - self._ratings[worse]) / 400))
                gains[better] += self._k / 3 * surprise
                gains[worse] -= self._k / 3 * surprise
        for player, gain in gains.items():
            self._ratings[player] += gain

    def values(self) -> list[float]:
        return self._ratings

    def start_season(self) -> None:
        """Nothing changes."""


class MeanPlace:
    """The mean place, with twenty matches in the middle of the field to begin with; foretells nothing."""

    def __init__(self, players: int) -> None:
        self._sums, self._counts = [50.0] * players, [20] * players

    def strengths(self, table: Sequence[int]) -> list[float]:
        return [1.0] * len(table)

    def rate(self, order: Sequence[int]) -> None:
        for place, player in enumerate(order, 1):
            self._sums[player] += place
            self._counts[player] += 1

    def values(self) -> list[float]:
        return [-total / count for total, count in zip(self._sums, self._counts, strict=True)]

    def start_season(self) -> None:
        """Nothing changes."""


Maker = Callable[[int], Ratings]
"""Makes the ratings of so many new players."""

ALTERNATIVES: dict[str, Maker] = {
    "OpenSkill, beta 25/6 (usual)": lambda players: OpenSkill(players, model.MU / 6),
    "OpenSkill, beta 100/6": lambda players: OpenSkill(players, model.MU * 4 / 6),
    "OpenSkill, beta 100/3 (ours)": lambda players: OpenSkill(players, model.BETA),
    "OpenSkill, beta 400/6": lambda players: OpenSkill(players, model.MU * 16 / 6),
    "ours, half reset each season": lambda players: OpenSkill(players, model.BETA, kept=0.5),
    "ours, full reset each season": lambda players: OpenSkill(players, model.BETA, kept=0.0),
    "Elo by pairs, K 8": lambda players: Elo(players, 8),
    "Elo by pairs, K 24": lambda players: Elo(players, 24),
    "mean place": MeanPlace,
}
