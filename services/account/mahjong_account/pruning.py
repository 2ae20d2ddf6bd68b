"""Removes sessions that have expired, again and again."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from mahjong_account.metrics import AccountMetrics
from mahjong_account.store import AccountStore
from mahjong_kit.background import repeating


def pruning(
    store: AccountStore, metrics: AccountMetrics, period_s: float, clock_ms: Callable[[], int]
) -> AbstractAsyncContextManager[None]:
    """Prunes at the start and then once a period, until the block ends."""

    async def prune() -> None:
        metrics.sessions_pruned.inc(await store.prune(clock_ms()))

    return repeating(prune, period_s, "pruning.postponed")
