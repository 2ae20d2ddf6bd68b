"""Adds friends, requests and blocks, and whom to tell that an account was deleted."""

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "relation",
        sa.Column("player_id", sa.String(36), sa.ForeignKey("account.player_id"), primary_key=True),
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("other_id", sa.String(36), sa.ForeignKey("account.player_id"), primary_key=True, index=True),
        sa.Column("create_time_ms", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_relation_list", "relation", ["player_id", "kind", "create_time_ms", "other_id"])
    op.create_table(
        "farewell",
        sa.Column("player_id", sa.String(36), sa.ForeignKey("account.player_id"), primary_key=True),
        sa.Column("service", sa.String(16), primary_key=True),
        sa.Column("create_time_ms", sa.BigInteger(), nullable=False, index=True),
    )


def downgrade() -> None:
    """Takes this revision back."""
    op.drop_table("farewell")
    op.drop_table("relation")
