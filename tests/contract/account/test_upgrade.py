"""A database of the first release, brought up to date with people in it."""

from types import ModuleType

import pytest
from alembic import command
from sqlalchemy import Connection, text

import mahjong_kit.migration
from mahjong_account import migrations
from mahjong_account.key_store import KeyState, KeyStore
from mahjong_account.signing import Seal
from mahjong_account.store import AccountStore
from mahjong_kit.sql import open_database
from tests.kit.tokens import SERVICE_KEY

PLAYER_ID = "6b0f9d1e-6f3c-4a57-9a9a-3f8a4e1f7c11"
NOW_MS = 1_796_000_000_000


def make_first_release(connection: Connection, revisions: ModuleType) -> None:
    """Takes the schema back to the first revision, and fills it as the first release did."""
    command.downgrade(mahjong_kit.migration._config(revisions, connection), "r0001")
    for statement in (
        "INSERT INTO account (player_id, display_name, is_guest, create_time_ms) VALUES (:player, '麻雀', true, :now)",
        "INSERT INTO session (session_id, player_id, create_time_ms, expire_time_ms) VALUES ('s', :player, :now, :end)",
        "INSERT INTO signing_key (generation, key_id, jwk_json, create_time_ms) VALUES (1, 'k', '{}', :now)",
    ):
        used = {"player": PLAYER_ID, "now": NOW_MS, "end": NOW_MS + 1_000}
        connection.execute(text(statement), {name: used[name] for name in used if f":{name}" in statement})


@pytest.fixture
async def upgraded(settings):
    async with open_database(settings.database_dsn, migrations) as database, database.engine.begin() as connection:
        await connection.run_sync(make_first_release, migrations)
    async with open_database(settings.database_dsn, migrations) as database:
        yield database


async def test_people_of_the_first_release_keep_names_and_sessions(upgraded):
    store = AccountStore(upgraded)
    account = await store.find_account(PLAYER_ID)
    assert account is not None
    assert (account.display_name, account.is_guest, account.login_name) == ("麻雀", True, None)
    (session,) = await store.list_sessions(PLAYER_ID, NOW_MS)
    assert (session.device_name, session.refresh_time_ms) == ("", NOW_MS)


async def test_key_of_the_first_release_signs_on(upgraded):
    keys = KeyStore(upgraded, Seal(SERVICE_KEY), 900, lambda: NOW_MS + 5_000)
    assert dict(keys.states(await keys.list_keys())) == {1: KeyState.SIGNING}


async def test_replica_of_the_first_release_still_writes_beside_this_one(upgraded):
    async with upgraded.engine.begin() as connection:
        await connection.execute(
            text("INSERT INTO session (session_id, player_id, create_time_ms, expire_time_ms) VALUES ('t', :p, 1, 2)"),
            {"p": PLAYER_ID},
        )
        await connection.execute(
            text("INSERT INTO signing_key (generation, key_id, jwk_json, create_time_ms) VALUES (2, 'l', '{}', 1)")
        )
