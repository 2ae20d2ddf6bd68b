"""A player's standing in one rule set, and what a match does to it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from mahjong_rating import model
from mahjong_rating.model import Skill


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a player in one rule set."""

    player_id: str
    skill: Skill
    match_count: int


@dataclass(frozen=True, slots=True)
class Change:
    """What one match did to one player's standing."""

    place: int
    """Among the people of the match, from 1."""
    score: int
    before: Standing
    after: Standing


def rated(before: Mapping[str, Standing], scores: Mapping[str, int]) -> tuple[Change, ...]:
    """Returns the changes that a match makes, best place first.

    Args:
        before: the standing of every player of the match.
        scores: their final scores; at least two.
    """
    skills = model.rate({player: before[player].skill for player in scores}, scores)
    place = model.places(scores)
    return tuple(
        Change(
            place=place[player],
            score=scores[player],
            before=before[player],
            after=Standing(player, skills[player], before[player].match_count + 1),
        )
        for player in sorted(scores, key=lambda player: (place[player], player))
    )
