"""The revisions of every service that has a database."""

import pkgutil
from importlib import import_module
from importlib.util import find_spec

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect

import mahjong_kit.migration
from mahjong_kit.sql import open_database

SERVICES = sorted(
    module.name.removeprefix("mahjong_")
    for module in pkgutil.iter_modules()
    if module.name.startswith("mahjong_") and find_spec(f"{module.name}.migrations") is not None
)


def differences(connection, migrations):
    return compare_metadata(MigrationContext.configure(connection), migrations.METADATA)


def take_back(connection, migrations):
    command.downgrade(mahjong_kit.migration._config(migrations, connection), "base")
    return set(inspect(connection).get_table_names())


@pytest.mark.parametrize("service", SERVICES)
async def test_revisions_make_what_the_models_say_and_can_be_taken_back(service, database_dsn):
    migrations = import_module(f"mahjong_{service}.migrations")
    async with open_database(database_dsn, migrations) as database, database.engine.begin() as connection:
        assert await connection.run_sync(differences, migrations) == []
        assert await connection.run_sync(take_back, migrations) <= {"alembic_version"}


def test_account_is_among_the_services_with_a_database():
    assert "account" in SERVICES
