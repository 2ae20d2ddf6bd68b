"""One heap of deadlines for all tables of a worker, and one timer for its head."""

import asyncio
import heapq
from itertools import count
from typing import Protocol

from mahjong_table.clock import WallClock


class Sleeper(Protocol):
    """Something that wants to be woken at a time."""

    wake_at: int | None

    def wake(self, now: int) -> None:
        """Does what is due."""


class Wheel:
    """Wakes sleepers at their time; each has one time at most, `wake_at`."""

    def __init__(self, clock: WallClock) -> None:
        self._clock = clock
        self._heap: list[tuple[int, int, Sleeper]] = []
        self._order = count()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: int | None = None

    @property
    def most_overdue_ms(self) -> int:
        """How long the most overdue deadline has been waiting."""
        live = (at for at, _, sleeper in self._heap[:1] if sleeper.wake_at == at)
        return max(0, self._clock.now() - min(live, default=self._clock.now()))

    def set(self, sleeper: Sleeper, at: int | None) -> None:
        """Sets or moves the time of a sleeper; None lets it sleep."""
        if at == sleeper.wake_at:
            return
        sleeper.wake_at = at
        if at is not None:
            heapq.heappush(self._heap, (at, next(self._order), sleeper))
            self._arm()

    def close(self) -> None:
        """Wakes nobody any more."""
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _arm(self) -> None:
        at = self._heap[0][0]
        if self._timer is not None:
            if self._timer_at is not None and self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer_at = at
        delay_s = max(0, at - self._clock.now()) / 1000
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._ring)

    def _ring(self) -> None:
        self._timer = self._timer_at = None
        now = self._clock.now()
        while self._heap and self._heap[0][0] <= now:
            at, _, sleeper = heapq.heappop(self._heap)
            if sleeper.wake_at == at:  # Else it was moved; its new time is in the heap too.
                sleeper.wake_at = None
                sleeper.wake(now)
        if self._heap:
            self._arm()
