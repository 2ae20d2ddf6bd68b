"""Runs the account service."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pyqwest

from mahjong_account import migrations
from mahjong_account.admin_servicer import AdminServicer
from mahjong_account.attempts import Attempts
from mahjong_account.credentials import Credentials
from mahjong_account.deletion import Deletion
from mahjong_account.farewells import open_farewells
from mahjong_account.friend_servicer import FriendServicer
from mahjong_account.friends import Friends
from mahjong_account.key_ring import KeyRing, Rotation, open_key_ring
from mahjong_account.key_store import KeyStore
from mahjong_account.metrics import AccountMetrics
from mahjong_account.openid import OpenId
from mahjong_account.openid_issuer import Client, Issuer
from mahjong_account.openid_servicer import OpenIdServicer
from mahjong_account.passwords import HashCost, Passwords
from mahjong_account.pruning import pruning
from mahjong_account.service import AccountService
from mahjong_account.servicer import AccountServicer
from mahjong_account.sessions import Sessions
from mahjong_account.settings import AccountSettings
from mahjong_account.signing import Seal, read_key
from mahjong_account.store import AccountStore
from mahjong_kit.auth import Authenticator, Clock, InternalTokens, Service
from mahjong_kit.keys import FetchedKeys
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.run import StopSignal, run
from mahjong_kit.server import BuiltServer, build_server, serving
from mahjong_kit.sql import open_database
from mahjong_kit.tls import channel_credentials


@asynccontextmanager
async def open_server(
    settings: AccountSettings, metrics: ServiceMetrics, clock: Clock = time.time
) -> AsyncIterator[BuiltServer]:
    """Gives the service's server on its open database, not started yet."""
    service_key = settings.service_key.get_secret_value()
    own_metrics = AccountMetrics(metrics)

    def clock_ms() -> int:
        return int(clock() * 1000)

    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations, metrics))
        keys = KeyStore(database, Seal(service_key), settings.access_lifetime_s, clock_ms)
        given = None if settings.signing_key is None else read_key(settings.signing_key.get_secret_value())
        rotation = Rotation(settings.key_rotation_s, settings.key_publish_s, settings.key_check_period_s)
        ring = await stack.enter_async_context(
            open_key_ring(KeyRing(keys, given, rotation, settings.access_lifetime_s, clock_ms))
        )
        store = AccountStore(database)
        sessions = Sessions(
            store,
            ring,
            own_metrics,
            refresh_lifetime_s=settings.refresh_lifetime_s,
            refresh_grace_s=settings.refresh_grace_s,
            clock_ms=clock_ms,
        )
        cost = HashCost(settings.password_memory_kib, settings.password_passes, settings.password_lanes)
        passwords = Passwords(cost, settings.password_concurrency, own_metrics)
        stack.callback(passwords.close)
        attempts = Attempts(database, clock_ms)
        credentials = Credentials(store, sessions, passwords, attempts, own_metrics, clock_ms)
        accounts = AccountService(store, sessions, attempts, own_metrics, clock_ms)
        await stack.enter_async_context(pruning(store, own_metrics, settings.prune_period_s, clock_ms))
        farewells = await stack.enter_async_context(
            open_farewells(
                store,
                own_metrics,
                InternalTokens(Service(settings.service), service_key),
                replay_address=settings.replay_address,
                rating_address=settings.rating_address,
                credentials=channel_credentials(settings),
                period_s=settings.farewell_period_s,
            )
        )
        openid = _openid(settings, store, sessions, credentials, own_metrics, clock)
        deletion = Deletion(store, credentials, farewells, own_metrics, clock_ms)
        yield build_server(
            AccountServicer(accounts, sessions, credentials, deletion, keys),
            OpenIdServicer(openid, settings.openid_issuer, settings.openid_name),
            FriendServicer(Friends(store, attempts, clock_ms)),
            AdminServicer(ring, credentials),
            settings=settings,
            metrics=metrics,
            authenticator=Authenticator(FetchedKeys(keys.living_keys), service_key, clock),
        )


def _openid(
    settings: AccountSettings,
    store: AccountStore,
    sessions: Sessions,
    credentials: Credentials,
    metrics: AccountMetrics,
    clock: Clock,
) -> OpenId | None:
    if not settings.openid_issuer:
        return None
    secret = settings.openid_client_secret.get_secret_value()
    client = Client(settings.openid_issuer, settings.openid_client_id, secret, settings.openid_scope)
    issuer = Issuer(client, pyqwest.Client(), clock)
    redirect_uris = settings.openid_redirect_uris
    return OpenId(store, sessions, credentials, issuer, redirect_uris, metrics, lambda: int(clock() * 1000))


async def serve(settings: AccountSettings, metrics: ServiceMetrics, stop: StopSignal) -> None:
    """Serves until the signal."""
    async with open_server(settings, metrics) as built, serving(built, settings):
        await stop.wait()


if __name__ == "__main__":
    run(serve, AccountSettings)
