"""Tells those who wait for a match, in this process, that it may have been reported."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Arrival:
    """One wait for one match."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    async def within(self, seconds: float) -> None:
        """Returns when the match is announced, or after some seconds, whichever comes first."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        self._event.clear()

    def announce(self) -> None:
        """Ends the wait."""
        self._event.set()


class Arrivals:
    """Everybody who waits now. A nudge only: what happened to a match is in the store."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[Arrival]] = {}
        self.is_closed = False
        """Whether the process goes down: nobody shall begin to wait."""

    @property
    def count(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    @contextmanager
    def awaiting(self, match_id: str) -> Iterator[Arrival]:
        """Gives a wait; whatever is announced while the block runs ends it, also before it begins to wait."""
        arrival = Arrival()
        self._waiting.setdefault(match_id, set()).add(arrival)
        try:
            yield arrival
        finally:
            self._waiting[match_id].discard(arrival)
            if not self._waiting[match_id]:
                del self._waiting[match_id]

    def announce(self, match_id: str) -> None:
        """Ends the waits for a match."""
        for arrival in self._waiting.get(match_id, ()):
            arrival.announce()

    def close(self) -> None:
        """Ends all waits."""
        self.is_closed = True
        for match_id in self._waiting:
            self.announce(match_id)
