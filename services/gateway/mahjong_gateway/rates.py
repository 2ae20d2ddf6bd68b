"""How often somebody may do something. Pure but for the clock that is handed in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

KEYS_MAX: Final = 100_000
"""Most callers that one limit remembers; beyond, those that were seen longest ago start anew."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls at once, and so many a second in the long run."""

    burst: int
    per_s: float


class RateLimit:
    """Token buckets by key, each kept as one number (GCRA): the time at which the bucket is full again."""

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._interval_s = 1 / rate.per_s
        self._tolerance_s = (rate.burst - 1) * self._interval_s
        self._clock = clock
        self._full_at: dict[str, float] = {}

    def take(self, key: str) -> float:
        """Takes a token; returns 0, or how many seconds to wait if there is none."""
        now = self._clock()
        full_at = max(self._full_at.pop(key, now), now)
        wait_s = full_at - now - self._tolerance_s
        taken = wait_s <= 0
        self._full_at[key] = full_at + self._interval_s if taken else full_at
        if len(self._full_at) > KEYS_MAX:
            self._forget(now)
        return 0.0 if taken else wait_s

    def wait_s(self, key: str) -> float:
        """Returns how many seconds until there is a token, without taking it."""
        now = self._clock()
        return max(self._full_at.get(key, now) - now - self._tolerance_s, 0.0)

    def _forget(self, now: float) -> None:
        kept = [(key, full_at) for key, full_at in self._full_at.items() if full_at > now]
        self._full_at = dict(kept[-KEYS_MAX // 2 :])


class OpenLimit:
    """How many of something each key has open."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    def enter(self, key: str) -> bool:
        """Counts one more; False if the key has as many as it may."""
        count = self._open.get(key, 0)
        if count >= self._most:
            return False
        self._open[key] = count + 1
        return True

    def leave(self, key: str) -> None:
        """Counts one less."""
        count = self._open[key] - 1
        if count:
            self._open[key] = count
        else:
            del self._open[key]
