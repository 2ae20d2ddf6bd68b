"""What the account service keeps in its database, and how replicas share it."""

import asyncio

import pytest
from sqlalchemy import text

from mahjong_account import migrations
from mahjong_account.__main__ import open_server
from mahjong_account.key_store import KeyStore
from mahjong_account.signing import Seal, public_jwk, thumbprint
from mahjong_account.store import AccountStore
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.sql import open_database
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.kit.serving import stub_of
from tests.kit.tokens import SERVICE_KEY, bearer
from tests.kit.wire import refused

OTHER_SERVICE_KEY = "another service key, which is longer than 32 bytes"


@pytest.fixture
async def database(settings):
    async with open_database(settings.database_dsn, migrations) as database:
        yield database


def key_store(database, clock, service_key=SERVICE_KEY):
    return KeyStore(database, Seal(service_key), 900, lambda: int(clock.now * 1000))


def key_id(key):
    return thumbprint(public_jwk(key.public_key()))


async def test_no_token_and_no_private_key_stands_in_the_database(account, database):
    session = (await account.CreateGuest(pb.CreateGuestRequest())).session
    second = (await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=session.refresh_token))).session
    async with database.engine.connect() as connection:
        tables = ("account", "session", "refresh_token", "signing_key")
        kept = [str((await connection.execute(text(f"SELECT * FROM {name}"))).all()) for name in tables]
    assert all("sealed" not in part for part in kept)
    for secret in (session.refresh_token, session.access_token, second.refresh_token, '"d"'):
        assert secret not in "".join(kept)


async def test_second_replica_knows_the_sessions_and_keys_of_the_first(account, settings, clock):
    session = (await account.CreateGuest(pb.CreateGuestRequest(display_name="Lin"))).session
    async with (
        open_server(settings, ServiceMetrics("account"), clock) as built,
        stub_of(built, AccountServiceStub, settings) as second,
    ):
        mine = await second.GetMyAccount(pb.GetMyAccountRequest(), metadata=bearer(session.access_token))
        assert mine.profile.display_name == "Lin"
        request = pb.RefreshSessionRequest(refresh_token=session.refresh_token)
        answers = await asyncio.gather(*(replica.RefreshSession(request) for replica in (account, second) * 4))
    assert all(answer == answers[0] for answer in answers)


async def test_replicas_that_start_at_once_sign_by_one_key(database, clock):
    stores = [key_store(database, clock) for _ in range(8)]
    keys = await asyncio.gather(*(store.signing_key(None) for store in stores))
    assert len({key_id(key) for key in keys}) == 1
    assert list(await stores[0].living_keys()) == [key_id(keys[0])]


async def test_key_that_this_service_key_does_not_open_is_followed_by_a_new_one(database, clock):
    old = await key_store(database, clock).signing_key(None)
    clock.now += 5
    store = key_store(database, clock, OTHER_SERVICE_KEY)
    new = await store.signing_key(None)
    assert set(await store.living_keys()) == {key_id(old), key_id(new)}


async def test_key_stops_to_count_when_no_token_that_it_signed_can_live(database, clock):
    await key_store(database, clock).signing_key(None)
    store = key_store(database, clock, OTHER_SERVICE_KEY)
    new = await store.signing_key(None)
    clock.now += 900 + 3600 + 1
    assert set(await store.living_keys()) == {key_id(new)}


async def test_key_of_the_settings_takes_over_and_is_not_stored(database, clock, issuer):
    store = key_store(database, clock)
    made = await store.signing_key(None)
    assert key_id(await store.signing_key(issuer._key)) == issuer.signer.key_id
    assert key_id(await store.signing_key(issuer._key)) == issuer.signer.key_id
    assert set(await store.living_keys()) == {key_id(made), issuer.signer.key_id}
    async with database.engine.connect() as connection:
        kept = (await connection.execute(text("SELECT generation, sealed_key FROM signing_key ORDER BY 1"))).all()
    assert [(generation, sealed is None) for generation, sealed in kept] == [(1, False), (2, True)]


async def test_expired_sessions_are_removed_and_their_accounts_stay(account, database, clock):
    session = (await account.CreateGuest(pb.CreateGuestRequest())).session
    await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=session.refresh_token))
    store = AccountStore(database)
    assert await store.prune(int(clock.now * 1000)) == 0
    assert await store.prune(int((clock.now + 90 * 86_400) * 1000)) == 1
    with refused() as refusal:
        await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=session.refresh_token))
    assert refusal.reason == "REFRESH_TOKEN_INVALID"
    await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=bearer(session.access_token))
