"""Builds the tables of workers that have fallen silent while their leases still hold: little is left to do then."""

import asyncio
from collections.abc import Collection

from mahjong_kit.log import get_logger
from mahjong_table.keeper import Keeper

_log = get_logger()


class Foresight:
    """What may come soon. It only reads: nothing is lost by it if a worker is heard again."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._seen: frozenset[int] = frozenset()
        """Shards whose tables are built, or are being built."""
        self._job: asyncio.Task[None] | None = None

    def expect(self, shards: Collection[int]) -> None:
        """Takes note, round by round, of which shards may come; their tables are built once."""
        if not shards and self._seen:
            self.stop()
            self._seen = frozenset()
            self._keeper.forget_ahead()
        elif (fresh := frozenset(shards) - self._seen) and (self._job is None or self._job.done()):
            self._seen |= fresh
            self._job = asyncio.create_task(self._build(fresh))

    def stop(self) -> None:
        """Builds no more, for the shards come now, or nothing comes any more."""
        if self._job is not None:
            self._job.cancel()

    async def _build(self, shards: frozenset[int]) -> None:
        try:
            await self._keeper.build_ahead(shards)
        except Exception as error:  # noqa: BLE001 - the database is away: the tables are built when they come
            _log.warning("tables.not_built_ahead", problem=type(error).__name__)
