"""Group commit: tables that are ready at about the same time share one transaction, and so one flush to the disk."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence

from sqlalchemy.exc import IntegrityError

from mahjong_kit.log import get_logger
from mahjong_table.clock import WallClock
from mahjong_table.metrics import TableMetrics
from mahjong_table.store.append import Append
from mahjong_table.store.log import Log, Written

_TOLD_AT_ONCE_MAX = 16

Done = Callable[[Written | Exception], None]
"""Told what became of an append, in the event loop."""

_log = get_logger()


class Committer:
    """Commits what tables hand in. A table hands in one append at a time."""

    def __init__(
        self,
        log: Log,
        clock: WallClock,
        metrics: TableMetrics,
        may_write: Callable[[], bool],
        *,
        linger_s: float,
        tables_max: int,
    ) -> None:
        self._store = log
        self._clock = clock
        self._metrics = metrics
        self._may_write = may_write
        """Whether the worker's own lease holds; the log's fence judges again."""
        self._linger_s = linger_s
        self._tables_max = tables_max
        self._waiting: deque[tuple[Append, Done]] = deque()
        self._wake = asyncio.Event()
        self._is_busy = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits and nothing is being written."""
        return not self._waiting and not self._is_busy

    def submit(self, append: Append, done: Done) -> None:
        """Queues an append for the next commit."""
        self._waiting.append((append, done))
        self._wake.set()

    async def run(self) -> None:
        """Commits until cancelled."""
        while True:
            await self._wake.wait()
            if len(self._waiting) < self._tables_max:
                await asyncio.sleep(self._linger_s)
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), self._tables_max))]
            if not self._waiting:
                self._wake.clear()
            self._is_busy = True
            await self._commit(batch)
            self._is_busy = False

    async def _commit(self, batch: Sequence[tuple[Append, Done]]) -> None:
        started = time.perf_counter()
        if not self._may_write():
            for _, done in batch:
                done(Written.FENCED)
            return
        try:
            written = await self._written([append for append, _ in batch])
        except Exception as error:  # noqa: BLE001 - whatever hinders the store, the tables wait and try again
            _log.warning("commit.failed", tables=len(batch), problem=str(error).partition("\n")[0])
            written = [error] * len(batch)
        self._metrics.committed([append for append, _ in batch], time.perf_counter() - started, written)
        for number, ((_, done), result) in enumerate(zip(batch, written, strict=True), 1):
            done(result)
            if number % _TOLD_AT_ONCE_MAX == 0:
                await asyncio.sleep(0)  # The event loop has other things to do too, such as to send a heartbeat.

    async def _written(self, appends: Sequence[Append]) -> Sequence[Written | Exception]:
        """Writes appends; those that the log has already are left out, for one of them must not hinder the others."""
        try:
            return await self._store.commit(appends, self._clock.now())
        except IntegrityError as error:
            if len(appends) == 1:
                return [error]
            known = await self._store.known(appends)
            if not known:  # Another fault of one of them.
                return [(await self._written([append]))[0] for append in appends]
            others = [append for append in appends if append.table_id not in known]
            written = iter(await self._written(others) if others else ())
            return [error if append.table_id in known else next(written) for append in appends]
