"""Runs the account service."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from mahjong_account import migrations
from mahjong_account.key_store import KeyStore
from mahjong_account.metrics import AccountMetrics
from mahjong_account.pruning import pruning
from mahjong_account.service import AccountService
from mahjong_account.servicer import AccountServicer
from mahjong_account.settings import AccountSettings
from mahjong_account.signing import Seal, Signer, read_key
from mahjong_account.store import AccountStore
from mahjong_kit.auth import Authenticator, Clock
from mahjong_kit.keys import FetchedKeys
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.run import StopSignal, run
from mahjong_kit.server import BuiltServer, build_server, serving
from mahjong_kit.sql import open_database


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
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations))
        keys = KeyStore(database, Seal(service_key), settings.access_lifetime_s, clock_ms)
        given = None if settings.signing_key is None else read_key(settings.signing_key.get_secret_value())
        signer = Signer(await keys.signing_key(given), settings.access_lifetime_s)
        store = AccountStore(database)
        accounts = AccountService(
            store,
            signer,
            own_metrics,
            refresh_lifetime_s=settings.refresh_lifetime_s,
            refresh_grace_s=settings.refresh_grace_s,
            clock_ms=clock_ms,
        )
        await stack.enter_async_context(pruning(store, own_metrics, settings.prune_period_s, clock_ms))
        authenticator = Authenticator(FetchedKeys(keys.living_keys), service_key, clock)
        yield build_server(
            AccountServicer(accounts, keys), settings=settings, metrics=metrics, authenticator=authenticator
        )


async def serve(settings: AccountSettings, metrics: ServiceMetrics, stop: StopSignal) -> None:
    """Serves until the signal."""
    async with open_server(settings, metrics) as built, serving(built, settings):
        await stop.wait()


if __name__ == "__main__":
    run(serve, AccountSettings)
