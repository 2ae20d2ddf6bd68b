"""The rating model: Plackett-Luce on places (OpenSkill), and the number that players see. Knows no store or clock.

Every parameter has its reason in docs/decisions/rating-model.md. A change of any of them, or of a golden value in
tests/unit/rating/, is a new MODEL_VERSION.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product
from typing import Final

from openskill.models import PlackettLuce

MODEL_VERSION: Final = 1
"""Stored with every change, so that a recomputation knows what made it."""

MU: Final = 25.0
"""Skill of a new player."""
SIGMA: Final = MU / 3
"""Uncertainty of a new player's skill (standard deviation)."""
BETA: Final = 4 * MU / 3
"""Luck of one match on the scale of skill: eight times the usual value, because mahjong is mostly luck."""
TAU: Final = MU / 300
"""Uncertainty added before each match, so that a rating never freezes."""

SHOWN_NEW: Final = 1500
"""Shown rating of a new player."""
SHOWN_PER_SIGMA: Final = 200
"""Points shown for one standard deviation of a new player's skill."""
PROVISIONAL_MATCHES: Final = 20
"""A rating is provisional until this many matches are rated."""

_MODEL: Final = PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU)


@dataclass(frozen=True, slots=True)
class Skill:
    """What is believed of one player in one rule set: mean and standard deviation. Never sent to clients."""

    mu: float = MU
    sigma: float = SIGMA


def places(scores: Mapping[str, int]) -> dict[str, int]:
    """Returns the place of each player, 1 for the highest score; equal scores share the better place."""
    return {player: 1 + sum(other > score for other in scores.values()) for player, score in scores.items()}


def rate(skills: Mapping[str, Skill], scores: Mapping[str, int]) -> dict[str, Skill]:
    """Returns the skills after one match between the players of `scores`.

    Only the order of the scores counts, not their distance. A tie is worth the mean of all orders that it leaves open:
    the tied then share what their places are worth, and nobody else notices. (OpenSkill's own ties shrink: third place
    behind two tied winners would gain as much as they do.) The result is the same to the last bit whatever the order
    of the arguments.

    Raises:
        ValueError: fewer than two players.
    """
    if len(scores) < 2:
        raise ValueError(f"a match between {len(scores)} player(s) cannot be rated")
    outcomes = [_rate_order(skills, order) for order in _orders(places(scores))]
    return {player: _mean([outcome[player] for outcome in outcomes]) for player in scores}


def shown(skill: Skill) -> int:
    """Returns the rating that players see: the mean, 1500 for a new player, 200 points a standard deviation."""
    return round(SHOWN_NEW + (skill.mu - MU) * SHOWN_PER_SIGMA / SIGMA)


def is_provisional(match_count: int) -> bool:
    """Whether a rating after so many rated matches still rests on few of them."""
    return match_count < PROVISIONAL_MATCHES


def _orders(place: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yields every order of the players, best first, that agrees with their places: one where nobody is tied."""
    tied = ([player for player in sorted(place) if place[player] == at] for at in sorted(set(place.values())))
    for groups in product(*map(permutations, tied)):
        yield tuple(chain.from_iterable(groups))


def _rate_order(skills: Mapping[str, Skill], order: Sequence[str]) -> dict[str, Skill]:
    teams = [[_MODEL.rating(mu=skills[player].mu, sigma=skills[player].sigma)] for player in order]
    rated = _MODEL.rate(teams, ranks=[float(rank) for rank in range(len(order))])
    return {player: Skill(team[0].mu, team[0].sigma) for player, team in zip(order, rated, strict=True)}


def _mean(skills: Sequence[Skill]) -> Skill:
    """Returns the mean skill; `fsum` makes it independent of their order.

    Raises:
        ArithmeticError: a number is not finite, or the uncertainty not positive; it must not reach the store.
    """
    mean = Skill(math.fsum(s.mu for s in skills) / len(skills), math.fsum(s.sigma for s in skills) / len(skills))
    if not (math.isfinite(mean.mu) and math.isfinite(mean.sigma) and mean.sigma > 0):
        raise ArithmeticError(f"the model gave {mean}")
    return mean
