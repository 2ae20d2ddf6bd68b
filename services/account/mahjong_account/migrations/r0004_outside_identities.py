"""Adds sign-ins by an outside issuer, and whose its subjects are."""

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision = "r0003"


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "openid_sign_in",
        sa.Column("state_hash", sa.String(64), primary_key=True),
        sa.Column("nonce", sa.String(43), nullable=False),
        sa.Column("redirect_uri", sa.String(512), nullable=False),
        sa.Column("code_challenge", sa.String(43), nullable=False),
        sa.Column("expire_time_ms", sa.BigInteger(), nullable=False, index=True),
    )
    op.create_table(
        "openid_identity",
        sa.Column("issuer", sa.String(255), primary_key=True),
        sa.Column("subject", sa.String(255), primary_key=True),
        sa.Column("player_id", sa.String(36), sa.ForeignKey("account.player_id"), nullable=False),
        sa.Column("create_time_ms", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_openid_identity_player_id", "openid_identity", ["player_id"], unique=True)


def downgrade() -> None:
    """Takes this revision back."""
    op.drop_table("openid_identity")
    op.drop_table("openid_sign_in")
