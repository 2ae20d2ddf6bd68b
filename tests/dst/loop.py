"""An event loop in virtual time: nothing ever waits, time jumps to the next timer."""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any

from tests.dst.host import HOST

_STEPS_WITHOUT_TIME_MAX = 200_000


class StuckError(Exception):
    """Nothing will ever happen again, or so much happens that time stands still."""


class Due:
    """A callback that is to run on its machine; what `asyncio.Handle` is, and much less."""

    __slots__ = ("args", "at", "callback", "context", "is_cancelled")

    def __init__(self, callback: Callable[..., Any], args: tuple[Any, ...], context: Context, at: float) -> None:
        self.callback = callback
        self.args = args
        self.context = context
        self.at = at
        self.is_cancelled = False

    def cancel(self) -> None:
        """Lets it never run."""
        self.is_cancelled = True
        self.args = ()

    def cancelled(self) -> bool:
        """Whether it will never run."""
        return self.is_cancelled

    def when(self) -> float:
        """Returns the time at which it is to run."""
        return self.at


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs callbacks in the order in which they become ready, those of frozen hosts later, those of dead hosts never.

    What would go to a thread is done in between, and takes a millisecond. Timers of one time run in the order in which
    they were set.
    """

    on_error: Callable[[Exception], None] = staticmethod(lambda error: None)
    """Told of exceptions that no task has caught."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._steps = 0
        self._order = 0
        self._due: deque[Due] = deque()
        self._timers: list[tuple[float, int, Due]] = []
        self.set_exception_handler(lambda loop, context: None)  # Dead hosts leave tasks behind.

    def time(self) -> float:
        """Returns the virtual time in seconds."""
        return self._now

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> Any:
        """Runs a callback after all that is ready."""
        due = Due(callback, args, copy_context() if context is None else context, self._now)
        self._due.append(due)
        return due

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> Any:
        """Runs a callback at a time."""
        due = Due(callback, args, copy_context() if context is None else context, when)
        self._order += 1
        heapq.heappush(self._timers, (when, self._order, due))
        return due

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> Any:
        """Runs a callback after a while."""
        return self.call_at(self._now + delay, callback, *args, context=context)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        """Does the work at once; its outcome comes a little later."""
        done = self.create_future()
        try:
            outcome = func(*args)
        except Exception as error:  # noqa: BLE001 - told to whoever waits
            self.call_later(0.001, _fail, done, error)
        else:
            self.call_later(0.001, _succeed, done, outcome)
        return done

    def _run_once(self) -> None:
        timers, ready = self._timers, self._due
        if not ready and not self._stopping:
            while timers and timers[0][2].is_cancelled:
                heapq.heappop(timers)
            if not timers:
                raise StuckError("nothing is left to do")
            if timers[0][0] > self._now:
                self._now, self._steps = timers[0][0], 0
        while timers and timers[0][0] <= self._now:
            ready.append(heapq.heappop(timers)[2])
        self._steps += len(ready)
        if self._steps > _STEPS_WITHOUT_TIME_MAX:
            raise StuckError(f"a livelock, in {ready[0].callback!r}")
        for _ in range(len(ready)):
            due = ready.popleft()
            if due.is_cancelled:
                continue
            host = due.context.get(HOST)
            if host is not None and host.is_stopped:
                if host.is_frozen:
                    host.piled_up.append(due)
                continue
            try:
                due.context.run(due.callback, *due.args)
            except Exception as error:  # noqa: BLE001 - told to whoever judges
                self.on_error(error)

    def thaw(self, piled_up: list[Due]) -> None:
        """Makes all that a frozen host has missed ready at once."""
        self._due.extend(piled_up)

    def _write_to_self(self) -> None:
        """There is no other thread that could wait."""

    def _process_events(self, event_list: object) -> None:
        """There are no events from outside."""


def _succeed(done: asyncio.Future[Any], outcome: Any) -> None:
    if not done.done():
        done.set_result(outcome)


def _fail(done: asyncio.Future[Any], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
