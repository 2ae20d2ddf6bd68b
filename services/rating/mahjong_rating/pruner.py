"""Deletes, from time to time, what the policy says is to go."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

from mahjong_kit.background import repeating
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

    def running(self) -> AbstractAsyncContextManager[None]:
        """Prunes now and once a period until the block ends."""
        return repeating(self._prune, self._period_s, "pruning.postponed")

    async def _prune(self) -> None:
        pruned = 0
        if self._keep_skipped_days:
            pruned = await self._disposal.prune(self._now() - timedelta(days=self._keep_skipped_days))
        late = await self._disposal.anonymise_late()
        if pruned or late:
            _log.info("reports.pruned", report_count=pruned, anonymised_count=late)
