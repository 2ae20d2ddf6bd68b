# ruff: noqa: INP001 - Alembic runs this file by its path.
"""The Alembic environment of every service: uses the connection and the metadata that `migration.py` hands over."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=context.config.attributes["metadata"],
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
