"""Deletes, from time to time, what the policy says is to go."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime

from mahjong_kit.background import repeating
from mahjong_kit.log import get_logger
from mahjong_replay.disposal import Disposal
from mahjong_replay.metrics import ReplayMetrics

_log = get_logger()


def _now() -> datetime:
    return datetime.now(UTC)


class Pruner:
    """Looks for matches whose time is over and for deleted players who turned up again. Replicas may do so at once."""

    def __init__(
        self,
        disposal: Disposal,
        metrics: ReplayMetrics,
        *,
        keep_days: Mapping[str, int],
        period_s: float,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._disposal = disposal
        self._metrics = metrics
        self._keep_days = keep_days
        self._period_s = period_s
        self._now = now

    def running(self) -> AbstractAsyncContextManager[None]:
        """Prunes now and once a period until the block ends."""
        return repeating(self.prune, self._period_s, "pruning.postponed")

    async def prune(self) -> None:
        """Prunes once."""
        pruned = await self._disposal.prune(self._keep_days, self._now())
        late = await self._disposal.anonymise_late()
        self._metrics.matches_pruned.inc(pruned)
        if pruned or late:
            _log.info("matches.pruned", match_count=pruned, anonymised_count=late)
