"""Tells who has come to a table, so that another worker knows it too."""

import sqlalchemy as sa
from alembic import op

revision = "r0005"
down_revision = "r0004"


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.add_column("seated", sa.Column("came_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Takes this revision back."""
    with op.batch_alter_table("seated", schema=None) as batch_op:
        batch_op.drop_column("came_at")
