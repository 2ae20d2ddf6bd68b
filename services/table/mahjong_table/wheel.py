"""One heap of deadlines for all tables of a worker, and one timer for its head."""

import asyncio
import heapq
from contextvars import copy_context
from itertools import count
from typing import Protocol

from mahjong_table.clock import WallClock

_AT_ONCE_MAX = 32
"""Sleepers that are woken before the event loop gets to do something else, such as sending a heartbeat."""


class Sleeper(Protocol):
    """Something that wants to be woken at a time."""

    due_at: int | None
    """When it wants to be woken; belongs to the wheel."""
    queued_at: int | None
    """The time under which the heap has it; belongs to the wheel."""

    def wake(self, now: int) -> None:
        """Does what is due."""


class Wheel:
    """Wakes sleepers at their time, each of which has one at most.

    A time that is moved back leaves its place in the heap as it is: the sleeper is queued anew when that comes up. So
    the heap has about one place for each sleeper, however often times move.
    """

    def __init__(self, clock: WallClock) -> None:
        self._clock = clock
        self._heap: list[tuple[int, int, Sleeper]] = []
        self._order = count()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._is_closed = False
        self._context = copy_context()  # Not that of the call which happens to set a time.

    @property
    def most_overdue_ms(self) -> int:
        """How long the most overdue sleeper has been waiting."""
        now = self._clock.now()
        return max((now - at for at, _, sleeper in self._heap[:1] if sleeper.due_at == at <= now), default=0)

    def set(self, sleeper: Sleeper, at: int | None) -> None:
        """Sets or moves the time of a sleeper; None lets it sleep."""
        sleeper.due_at = at
        if at is not None and (sleeper.queued_at is None or at < sleeper.queued_at):
            self._queue(sleeper, at)

    def close(self) -> None:
        """Wakes nobody any more."""
        self._is_closed = True
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _queue(self, sleeper: Sleeper, at: int) -> None:
        sleeper.queued_at = at
        heapq.heappush(self._heap, (at, next(self._order), sleeper))
        self._arm()

    def _arm(self) -> None:
        if self._is_closed or not self._heap:
            return
        at = self._heap[0][0]
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer_at = at
        delay_s = max(0, at - self._clock.now()) / 1000
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._ring, context=self._context)

    def _ring(self) -> None:
        self._timer = None
        now = self._clock.now()
        for _ in range(_AT_ONCE_MAX):
            if not self._heap or self._heap[0][0] > now:
                break
            at, _, sleeper = heapq.heappop(self._heap)
            if sleeper.queued_at == at:
                sleeper.queued_at = None
                self._wake(sleeper, now)
        self._arm()

    def _wake(self, sleeper: Sleeper, now: int) -> None:
        if sleeper.due_at is None:
            return
        if sleeper.due_at > now:
            self._queue(sleeper, sleeper.due_at)
            return
        sleeper.due_at = None
        sleeper.wake(now)
