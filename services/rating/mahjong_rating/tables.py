"""The tables of the rating service; migrations/ brings a database to this state."""

import sqlalchemy as sa
from sqlmodel.sql.sqltypes import UTCDateTime

METADATA = sa.MetaData()

_UUID = sa.String(36)
_WORD = sa.String(32)
_SEQUENCE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

MATCH_REPORT = sa.Table(
    "match_report",
    METADATA,
    # Inserted first: the transaction that inserts it rates the match, no other does.
    sa.Column("match_id", _UUID, primary_key=True),
    sa.Column("rule_set", _WORD, nullable=False),
    sa.Column("table_kind", _WORD, nullable=False),
    # By seat: [player id or null, computer level or null, score]; a pseudonym for the id if the account was deleted.
    sa.Column("seats", sa.JSON(), nullable=False),
    sa.Column("end_time", UTCDateTime(), nullable=False),
    sa.Column("outcome", _WORD, nullable=False),
    sa.Column("report_time", UTCDateTime(), nullable=False),
    # For retention.
    sa.Index("match_report_ended", "outcome", "end_time"),
)

REPORT_PLAYER = sa.Table(
    "report_player",
    METADATA,
    # The people of each reported match whose accounts exist.
    sa.Column("player_id", _UUID, primary_key=True),
    sa.Column("match_id", _UUID, sa.ForeignKey("match_report.match_id"), primary_key=True),
    sa.Index("report_player_of_match", "match_id"),
)

RATING = sa.Table(
    "rating",
    METADATA,
    sa.Column("rule_set", _WORD, primary_key=True),
    sa.Column("player_id", _UUID, primary_key=True),
    sa.Column("mu", sa.Double(), nullable=False),
    sa.Column("sigma", sa.Double(), nullable=False),
    sa.Column("match_count", sa.Integer(), nullable=False),
)

RATING_CHANGE = sa.Table(
    "rating_change",
    METADATA,
    # Taken while the ratings are locked: matches with a common player lie in the order they were applied in.
    sa.Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    sa.Column("match_id", _UUID, sa.ForeignKey("match_report.match_id"), nullable=False),
    sa.Column("player_id", _UUID, nullable=False),
    sa.Column("rule_set", _WORD, nullable=False),
    # Among the people of the match, from 1.
    sa.Column("place", sa.Integer(), nullable=False),
    sa.Column("score", sa.Integer(), nullable=False),
    sa.Column("mu_before", sa.Double(), nullable=False),
    sa.Column("sigma_before", sa.Double(), nullable=False),
    sa.Column("match_count_before", sa.Integer(), nullable=False),
    sa.Column("mu_after", sa.Double(), nullable=False),
    sa.Column("sigma_after", sa.Double(), nullable=False),
    sa.Column("model_version", sa.Integer(), nullable=False),
    sa.UniqueConstraint("match_id", "player_id", name="rating_change_once_a_match"),
    sa.Index("rating_change_of_player", "player_id", "rule_set", "sequence"),
)

SEASON_RATING = sa.Table(
    "season_rating",
    METADATA,
    # Where everybody whose account exists stood after the last match of each season: leaderboards read nothing else.
    sa.Column("rule_set", _WORD, primary_key=True),
    sa.Column("season", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("player_id", _UUID, primary_key=True),
    sa.Column("shown", sa.Integer(), nullable=False),
    sa.Column("best", sa.Integer(), nullable=False),
    sa.Column("season_match_count", sa.Integer(), nullable=False),
    sa.Column("match_count", sa.Integer(), nullable=False),
    sa.Column("listed", sa.Boolean(), nullable=False),
    sa.Index("season_rating_board", "rule_set", "season", "listed", "shown", "player_id"),
    sa.Index("season_rating_of_player", "player_id", "rule_set", "season"),
)

PLAYER_NAME = sa.Table(
    "player_name",
    METADATA,
    sa.Column("player_id", _UUID, primary_key=True),
    # As of the last rated match.
    sa.Column("display_name", sa.String(64), nullable=False),
)

DELETED_PLAYER = sa.Table(
    "deleted_player",
    METADATA,
    # Nothing is stored under this account any more, whatever is reported.
    sa.Column("player_id", _UUID, primary_key=True),
    # Stands in its place; forgotten as soon as it does everywhere.
    sa.Column("pseudonym", _UUID),
)
