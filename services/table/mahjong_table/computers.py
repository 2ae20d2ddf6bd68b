"""Computer players: each is a function of what its seat may see, worked out beside the tables' own work."""

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING

from mahjong_engine import bots
from mahjong_engine.tile import Seat
from mahjong_engine.view import view
from mahjong_kit.log import get_logger
from mahjong_table.core.decide import Answer
from mahjong_table.metrics import TableMetrics

if TYPE_CHECKING:
    from mahjong_table.live import LiveTable

_log = get_logger()


class Computers:
    """Thinks for computers, one question after another, in the order in which their moments come."""

    def __init__(self, metrics: TableMetrics) -> None:
        self._metrics = metrics
        self._waiting: deque[tuple[LiveTable, Seat, str]] = deque()
        self._wake = asyncio.Event()

    def think(self, table: "LiveTable", seat: Seat, decision_id: str) -> None:
        """Queues a question; its answer goes to the table as if it came from a client."""
        self._waiting.append((table, seat, decision_id))
        self._wake.set()

    async def run(self) -> None:
        """Thinks until cancelled."""
        while True:
            await self._wake.wait()
            table, seat, decision_id = self._waiting.popleft()
            if not self._waiting:
                self._wake.clear()
            self._answer(table, seat, decision_id)
            await asyncio.sleep(0)

    def _answer(self, table: "LiveTable", seat: Seat, decision_id: str) -> None:
        state = table.state
        question, level = state.questions[seat], state.terms.occupants[seat].level
        if question is None or question.decision_id != decision_id or state.hand is None or level is None:
            return  # The decision was closed meanwhile.
        started = time.perf_counter()
        try:
            action = bots.decide(level, view(state.hand, seat))
        except Exception as error:  # noqa: BLE001 - the table goes on without it: the server answers at the timeout
            _log.error("computer.failed", table_id=table.table_id, level=level.value, exc_info=error)
            return
        self._metrics.computer_duration_s.observe(time.perf_counter() - started)
        table.tell(Answer(seat, decision_id, action))
