"""Clocks for tests."""

import time
from dataclasses import dataclass, field


@dataclass
class SetClock:
    """A clock in seconds since the epoch that stands still until it is moved."""

    now: float = field(default_factory=time.time)

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        """Moves the clock on."""
        self.now += seconds
