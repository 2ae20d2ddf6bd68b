"""Computer players: each is a function of what its seat may see.

The quick ones answer at once. The others are worked out in a thread, beside the tables' own work.
"""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mahjong_engine.action import Action
from mahjong_engine.bots import decide
from mahjong_engine.hand import default_action
from mahjong_engine.tile import Seat
from mahjong_engine.view import HandView, view
from mahjong_kit.log import get_logger
from mahjong_table.core.decide import Answer
from mahjong_table.core.notice import Question
from mahjong_table.core.terms import Level
from mahjong_table.metrics import TableMetrics

if TYPE_CHECKING:
    from mahjong_table.live import LiveTable

QUICK: Final = frozenset({Level.BASIC})
"""Levels that think for about 30 us: less than handing a question to a thread and back costs."""
_BATCH_MAX = 8

_log = get_logger()


@dataclass(frozen=True, slots=True)
class _Asked:
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

    def level(self) -> Level:
        """Returns how well the computer plays; one that stands in for a person plays basic."""
        return self.table.state.terms.occupants[self.seat].level or Level.BASIC

    def answer(self, action: Action | Exception) -> Answer | None:
        """Returns the computer's answer, or what the server answers if it failed, for nobody else would.

        None if the decision was closed meanwhile.
        """
        if isinstance(action, Exception):
            _log.error("computer.failed", table_id=self.table.table_id, level=self.level().value, exc_info=action)
            hand = self.table.state.hand
            if self.view() is None or hand is None:
                return None
            action = default_action(hand, self.seat)
        return Answer(self.seat, self.decision_id, action)


class Computers:
    """Thinks for computers, in the order in which their moments come."""

    def __init__(self, metrics: TableMetrics) -> None:
        self._metrics = metrics
        self._waiting: deque[_Asked] = deque()
        self._wake = asyncio.Event()

    def think(self, table: "LiveTable", question: Question) -> Answer | None:
        """Returns the answer of a quick computer; that of another goes to the table as if it came from a client."""
        asked = _Asked(table, question.decision.seat, question.decision_id)
        if (level := asked.level()) in QUICK:
            seen = asked.view()
            return None if seen is None else asked.answer(self._think(level, seen))
        self._waiting.append(asked)
        self._wake.set()
        return None

    async def run(self) -> None:
        """Thinks for those that are not quick, until cancelled."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="computers") as thread:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while batch := self._next_batch():
                    questions = [(asked.level(), seen) for asked, seen in batch]
                    actions = await loop.run_in_executor(thread, self._think_all, questions)
                    for (asked, _), action in zip(batch, actions, strict=True):
                        if (answer := asked.answer(action)) is not None:
                            asked.table.tell(answer)

    def _next_batch(self) -> Sequence[tuple[_Asked, HandView]]:
        batch: list[tuple[_Asked, HandView]] = []
        while self._waiting and len(batch) < _BATCH_MAX:
            asked = self._waiting.popleft()
            if (seen := asked.view()) is not None:
                batch.append((asked, seen))
        return batch

    def _think_all(self, questions: Sequence[tuple[Level, HandView]]) -> list[Action | Exception]:
        return [self._think(level, seen) for level, seen in questions]

    def _think(self, level: Level, seen: HandView) -> Action | Exception:
        started = time.perf_counter()
        try:
            return decide(level.value, seen)
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            return error
        finally:
            self._metrics.computer_duration_s.observe(time.perf_counter() - started)
