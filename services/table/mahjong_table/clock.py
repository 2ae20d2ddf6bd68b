"""The one clock of a worker: wall time that never runs backwards within a process."""

import time


class WallClock:
    """Milliseconds since 1970 (UTC): read from the wall once, carried on by the monotonic clock.

    A step of the machine's clock therefore moves no deadline of a running worker.
    """

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()

    def now(self) -> int:
        """Returns the time in ms."""
        return (self._offset_ns + time.monotonic_ns()) // 1_000_000
