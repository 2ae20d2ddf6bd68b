"""When the computers of one table have thought long enough about what they are asked."""

from collections.abc import Callable, Iterable

from mahjong_engine.state import SEATS, ClockKind
from mahjong_engine.tile import Seat
from mahjong_table.core.clock import CLOCK_TIMES
from mahjong_table.core.notice import Question
from mahjong_table.core.state import TableState
from mahjong_table.core.terms import Terms


class Thoughts:
    """The moments of a table's computers, one for each question."""

    __slots__ = ("_asked", "_at", "_longest_ms", "_seats", "_thought_ms", "next_at")

    def __init__(self, terms: Terms, thought_ms: Callable[[], int]) -> None:
        self._seats: tuple[Seat, ...] = tuple(seat for seat in SEATS if terms.occupants[seat].level is not None)
        self._thought_ms = thought_ms
        times = CLOCK_TIMES[terms.clock]
        self._longest_ms = None if times is None else times.base_ms // 2
        self.next_at: int | None = None
        """When the next of them will have thought."""
        self.forget()

    def forget(self) -> None:
        """Lets all think again: an answer may have been lost."""
        self._asked: list[str | None] = [None, None, None, None]
        self._at: list[int | None] = [None, None, None, None]

    def due(self, state: TableState, now: int, stand_ins: Iterable[Seat] = ()) -> list[Question]:
        """Returns the questions whose moment has come, each once, and notes when those of the others will come.

        Args:
            state: the table.
            now: the time.
            stand_ins: seats of people for whom a computer decides now.
        """
        questions: list[Question] = []
        self.next_at = None
        for seat in (*self._seats, *stand_ins):
            question = state.questions[seat]
            if question is None or question.is_forced:
                self._asked[seat] = None
                continue
            if self._asked[seat] != question.decision_id:
                self._asked[seat] = question.decision_id
                self._at[seat] = question.window.opened_at + self._time_for(question)
            at = self._at[seat]
            if at is None:
                continue
            if at <= now:
                self._at[seat] = None
                questions.append(question)
            elif self.next_at is None or at < self.next_at:
                self.next_at = at
        return questions

    def _time_for(self, question: Question) -> int:
        """Returns how long a computer takes. Claims and openings end with the jittered floor, so they take none."""
        if question.decision.clock is not ClockKind.TURN:
            return 0
        thought = self._thought_ms()
        return thought if self._longest_ms is None else min(thought, self._longest_ms)
