"""Share the shards among workers."""

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.add_column("shard", sa.Column("stopped_at", sa.BigInteger(), nullable=True))
    op.add_column("worker", sa.Column("noted_at", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("worker", sa.Column("draining", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("outbox", sa.Column("shard", sa.SmallInteger(), server_default="0", nullable=False))
    # Workers that start at once would make the rows twice; migrations take turns.
    shard = sa.table("shard", sa.column("shard", sa.SmallInteger()), sa.column("epoch", sa.BigInteger()))
    known = set(op.get_bind().scalars(sa.select(shard.c.shard)).all())
    op.bulk_insert(shard, [{"shard": number, "epoch": 0} for number in range(1024) if number not in known])
    # Until now seen_at was the worker's own clock, and one worker had every shard.
    op.execute("UPDATE worker SET noted_at = seen_at")


def downgrade() -> None:
    """Takes this revision back."""
    for table, column in (("outbox", "shard"), ("worker", "draining"), ("worker", "noted_at"), ("shard", "stopped_at")):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column(column)
