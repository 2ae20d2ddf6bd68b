"""Open the log."""

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "decision",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("shard", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("request_id", sa.String(length=36), nullable=True),
        sa.Column("player_id", sa.String(length=36), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "sequence"),
        sa.UniqueConstraint("table_id", "request_id", name="uq_decision_request"),
    )
    op.create_table(
        "final_view",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("seat", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("snapshot", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat"),
    )
    op.create_table(
        "game_table",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("shard", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("server_seed", sa.LargeBinary(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("nonce_window_ms", sa.Integer(), nullable=False),
        sa.Column("result_window_ms", sa.Integer(), nullable=False),
        sa.Column("load_sequence", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("table_id"),
        sa.UniqueConstraint("match_id"),
    )
    with op.batch_alter_table("game_table", schema=None) as batch_op:
        batch_op.create_index(
            "ix_game_table_live",
            ["shard"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "outbox",
        sa.Column("report_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("report_id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(
            "ix_outbox_waiting",
            ["report_id"],
            unique=False,
            sqlite_where=sa.text("delivered_at IS NULL"),
            postgresql_where=sa.text("delivered_at IS NULL"),
        )

    op.create_table(
        "seated",
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    with op.batch_alter_table("seated", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_seated_table_id"), ["table_id"], unique=False)

    op.create_table(
        "shard",
        sa.Column("shard", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("worker_id", sa.String(length=36), nullable=True),
        sa.PrimaryKeyConstraint("shard"),
    )
    op.create_table(
        "worker",
        sa.Column("worker_id", sa.String(length=36), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("worker_id"),
    )


def downgrade() -> None:
    """Takes this revision back."""
    op.drop_table("worker")
    op.drop_table("shard")
    with op.batch_alter_table("seated", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_seated_table_id"))

    op.drop_table("seated")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_outbox_waiting",
            sqlite_where=sa.text("delivered_at IS NULL"),
            postgresql_where=sa.text("delivered_at IS NULL"),
        )

    op.drop_table("outbox")
    with op.batch_alter_table("game_table", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_game_table_live", sqlite_where=sa.text("ended_at IS NULL"), postgresql_where=sa.text("ended_at IS NULL")
        )

    op.drop_table("game_table")
    op.drop_table("final_view")
    op.drop_table("decision")
