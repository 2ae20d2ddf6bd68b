"""Rates all reported matches again and compares what comes out with what is stored. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from mahjong_rating.model import Skill
from mahjong_rating.pseudonym import is_pseudonym
from mahjong_rating.report import Report
from mahjong_rating.season import season_of
from mahjong_rating.standing import Change, SeasonStanding, Standing, rated, season_standing

_TOLERANCE: Final = 1e-9
"""Relative: another machine may round the last bits otherwise."""
_ROW: Final = "row"


class Difference(NamedTuple):
    """One stored value that the results do not lead to."""

    rule_set: str
    table: str
    match_id: str
    player_id: str
    season: int
    field: str
    """Column; `row` if one side has no row."""
    stored: str
    recomputed: str


class Recomputation:
    """The ratings of one rule set, from its first match on."""

    def __init__(self, rule_set: str) -> None:
        self._rule_set = rule_set
        self._standings: dict[str, Standing] = {}
        self._seasons: dict[tuple[int, str], SeasonStanding] = {}
        self.match_count = 0

    @property
    def player_count(self) -> int:
        """Players rated so far."""
        return len(self._standings)

    def apply(self, report: Report, stored: Sequence[Change]) -> Iterator[Difference]:
        """Rates the next match; yields where its stored history differs."""
        self.match_count += 1
        new = Skill()
        before = {player: self._standings.get(player, Standing(player, new, 0)) for player in report.scores}
        changes = rated(before, report.scores)
        season = season_of(report.end_time).number
        for change in changes:
            player_id = change.after.player_id
            self._standings[player_id] = change.after
            if not is_pseudonym(player_id):
                key = season, player_id
                self._seasons[key] = season_standing(self._seasons.get(key), change, season)
        yield from self._compare(
            "rating_change",
            {change.after.player_id: _change_fields(change) for change in stored},
            {change.after.player_id: _change_fields(change) for change in changes},
            match_id=report.match_id,
        )

    def compare_ratings(self, stored: Mapping[str, Standing]) -> Iterator[Difference]:
        """Yields where the stored ratings are not those after the last match."""
        yield from self._compare(
            "rating",
            {player_id: _standing_fields(standing) for player_id, standing in stored.items()},
            {player_id: _standing_fields(standing) for player_id, standing in self._standings.items()},
        )

    def compare_seasons(self, stored: Sequence[SeasonStanding]) -> Iterator[Difference]:
        """Yields where the stored standings of seasons are not those after their last matches."""
        by_season: dict[int, dict[str, SeasonStanding]] = {}
        for standing in stored:
            by_season.setdefault(standing.season, {})[standing.player_id] = standing
        recomputed: dict[int, dict[str, SeasonStanding]] = {}
        for (season, player_id), standing in self._seasons.items():
            recomputed.setdefault(season, {})[player_id] = standing
        for season in sorted(by_season.keys() | recomputed.keys()):
            yield from self._compare(
                "season_rating",
                {player_id: _season_fields(standing) for player_id, standing in by_season.get(season, {}).items()},
                {player_id: _season_fields(standing) for player_id, standing in recomputed.get(season, {}).items()},
                season=season,
            )

    def _compare(
        self,
        table: str,
        stored: Mapping[str, Mapping[str, float]],
        recomputed: Mapping[str, Mapping[str, float]],
        *,
        match_id: str = "",
        season: int = 0,
    ) -> Iterator[Difference]:
        for player_id in sorted(stored.keys() | recomputed.keys()):
            place = self._rule_set, table, match_id, player_id, season
            is_stored, is_recomputed = player_id in stored, player_id in recomputed
            if not (is_stored and is_recomputed):
                yield Difference(*place, _ROW, "present" if is_stored else "", "present" if is_recomputed else "")
                continue
            for field, value in recomputed[player_id].items():
                found = stored[player_id][field]
                if not math.isclose(found, value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
                    yield Difference(*place, field, repr(found), repr(value))


def unrated(report: Report) -> Difference:
    """Returns the difference of a match that was to be rated and has no history."""
    return Difference(report.rule_set, "rating_change", report.match_id, "", 0, _ROW, "", "present")


def _change_fields(change: Change) -> dict[str, float]:
    before, after = change.before, change.after
    return {
        "place": change.place,
        "score": change.score,
        "mu_before": before.skill.mu,
        "sigma_before": before.skill.sigma,
        "match_count_before": before.match_count,
        "mu_after": after.skill.mu,
        "sigma_after": after.skill.sigma,
    }


def _standing_fields(standing: Standing) -> dict[str, float]:
    return {"mu": standing.skill.mu, "sigma": standing.skill.sigma, "match_count": standing.match_count}


def _season_fields(standing: SeasonStanding) -> dict[str, float]:
    return {
        "shown": standing.shown,
        "best": standing.best,
        "season_match_count": standing.season_match_count,
        "match_count": standing.match_count,
    }
