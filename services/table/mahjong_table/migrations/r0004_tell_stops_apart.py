"""Tells what was written before the tables of a shard stopped from what came after."""

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision = "r0003"


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.add_column("shard", sa.Column("stopped_epoch", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Takes this revision back."""
    with op.batch_alter_table("shard", schema=None) as batch_op:
        batch_op.drop_column("stopped_epoch")
