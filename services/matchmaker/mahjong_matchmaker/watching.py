"""Tells the streams of a process how their tickets are: what happened here at once, what happened elsewhere soon.

One read serves all streams of a pool, and keeps their tickets from expiring.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from mahjong_kit.log import get_logger
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.ticket import Ticket
from mahjong_matchmaker.ticket_store import TicketStore

_log = get_logger()


class _Watch:
    """One stream's view of the player's newest ticket."""

    def __init__(self, player_id: str, pool: Pool) -> None:
        self.player_id = player_id
        self.pool = pool
        self._seen: Ticket | Exception | None = None
        self._changed = asyncio.Event()

    def show(self, seen: Ticket | Exception | None) -> None:
        """Takes what was read, or why it could not be."""
        if seen != self._seen or not isinstance(seen, Ticket):
            self._seen = seen
            self._changed.set()

    async def look(self, longest_s: float | None) -> Ticket | None:
        """Returns the ticket when it has changed, or as it is after the time; None if it is forgotten."""
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                await self._changed.wait()
        self._changed.clear()
        if isinstance(self._seen, Exception):
            raise self._seen
        return self._seen


class Watching:
    """The watched tickets of this process."""

    def __init__(
        self, store: TicketStore, clock_ms: Callable[[], int], *, check_period_s: float, update_period_s: float
    ) -> None:
        self._store = store
        self._clock_ms = clock_ms
        self._check_period_s = check_period_s
        self._update_period_s = update_period_s
        self._watches: defaultdict[str, set[_Watch]] = defaultdict(set)
        self._told: set[str] = set()
        self._wake = asyncio.Event()

    def tell(self, player_ids: Iterable[str]) -> None:
        """Makes the streams of players look at their tickets at once."""
        self._told.update(player_ids)
        self._wake.set()

    async def watch(self, ticket: Ticket) -> AsyncIterator[Ticket | None]:
        """Gives the ticket at once, at each change and every few seconds; None when it is no longer the newest.

        Raises:
            redis.RedisError: the store does not answer.
        """
        with self._watched(ticket) as watch:
            longest_s = None  # The first look waits until the ticket was read.
            while True:
                seen = await watch.look(longest_s)
                yield seen if seen is not None and seen.ticket_id == ticket.ticket_id else None
                longest_s = self._update_period_s

    async def run(self) -> None:
        """Reads all watched tickets once a period, and in between those that something was told about."""
        loop = asyncio.get_running_loop()
        all_due_at = loop.time()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(all_due_at):
                    await self._wake.wait()
            self._wake.clear()
            told, self._told = self._told, set()
            if loop.time() >= all_due_at:
                all_due_at = loop.time() + self._check_period_s
                told = set(self._watches)
            await self._check(told)

    async def _check(self, player_ids: Iterable[str]) -> None:
        by_pool: defaultdict[Pool, defaultdict[str, list[_Watch]]] = defaultdict(lambda: defaultdict(list))
        for player_id in player_ids:
            for watch in self._watches.get(player_id, ()):
                by_pool[watch.pool][player_id].append(watch)
        for pool, watches in by_pool.items():
            await self._show(pool, watches)

    async def _show(self, pool: Pool, watches: dict[str, list[_Watch]]) -> None:
        try:
            tickets = await self._store.observe(pool, list(watches), self._clock_ms())
        except Exception as error:  # noqa: BLE001 - the streams tell it
            _log.warning("tickets.unread", pool=pool.name, problem=repr(error))
            for watch in (watch for group in watches.values() for watch in group):
                watch.show(error)
            return
        for player_id, group in watches.items():
            for watch in group:
                watch.show(tickets.get(player_id))

    @contextmanager
    def _watched(self, ticket: Ticket) -> Iterator[_Watch]:
        watch = _Watch(ticket.player_id, ticket.pool)
        self._watches[ticket.player_id].add(watch)
        self.tell([ticket.player_id])
        try:
            yield watch
        finally:
            group = self._watches[ticket.player_id]
            group.discard(watch)
            if not group:
                del self._watches[ticket.player_id]
