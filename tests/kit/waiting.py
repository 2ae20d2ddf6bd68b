"""Waiting for what another process or thread does, where there is no event loop."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def wait_until(
    met: Callable[[], Found], timeout_s: float, missed: Callable[[], object] = lambda: "", *, pause_s: float = 0.02
) -> Found:
    """Asks again and again until the answer is true; returns it.

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
