"""Adds passwords, devices, names that belong to one account, and keys that wait for their turn."""

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"


def upgrade() -> None:
    """Brings the schema up to this revision."""
    _set_name_length(32)
    for column in (
        sa.Column("login_name", sa.String(32)),
        sa.Column("password_hash", sa.String(255)),
        sa.Column("delete_time_ms", sa.BigInteger()),
    ):
        op.add_column("account", column)
    op.create_index("ix_account_login_name", "account", ["login_name"], unique=True)
    op.create_table(
        "name_claim",
        sa.Column("look_hash", sa.String(64), primary_key=True),
        sa.Column("player_id", sa.String(36), sa.ForeignKey("account.player_id"), nullable=False, index=True),
    )
    op.add_column("session", sa.Column("device_name", sa.String(64), nullable=False, server_default=""))
    op.add_column("session", sa.Column("refresh_time_ms", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE session SET refresh_time_ms = create_time_ms")
    op.add_column("signing_key", sa.Column("activate_time_ms", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE signing_key SET activate_time_ms = create_time_ms")
    op.add_column("signing_key", sa.Column("withdraw_time_ms", sa.BigInteger()))
    op.create_table(
        "attempt",
        sa.Column("key_hash", sa.String(64), primary_key=True),
        sa.Column("full_time_ms", sa.BigInteger(), nullable=False, index=True),
    )


def downgrade() -> None:
    """Takes this revision back; accounts lose their passwords."""
    op.drop_table("attempt")
    op.drop_table("name_claim")
    op.drop_index("ix_account_login_name", "account")
    for table, columns in (
        ("signing_key", ("withdraw_time_ms", "activate_time_ms")),
        ("session", ("refresh_time_ms", "device_name")),
        ("account", ("delete_time_ms", "password_hash", "login_name")),
    ):
        for column in columns:
            op.drop_column(table, column)
    op.execute("UPDATE account SET display_name = substr(display_name, 1, 24)")
    _set_name_length(24)


def _set_name_length(length: int) -> None:
    """Changes the type of the display name; on SQLite by another column, for other tables name this one."""
    if op.get_bind().dialect.name != "sqlite":
        op.alter_column("account", "display_name", type_=sa.String(length))
        return
    op.add_column("account", sa.Column("other_name", sa.String(length), nullable=False, server_default=""))
    op.execute("UPDATE account SET other_name = display_name")
    op.drop_column("account", "display_name")
    op.execute("ALTER TABLE account RENAME COLUMN other_name TO display_name")
