"""Deletes ended tables when their time is over."""

import asyncio
from typing import Final

from mahjong_kit.log import get_logger
from mahjong_table.clock import WallClock
from mahjong_table.settings import TableSettings
from mahjong_table.store.retention import Retention

_PERIOD_S: Final = 60.0
_BREATH_S: Final = 0.2
"""Between two batches, so that play comes first."""
_DAY_MS: Final = 86_400_000

_log = get_logger()


class Janitor:
    """Looks for such tables in the shards of a worker."""

    def __init__(self, retention: Retention, worker_id: str, clock: WallClock, settings: TableSettings) -> None:
        self._retention = retention
        self._worker_id = worker_id
        self._clock = clock
        self._keep_ms = round(settings.ended_keep_days * _DAY_MS)

    async def run(self) -> None:
        """Deletes until cancelled; nothing, if tables are kept for good."""
        while True:
            await asyncio.sleep(_PERIOD_S)
            try:
                while self._keep_ms and await self.tidy():
                    await asyncio.sleep(_BREATH_S)
            except Exception as error:  # noqa: BLE001 - the database is away: what is to go goes later
                _log.warning("tables.kept", problem=type(error).__name__)

    async def tidy(self) -> bool:
        """Deletes one batch; returns whether there may be more."""
        return await self._retention.forget_ended(self._clock.now() - self._keep_ms, self._worker_id)
