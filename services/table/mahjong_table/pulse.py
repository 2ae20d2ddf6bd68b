"""Notices that the process stood still: stopped, suspended or starved, while its tables' clocks ran on."""

import asyncio
from collections.abc import Callable

from mahjong_table.clock import WallClock

_PERIOD_S = 0.1
_STOOD_STILL_MS = 500
"""Shorter pauses are the event loop's ordinary lag."""


class Pulse:
    """Measures from one beat to the next. Whoever acts on a deadline lets it beat before."""

    def __init__(self, clock: WallClock, stood_still: Callable[[int], None]) -> None:
        self._clock = clock
        self._stood_still = stood_still
        self._last = clock.now()

    def beat(self) -> None:
        """Tells for how many ms the process stood still, if it did."""
        now = self._clock.now()
        pause_ms, self._last = now - self._last, now
        if pause_ms >= _STOOD_STILL_MS:
            self._stood_still(pause_ms)

    async def run(self) -> None:
        """Beats until cancelled."""
        while True:
            self.beat()
            await asyncio.sleep(_PERIOD_S)
