"""The tables of the replay service; migrations/ brings a database to this state."""

import sqlalchemy as sa
from sqlmodel.sql.sqltypes import UTCDateTime

METADATA = sa.MetaData()

_UUID = sa.String(36)
_WORD = sa.String(32)
_AWARD = sa.String(48)

MATCH = sa.Table(
    "played_match",
    METADATA,
    sa.Column("match_id", _UUID, primary_key=True),
    sa.Column("rule_set", _WORD, nullable=False),
    sa.Column("table_kind", _WORD, nullable=False),
    sa.Column("length", _WORD, nullable=False),
    # By seat: [player id or null, computer level or null, name to show]; both null if the account was deleted.
    sa.Column("occupants", sa.JSON(), nullable=False),
    sa.Column("hands_stored", sa.Integer(), nullable=False),
    # Null until the end is reported. Standings: [seat, place, score], best first.
    sa.Column("hand_count", sa.Integer()),
    sa.Column("server_seed", sa.LargeBinary()),
    sa.Column("standings", sa.JSON(none_as_null=True)),
    sa.Column("end_time", UTCDateTime()),
    # Null until the match is over; then `due`, `verified` or `failed`.
    sa.Column("verification", _WORD),
    # What verification found: [hand number or null, reason, decision or null, message].
    sa.Column("flaws", sa.JSON(none_as_null=True)),
    sa.Index(
        "played_match_due",
        "match_id",
        sqlite_where=sa.text("verification = 'due'"),
        postgresql_where=sa.text("verification = 'due'"),
    ),
    # For retention.
    sa.Index("played_match_ended", "table_kind", "end_time"),
)

MATCH_PLAYER = sa.Table(
    "match_player",
    METADATA,
    sa.Column("player_id", _UUID, primary_key=True),
    sa.Column("match_id", _UUID, sa.ForeignKey("played_match.match_id"), primary_key=True),
    # As in the match, but null until the match is over: the order of the player's list.
    sa.Column("end_time", UTCDateTime()),
    sa.Index("match_player_list", "player_id", "end_time", "match_id"),
)

HAND = sa.Table(
    "played_hand",
    METADATA,
    sa.Column("match_id", _UUID, sa.ForeignKey("played_match.match_id"), primary_key=True),
    sa.Column("hand_number", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("dealer", sa.Integer(), nullable=False),
    sa.Column("round_wind", _WORD, nullable=False),
    sa.Column("ending", _WORD, nullable=False),
    sa.Column("winners", sa.JSON(), nullable=False),
    sa.Column("changes", sa.JSON(), nullable=False),
    # The record as it was reported, packed as codec.py says.
    sa.Column("packing", sa.Integer(), nullable=False),
    sa.Column("record", sa.LargeBinary(), nullable=False),
)

HAND_AWARD = sa.Table(
    "hand_award",
    METADATA,
    # Of every winner of a match that was verified: awards and limits, each once.
    sa.Column("match_id", _UUID, sa.ForeignKey("played_match.match_id"), primary_key=True),
    sa.Column("award", _AWARD, primary_key=True),
    sa.Column("hand_number", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Integer(), primary_key=True, autoincrement=False),
    # Null for computers and deleted accounts.
    sa.Column("player_id", _UUID),
)

DELETED_PLAYER = sa.Table(
    "deleted_player",
    METADATA,
    # Nothing is stored under this account any more, whatever is reported.
    sa.Column("player_id", _UUID, primary_key=True),
)
