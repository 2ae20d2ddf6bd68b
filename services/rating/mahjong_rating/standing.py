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


@dataclass(frozen=True, slots=True)
class SeasonStanding:
    """Where a player stood after the last match of a season."""

    player_id: str
    season: int
    shown: int
    best: int
    """Highest shown rating after a match of the season."""
    season_match_count: int
    match_count: int
    """Rated matches so far, those of earlier seasons too."""

    @property
    def is_listed(self) -> bool:
        """Whether the season's leaderboard lists the player: provisional ratings are left out."""
        return not model.is_provisional(self.match_count)


def season_standing(before: SeasonStanding | None, change: Change, season: int) -> SeasonStanding:
    """Returns where a player stands in a season after a match of it."""
    after, shown = change.after, model.shown(change.after.skill)
    best, played = (shown, 0) if before is None else (max(before.best, shown), before.season_match_count)
    return SeasonStanding(after.player_id, season, shown, best, played + 1, after.match_count)
