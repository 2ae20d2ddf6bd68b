"""Between rows of the tables and the service's own values."""

from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_rating.model import Skill
from mahjong_rating.report import Outcome, Report, SeatScore
from mahjong_rating.standing import Change, SeasonStanding, Standing
from mahjong_rating.tables import MATCH_REPORT


class StoredReport(NamedTuple):
    """A report as it stands, and what was done with it then."""

    report: Report
    outcome: Outcome


def report_of(row: sa.RowMapping) -> StoredReport:
    """Returns the report of a row."""
    seats = tuple(SeatScore(player_id, computer, score) for player_id, computer, score in row["seats"])
    report = Report(row["match_id"], row["rule_set"], row["table_kind"], seats, row["end_time"])
    return StoredReport(report, Outcome(row["outcome"]))


async def find_report(connection: AsyncConnection, match_id: str) -> StoredReport | None:
    """Returns the report of a match, or None if there was none yet."""
    query = sa.select(MATCH_REPORT).where(MATCH_REPORT.c.match_id == match_id)
    row = (await connection.execute(query)).mappings().one_or_none()
    return None if row is None else report_of(row)


def standing_of(row: sa.RowMapping) -> Standing:
    """Returns the standing of a row."""
    return Standing(row["player_id"], Skill(row["mu"], row["sigma"]), row["match_count"])


def change_of(row: sa.RowMapping) -> Change:
    """Returns what a row of the history did."""
    player_id, count = row["player_id"], row["match_count_before"]
    return Change(
        place=row["place"],
        score=row["score"],
        before=Standing(player_id, Skill(row["mu_before"], row["sigma_before"]), count),
        after=Standing(player_id, Skill(row["mu_after"], row["sigma_after"]), count + 1),
    )


def season_standing_of(row: sa.RowMapping) -> SeasonStanding:
    """Returns the standing of a row of a season."""
    return SeasonStanding(
        row["player_id"], row["season"], row["shown"], row["best"], row["season_match_count"], row["match_count"]
    )


def season_row(rule_set: str, standing: SeasonStanding) -> dict[str, Any]:
    """Returns the row of a standing in a season."""
    return {
        "rule_set": rule_set,
        "season": standing.season,
        "player_id": standing.player_id,
        "shown": standing.shown,
        "best": standing.best,
        "season_match_count": standing.season_match_count,
        "match_count": standing.match_count,
        "listed": standing.is_listed,
    }
