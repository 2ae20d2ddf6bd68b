"""Makes the tables of awards and of deleted players; matches are verified again, which fills the first."""

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "hand_award",
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("award", sa.String(length=48), nullable=False),
        sa.Column("hand_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.String(length=36), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["played_match.match_id"]),
        sa.PrimaryKeyConstraint("match_id", "award", "hand_number", "seat"),
    )
    op.create_table(
        "deleted_player",
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_index("played_match_ended", "played_match", ["table_kind", "end_time"])
    op.execute("UPDATE played_match SET verification = 'due' WHERE verification IS NOT NULL")


def downgrade() -> None:
    """Takes this revision back."""
    op.drop_index("played_match_ended", "played_match")
    op.drop_table("deleted_player")
    op.drop_table("hand_award")
