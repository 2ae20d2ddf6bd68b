"""Computer players: each is a function of what its seat may see, worked out beside the tables' own work."""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mahjong_engine.action import Action
from mahjong_engine.bots import decide
from mahjong_engine.hand import default_action
from mahjong_engine.tile import Seat
from mahjong_engine.view import HandView, view
from mahjong_kit.log import get_logger
from mahjong_table.core.decide import Answer
from mahjong_table.metrics import TableMetrics

if TYPE_CHECKING:
    from mahjong_table.live import LiveTable

_BATCH_MAX = 8

_log = get_logger()


@dataclass(frozen=True, slots=True)
class _Question:
    """A question to a computer, and the view that it answers from once its turn has come."""

    table: "LiveTable"
    seat: Seat
    decision_id: str

    def view(self) -> HandView | None:
        """Returns what the seat sees now; None if the decision was closed meanwhile."""
        state = self.table.state
        question = state.questions[self.seat]
        if question is None or question.decision_id != self.decision_id or state.hand is None:
            return None
        return view(state.hand, self.seat)

    def default(self) -> Action | None:
        """Returns what the server would answer; None if the decision was closed meanwhile."""
        hand = self.table.state.hand
        return None if self.view() is None or hand is None else default_action(hand, self.seat)

    def level(self) -> str:
        """Returns how well the computer plays."""
        level = self.table.state.terms.occupants[self.seat].level
        assert level is not None
        return level.value


class Computers:
    """Thinks for computers in a thread of its own, in the order in which their moments come."""

    def __init__(self, metrics: TableMetrics) -> None:
        self._metrics = metrics
        self._waiting: deque[_Question] = deque()
        self._wake = asyncio.Event()

    def think(self, table: "LiveTable", seat: Seat, decision_id: str) -> None:
        """Queues a question; its answer goes to the table as if it came from a client."""
        self._waiting.append(_Question(table, seat, decision_id))
        self._wake.set()

    async def run(self) -> None:
        """Thinks until cancelled."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="computers") as thread:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while batch := self._next_batch():
                    asked = [(question.level(), seen) for question, seen in batch]
                    answers = await loop.run_in_executor(thread, self._think_all, asked)
                    for (question, _), action in zip(batch, answers, strict=True):
                        self._answer(question, action)

    def _next_batch(self) -> Sequence[tuple[_Question, HandView]]:
        batch: list[tuple[_Question, HandView]] = []
        while self._waiting and len(batch) < _BATCH_MAX:
            question = self._waiting.popleft()
            if (seen := question.view()) is not None:
                batch.append((question, seen))
        return batch

    def _think_all(self, asked: Sequence[tuple[str, HandView]]) -> list[Action | Exception]:
        return [self._think(level, seen) for level, seen in asked]

    def _think(self, level: str, seen: HandView) -> Action | Exception:
        started = time.perf_counter()
        try:
            return decide(level, seen)
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            return error
        finally:
            self._metrics.computer_duration_s.observe(time.perf_counter() - started)

    def _answer(self, question: _Question, action: Action | Exception) -> None:
        if isinstance(action, Exception):
            _log.error("computer.failed", table_id=question.table.table_id, level=question.level(), exc_info=action)
        answer = question.default() if isinstance(action, Exception) else action
        if answer is not None:  # Nobody else would answer at an untimed table.
            question.table.tell(Answer(question.seat, question.decision_id, answer))
