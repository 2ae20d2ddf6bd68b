"""Finds ended tables by the time of their end."""

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"


def upgrade() -> None:
    """Brings the schema up to this revision."""
    ended = sa.text("ended_at IS NOT NULL")
    op.create_index("ix_game_table_ended", "game_table", ["ended_at"], sqlite_where=ended, postgresql_where=ended)


def downgrade() -> None:
    """Takes this revision back."""
    op.drop_index("ix_game_table_ended", "game_table")
