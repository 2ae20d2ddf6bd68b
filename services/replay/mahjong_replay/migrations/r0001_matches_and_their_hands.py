"""Makes the tables of matches and their hands."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "r0001"
down_revision = None


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "played_match",
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("rule_set", sa.String(length=32), nullable=False),
        sa.Column("table_kind", sa.String(length=32), nullable=False),
        sa.Column("length", sa.String(length=32), nullable=False),
        sa.Column("occupants", sa.JSON(), nullable=False),
        sa.Column("hands_stored", sa.Integer(), nullable=False),
        sa.Column("hand_count", sa.Integer(), nullable=True),
        sa.Column("server_seed", sa.LargeBinary(), nullable=True),
        sa.Column("standings", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("end_time", UTCDateTime(), nullable=True),
        sa.Column("verification", sa.String(length=32), nullable=True),
        sa.Column("flaws", sa.JSON(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("match_id"),
    )
    due = sa.text("verification = 'due'")
    op.create_index("played_match_due", "played_match", ["match_id"], sqlite_where=due, postgresql_where=due)

    op.create_table(
        "match_player",
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("end_time", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["played_match.match_id"]),
        sa.PrimaryKeyConstraint("player_id", "match_id"),
    )
    op.create_index("match_player_list", "match_player", ["player_id", "end_time", "match_id"])

    op.create_table(
        "played_hand",
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("hand_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("dealer", sa.Integer(), nullable=False),
        sa.Column("round_wind", sa.String(length=32), nullable=False),
        sa.Column("ending", sa.String(length=32), nullable=False),
        sa.Column("winners", sa.JSON(), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("packing", sa.Integer(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["played_match.match_id"]),
        sa.PrimaryKeyConstraint("match_id", "hand_number"),
    )


def downgrade() -> None:
    """Takes this revision back."""
    op.drop_table("played_hand")
    op.drop_table("match_player")
    op.drop_table("played_match")
