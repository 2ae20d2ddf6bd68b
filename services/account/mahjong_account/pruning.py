"""Removes sessions that have expired, again and again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from mahjong_account.metrics import AccountMetrics
from mahjong_account.store import AccountStore
from mahjong_kit.log import get_logger

_log = get_logger()


@asynccontextmanager
async def pruning(
    store: AccountStore, metrics: AccountMetrics, period_s: float, clock_ms: Callable[[], int]
) -> AsyncIterator[None]:
    """Prunes at the start and then once a period, until the block ends."""
    task = asyncio.create_task(_prune_for_ever(store, metrics, period_s, clock_ms))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _prune_for_ever(
    store: AccountStore, metrics: AccountMetrics, period_s: float, clock_ms: Callable[[], int]
) -> None:
    while True:
        try:
            metrics.sessions_pruned.inc(await store.prune(clock_ms()))
        except Exception as error:  # noqa: BLE001 - a store that is away for a while must not end the pruning
            _log.warning("sessions.unpruned", problem=repr(error))
        await asyncio.sleep(period_s)
