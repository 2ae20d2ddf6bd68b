"""Deletes, from time to time, what the policy says is to go."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

from mahjong_kit.log import get_logger
from mahjong_rating.disposal import Disposal

_log = get_logger()


def _now() -> datetime:
    return datetime.now(UTC)


class Pruner:
    """Looks for reports that nobody needs and for deleted players who turned up again. Replicas may do so at once."""

    def __init__(
        self, disposal: Disposal, *, keep_skipped_days: int, period_s: float, now: Callable[[], datetime] = _now
    ) -> None:
        self._disposal = disposal
        self._keep_skipped_days = keep_skipped_days
        self._period_s = period_s
        self._now = now

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Prunes now and once a period until the block ends."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _prune(self) -> None:
        pruned = 0
        if self._keep_skipped_days:
            pruned = await self._disposal.prune(self._now() - timedelta(days=self._keep_skipped_days))
        late = await self._disposal.anonymise_late()
        if pruned or late:
            _log.info("reports.pruned", report_count=pruned, anonymised_count=late)

    async def _run(self) -> None:
        while True:
            try:
                await self._prune()
            except Exception as error:  # noqa: BLE001 - the store may be away: what is to go goes later
                _log.warning("pruning.postponed", problem=repr(error))
            await asyncio.sleep(self._period_s)
