"""Measures the round trips of one connection by heartbeats that ask for an echo. docs/decisions/latency-credit.md."""

from random import Random

from mahjong_table.core.clock import RoundTrips

_SOON = 3
_SOON_MS = 2_000
"""The first echoes of a connection follow one another sooner: a credit is wanted, and one trip tells little."""


class Echoes:
    """What was asked of a connection, and how long its echoes took. Times in ms."""

    def __init__(self, period_ms: int, chance: Random) -> None:
        self._period_ms = period_ms
        self._chance = chance
        self._trips = RoundTrips()
        self._asked: tuple[str, int] | None = None
        """The newest id, and when it was sent; None once it was echoed."""
        self._count = 0
        self._due_at = 0

    def ask(self, now: int) -> str | None:
        """Returns an id that is to be echoed from now on, or None if it is not time for one."""
        if now < self._due_at:
            return None
        echo_id = f"{self._chance.getrandbits(64):016x}"
        self._asked = echo_id, now
        self._count += 1
        self._due_at = now + (min(_SOON_MS, self._period_ms) if self._count < _SOON else self._period_ms)
        return echo_id

    def take(self, echo_id: str, now: int) -> None:
        """Takes an echo; one that was not asked for, or has come before, is nothing."""
        if self._asked is not None and self._asked[0] == echo_id:
            self._trips = self._trips.added(now - self._asked[1])
            self._asked = None

    def credit_ms(self, max_ms: int) -> int:
        """Returns the latency credit of the connection."""
        return self._trips.credit_ms(max_ms)
