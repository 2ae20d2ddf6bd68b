"""The revisions of each service lead to the tables that its code expects, on each database, and back."""

from importlib import import_module

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect

from mahjong_kit.migration import _config
from mahjong_kit.sql import open_database

SERVICES = ["rating"]


@pytest.mark.parametrize("service", SERVICES)
async def test_revisions_lead_to_the_tables_of_the_code(service, database_dsn):
    migrations = import_module(f"mahjong_{service}.migrations")
    async with open_database(database_dsn, migrations) as database, database.engine.connect() as connection:
        difference = await connection.run_sync(
            lambda sync: compare_metadata(MigrationContext.configure(sync), migrations.METADATA)
        )
    assert difference == []


@pytest.mark.parametrize("service", SERVICES)
async def test_revisions_can_be_taken_back(service, database_dsn):
    migrations = import_module(f"mahjong_{service}.migrations")
    async with open_database(database_dsn, migrations) as database, database.engine.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(_config(migrations, sync), "base"))
        tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    assert tables == ["alembic_version"]
