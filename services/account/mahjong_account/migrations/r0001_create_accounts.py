"""Creates accounts, sessions and signing keys."""

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "account",
        sa.Column("player_id", sa.String(36), primary_key=True),
        sa.Column("display_name", sa.String(24), nullable=False),
        sa.Column("is_guest", sa.Boolean(), nullable=False),
        sa.Column("create_time_ms", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "session",
        sa.Column("session_id", sa.String(36), primary_key=True),
        sa.Column("player_id", sa.String(36), sa.ForeignKey("account.player_id"), nullable=False, index=True),
        sa.Column("create_time_ms", sa.BigInteger(), nullable=False),
        sa.Column("end_time_ms", sa.BigInteger()),
        sa.Column("expire_time_ms", sa.BigInteger(), nullable=False, index=True),
    )
    op.create_table(
        "refresh_token",
        sa.Column("token_hash", sa.LargeBinary(), primary_key=True),
        sa.Column("session_id", sa.String(36), sa.ForeignKey("session.session_id"), nullable=False, index=True),
        sa.Column("expire_time_ms", sa.BigInteger(), nullable=False, index=True),
        sa.Column("spent_time_ms", sa.BigInteger()),
        sa.Column("salt", sa.LargeBinary()),
    )
    op.create_table(
        "signing_key",
        sa.Column("generation", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("key_id", sa.String(43), nullable=False),
        sa.Column("jwk_json", sa.String(200), nullable=False),
        sa.Column("sealed_key", sa.LargeBinary()),
        sa.Column("create_time_ms", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    """Takes this revision back."""
    for table in ("signing_key", "refresh_token", "session", "account"):
        op.drop_table(table)
