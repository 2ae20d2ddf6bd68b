"""${message}."""

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Brings the schema up to this revision."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Takes this revision back."""
    ${downgrades if downgrades else "pass"}
