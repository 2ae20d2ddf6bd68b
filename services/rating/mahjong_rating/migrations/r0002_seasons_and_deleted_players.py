"""Makes the tables of seasons, names and deleted players, and fills the first from the history."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"

# What the service did at this revision: later releases may do otherwise.
_PROVISIONAL_MATCHES = 20


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "report_player",
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match_report.match_id"]),
        sa.PrimaryKeyConstraint("player_id", "match_id"),
    )
    op.create_index("report_player_of_match", "report_player", ["match_id"])
    op.create_index("match_report_ended", "match_report", ["outcome", "end_time"])
    op.create_table(
        "season_rating",
        sa.Column("rule_set", sa.String(length=32), nullable=False),
        sa.Column("season", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("shown", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("season_match_count", sa.Integer(), nullable=False),
        sa.Column("match_count", sa.Integer(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("rule_set", "season", "player_id"),
    )
    op.create_index("season_rating_board", "season_rating", ["rule_set", "season", "listed", "shown", "player_id"])
    op.create_index("season_rating_of_player", "season_rating", ["player_id", "rule_set", "season"])
    op.create_table(
        "player_name",
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("display_name", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_table(
        "deleted_player",
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("pseudonym", sa.String(length=36), nullable=True),
        sa.PrimaryKeyConstraint("player_id"),
    )
    _fill()


def _fill() -> None:
    connection = op.get_bind()
    metadata = sa.MetaData()
    reports, changes, seasons, players = (
        sa.Table(name, metadata, autoload_with=connection)
        for name in ("match_report", "rating_change", "season_rating", "report_player")
    )
    season_by_match: dict[str, int] = {}
    for row in connection.execute(sa.select(reports)).mappings().all():
        season_by_match[row["match_id"]] = _season(row["end_time"])
        people = [{"player_id": seat[0], "match_id": row["match_id"]} for seat in row["seats"] if seat[0] is not None]
        if people:
            connection.execute(sa.insert(players), people)
    standings: dict[tuple[str, int, str], dict[str, Any]] = {}
    for row in connection.execute(sa.select(changes).order_by(changes.c.sequence)).mappings().all():
        season = season_by_match[row["match_id"]]
        key = row["rule_set"], season, row["player_id"]
        shown, before = round(1500 + (row["mu_after"] - 25) * 24), standings.get(key)
        count = row["match_count_before"] + 1
        standings[key] = {
            "rule_set": key[0],
            "season": season,
            "player_id": key[2],
            "shown": shown,
            "best": shown if before is None else max(shown, before["best"]),
            "season_match_count": 1 if before is None else before["season_match_count"] + 1,
            "match_count": count,
            "listed": count >= _PROVISIONAL_MATCHES,
        }
    if standings:
        connection.execute(sa.insert(seasons), list(standings.values()))


def _season(end_time: datetime) -> int:
    utc = end_time if end_time.tzinfo is None else end_time.astimezone(UTC)
    return max(1, 1 + (utc.year - 2026) * 4 + (utc.month - 1) // 3)


def downgrade() -> None:
    """Takes this revision back."""
    for table in ("deleted_player", "player_name", "season_rating", "report_player"):
        op.drop_table(table)
    op.drop_index("match_report_ended", "match_report")
