"""An event loop in virtual time: nothing ever waits, time jumps to the next timer."""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

from tests.dst.host import HOST

_STEPS_WITHOUT_TIME_MAX = 200_000


class StuckError(Exception):
    """Nothing will ever happen again, or so much happens that time stands still."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs callbacks in the order in which they become ready, those of frozen hosts later, those of dead hosts never.

    What would go to a thread is done in between, and takes a millisecond.
    """

    _ready: deque[asyncio.Handle]
    _scheduled: list[asyncio.TimerHandle]

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._steps = 0
        self.set_exception_handler(lambda loop, context: None)  # Dead hosts leave tasks behind.

    def time(self) -> float:
        """Returns the virtual time in seconds."""
        return self._now

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
        while self._scheduled and self._scheduled[0]._cancelled:
            heapq.heappop(self._scheduled)._scheduled = False
        if not self._ready and not self._stopping:
            if not self._scheduled:
                raise StuckError("nothing is left to do")
            if self._scheduled[0]._when > self._now:
                self._now, self._steps = self._scheduled[0]._when, 0
        while self._scheduled and self._scheduled[0]._when <= self._now:
            timer = heapq.heappop(self._scheduled)
            timer._scheduled = False
            self._ready.append(timer)
        for _ in range(len(self._ready)):
            self._run(self._ready.popleft())

    def _run(self, handle: asyncio.Handle) -> None:
        self._steps += 1
        if self._steps > _STEPS_WITHOUT_TIME_MAX:
            raise StuckError(f"a livelock, in {handle!r}")
        host = handle._context.get(HOST)
        if host is not None and host.is_stopped:
            if host.is_frozen:
                host.piled_up.append(handle)
            return
        if not handle._cancelled:
            handle._run()

    def thaw(self, handles: list[asyncio.Handle]) -> None:
        """Makes all that a frozen host has missed ready at once."""
        self._ready.extend(handles)

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
