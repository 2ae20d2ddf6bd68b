"""Opens tables: those that are asked for at about the same time together, and no more a second than play can bear."""

import asyncio
from collections import deque
from contextvars import copy_context

from mahjong_table import errors
from mahjong_table.store.open_tables import OpeningError, Wanted
from mahjong_table.store.tables import Tables

_TOGETHER_MAX = 16
_WAIT_MAX_S = 1.0


class Opener:
    """Takes its turn between heartbeats and commits, at a pace that leaves them room. Whoever can't wait is told so."""

    def __init__(self, tables: Tables, *, openings_per_s: float) -> None:
        self._tables = tables
        self._pause_s = 1 / openings_per_s
        self._waiting_max = max(1, round(_WAIT_MAX_S * openings_per_s))
        self._waiting: deque[tuple[Wanted, asyncio.Future[str | OpeningError]]] = deque()
        self._job: asyncio.Task[None] | None = None
        self._context = copy_context()  # Not that of the call which happens to come first.

    async def open(self, wanted: Wanted) -> str:
        """Opens a table; returns the id of its match's table, old or new.

        Raises:
            OpeningError: what is in the way of a new table.
            ServiceError: `NO_TABLE_CAPACITY`: too many are being opened.
        """
        if len(self._waiting) >= self._waiting_max:
            raise errors.no_capacity(retry_after_s=2 * _WAIT_MAX_S)
        outcome: asyncio.Future[str | OpeningError] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, outcome))
        if self._job is None:
            self._job = asyncio.create_task(self._run(), context=self._context)
        opened = await outcome
        if isinstance(opened, Exception):
            raise opened
        return opened

    async def _run(self) -> None:
        try:
            while self._waiting:
                together = [self._waiting.popleft() for _ in range(min(len(self._waiting), _TOGETHER_MAX))]
                await self._open_all(together)
                await asyncio.sleep(len(together) * self._pause_s)
        finally:
            self._job = None

    async def _open_all(self, together: list[tuple[Wanted, asyncio.Future[str | OpeningError]]]) -> None:
        try:
            opened = await self._tables.open_tables([wanted for wanted, _ in together])
        except Exception as error:  # noqa: BLE001 - told to whoever waits
            for _, outcome in together:
                if not outcome.done():
                    outcome.set_exception(error)
            return
        for (_, outcome), result in zip(together, opened, strict=True):
            if not outcome.done():
                outcome.set_result(result)
