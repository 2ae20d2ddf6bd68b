"""Clock presets and the arithmetic of base and reserve (C44-C47, T47-T50). All times in milliseconds."""

from dataclasses import dataclass
from enum import StrEnum
from statistics import median_low
from typing import Final

from mahjong_engine.state import ClockKind

_TRIPS_KEPT: Final = 5

OPENING_MIN_MS: Final = 15_000
"""Least time of a decision before East's first turn (C45, T48)."""


class Clock(StrEnum):
    """The presets, and the table on which nothing times out (C46, T49)."""

    BULLET = "bullet"
    BLITZ = "blitz"
    STANDARD = "standard"
    RELAXED = "relaxed"
    UNTIMED = "untimed"


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """Time for each decision, and for all turns of a hand beyond it."""

    base_ms: int
    reserve_ms: int


CLOCK_TIMES: Final = {
    Clock.BULLET: ClockTimes(2_000, 5_000),
    Clock.BLITZ: ClockTimes(3_000, 10_000),
    Clock.STANDARD: ClockTimes(5_000, 20_000),
    Clock.RELAXED: ClockTimes(15_000, 60_000),
    Clock.UNTIMED: None,
}
"""Times of each preset; None if untimed."""


@dataclass(frozen=True, slots=True)
class Window:
    """When a decision is open: from `opened_at` on; the reserve runs from `base_end` to `deadline`. None if untimed."""

    opened_at: int
    base_end: int | None
    deadline: int | None

    def shifted(self, shift_ms: int, now: int) -> "Window":
        """Returns the window moved by an outage that ends now; it is open from now on at the latest.

        What was open stays open: an answer may have come in before the outage was noticed.
        """
        end, deadline = self.base_end, self.deadline
        return Window(
            min(self.opened_at, now),
            None if end is None else end + shift_ms,
            None if deadline is None else deadline + shift_ms,
        )

    def is_in_time(self, received_at: int, credit_ms: int) -> bool:
        """Whether an answer counts that came in at a time over a connection with a latency credit."""
        return self.deadline is None or received_at <= self.deadline + credit_ms

    def charge(self, received_at: int, reserve_ms: int, credit_ms: int) -> int:
        """Returns what an answer that came in at a time costs of the reserve, without what the way took."""
        if self.base_end is None or self.deadline is None or self.base_end == self.deadline:
            return 0
        return min(max(0, received_at - credit_ms - self.base_end), reserve_ms)


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """The newest round trips of a connection, each measured by the server from a question to its echo.

    A client can make a trip look longer by waiting, never shorter: it can't echo what it has not got. So all that a
    client can gain by cheating is the greatest credit, whatever it does.
    """

    newest_ms: tuple[int, ...] = ()

    def added(self, trip_ms: int) -> "RoundTrips":
        """Returns these with one more; the oldest one makes room."""
        return RoundTrips((*self.newest_ms, max(0, trip_ms))[-_TRIPS_KEPT:])

    def credit_ms(self, max_ms: int) -> int:
        """Returns the median, so that a single slow or lucky trip moves nothing; none were measured: no credit."""
        return min(median_low(self.newest_ms), max_ms) if self.newest_ms else 0


def window(clock: Clock, kind: ClockKind, opened_at: int, reserve_ms: int) -> Window:
    """Returns the time that a decision has: turns base and reserve, claims the base, openings the base but 15 s (C45).

    A forced discard ends when it opens, on an untimed table too: the server gives it at once (C35, T38).
    """
    if kind is ClockKind.NONE:
        return Window(opened_at, opened_at, opened_at)
    times = CLOCK_TIMES[clock]
    if times is None:
        return Window(opened_at, None, None)
    base = max(times.base_ms, OPENING_MIN_MS) if kind is ClockKind.OPENING else times.base_ms
    end = opened_at + base
    return Window(opened_at, end, end + reserve_ms if kind is ClockKind.TURN else end)


def full_reserve(clock: Clock) -> int:
    """Returns the reserve that every seat has at the start of a hand; 0 if untimed."""
    times = CLOCK_TIMES[clock]
    return times.reserve_ms if times else 0
