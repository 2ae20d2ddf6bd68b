"""Makes the tables of reports, ratings and their history."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "r0001"
down_revision = None


def upgrade() -> None:
    """Brings the schema up to this revision."""
    op.create_table(
        "match_report",
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("rule_set", sa.String(length=32), nullable=False),
        sa.Column("table_kind", sa.String(length=32), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("end_time", UTCDateTime(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False),
        sa.Column("report_time", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_table(
        "rating",
        sa.Column("rule_set", sa.String(length=32), nullable=False),
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("match_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("rule_set", "player_id"),
    )
    op.create_table(
        "rating_change",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("match_id", sa.String(length=36), nullable=False),
        sa.Column("player_id", sa.String(length=36), nullable=False),
        sa.Column("rule_set", sa.String(length=32), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("mu_before", sa.Double(), nullable=False),
        sa.Column("sigma_before", sa.Double(), nullable=False),
        sa.Column("match_count_before", sa.Integer(), nullable=False),
        sa.Column("mu_after", sa.Double(), nullable=False),
        sa.Column("sigma_after", sa.Double(), nullable=False),
        sa.Column("model_version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match_report.match_id"],
        ),
        sa.PrimaryKeyConstraint("sequence"),
        sa.UniqueConstraint("match_id", "player_id", name="rating_change_once_a_match"),
    )
    op.create_index("rating_change_of_player", "rating_change", ["player_id", "rule_set", "sequence"])


def downgrade() -> None:
    """Takes this revision back."""
    op.drop_table("rating_change")
    op.drop_table("rating")
    op.drop_table("match_report")
