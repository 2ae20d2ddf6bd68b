"""Waiting for what others do: tasks of the event loop, or processes and threads where there is none."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


async def until(met: Callable[[], object], timeout_s: float = 60.0, *, pause_s: float = 0.01) -> None:
    """Lets other tasks run until something is true.

    Raises:
        TimeoutError: It took longer.
    """
    async with asyncio.timeout(timeout_s):
        while not met():
            await asyncio.sleep(pause_s)


def wait_until(
    met: Callable[[], Found], timeout_s: float, missed: Callable[[], object] = lambda: "", *, pause_s: float = 0.02
) -> Found:
    """Asks again and again until the answer is true, where there is no event loop; returns it.

    Args:
        met: what is asked.
        timeout_s: how long it may take.
        missed: what to say if it took longer.
        pause_s: time between two questions.

    Raises:
        TimeoutError: It took longer.
    """
    gives_up_at = time.monotonic() + timeout_s
    while not (found := met()):
        if time.monotonic() > gives_up_at:
            raise TimeoutError(f"not within {timeout_s:g} s: {missed()}")
        time.sleep(pause_s)
    return found
