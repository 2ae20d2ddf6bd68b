"""Takes note in the database of who has come to a table, beside play: nobody waits for it."""

import asyncio
from collections.abc import Iterable
from itertools import islice
from typing import Final

from mahjong_kit.log import get_logger
from mahjong_kit.sql import Database
from mahjong_table.clock import WallClock
from mahjong_table.store.arrivals import Arrival, NoteArrivals

_TOGETHER_MAX: Final = 64
_PAUSE_S: Final = 0.02
"""Between two transactions: people come one after another, and commits of play come first."""
_RETRY_S: Final = 0.5

_log = get_logger()


class Arrivals:
    """Arrivals that are to be noted, some at a time, again and again until they are."""

    def __init__(self, database: Database, clock: WallClock) -> None:
        self._database = database
        self._clock = clock
        self._waiting: dict[Arrival, None] = {}
        self._wake = asyncio.Event()

    def note(self, table_id: str, player_ids: Iterable[str]) -> None:
        """Takes note of players who have come to a table."""
        self._waiting.update(((player_id, table_id), None) for player_id in player_ids)
        self._wake.set()

    async def run(self) -> None:
        """Writes until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while some := list(islice(self._waiting, _TOGETHER_MAX)):
                await asyncio.sleep(_PAUSE_S if await self._write(some) else _RETRY_S)

    async def _write(self, arrivals: list[Arrival]) -> bool:
        try:
            await self._database.transact(NoteArrivals(arrivals, self._clock.now()))
        except Exception as error:  # noqa: BLE001 - the database is away; it is told again
            _log.warning("arrivals.unnoted", arrivals=len(arrivals), problem=type(error).__name__)
            return False
        for arrival in arrivals:
            self._waiting.pop(arrival, None)
        return True
