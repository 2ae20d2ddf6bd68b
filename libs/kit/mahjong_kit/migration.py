"""Applies a service's Alembic revisions; one environment serves all services.

A service keeps its revisions in its package `migrations`. `python -m mahjong_kit.migration account "add a table"`
writes the next one from the difference between the models and the revisions so far.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

from mahjong_kit.log import get_logger

_LOCK_KEY = 0x6D61686A6F6E67
"""Names the PostgreSQL advisory lock under which one process at a time changes a schema ("mahjong")."""

_log = get_logger()


def upgrade(connection: Connection, migrations: ModuleType) -> None:
    """Applies the missing revisions in the open transaction; processes that start at once take turns.

    A database that is newer than the code is left alone: any commit runs beside the one before it.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
    config = _config(migrations, connection)
    script = ScriptDirectory.from_config(config)
    known = {revision.revision for revision in script.walk_revisions()}
    present = MigrationContext.configure(connection).get_current_revision()
    if present is not None and present not in known:
        _log.warning("migration.skipped", revision=present)
        return
    command.upgrade(config, "head")
    if present != script.get_current_head():
        _log.info("migration.applied", revision=script.get_current_head())


def write_revision(service: str, message: str) -> None:
    """Writes the service's next revision: what its models have more than the revisions so far, tried on SQLite."""
    migrations = import_module(f"mahjong_{service}.migrations")
    with create_engine("sqlite://").connect() as connection:
        upgrade(connection, migrations)
        config = _config(migrations, connection)
        count = len(list(ScriptDirectory.from_config(config).walk_revisions()))
        command.revision(config, message, autogenerate=True, rev_id=f"r{count + 1:04}")


def _config(migrations: ModuleType, connection: Any) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("alembic")))
    config.set_main_option("version_locations", str(Path(str(migrations.__file__)).parent))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    config.attributes["metadata"] = getattr(migrations, "METADATA", None)
    return config


if __name__ == "__main__":
    write_revision(*sys.argv[1:])
