"""How shards and their tables come to this worker and leave it: one step at a time, each bounded."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from mahjong_kit.errors import ServiceError
from mahjong_kit.log import get_logger
from mahjong_table import errors
from mahjong_table.environment import Environment
from mahjong_table.peers import Peers
from mahjong_table.store.shards import Claimed, Shards

_PAGE = 64
"""Shards whose tables are read together: the first ones play while the others are still being read."""
_SETTLE_POLL_S = 0.002
_SETTLE_MAX_S = 2.0
_RELEASE_PAUSE_S = 0.05
_RELEASE_MAX_S = 2.0

_log = get_logger()


class Moves:
    """Takes and gives shards. The caller sees to it that only one step is under way."""

    def __init__(self, worker_id: str, shards: Shards, env: Environment, peers: Peers) -> None:
        self._worker_id = worker_id
        self._shards = shards
        self._env = env
        self._keeper = env.keeper
        self._peers = peers
        self._lease_ms = round(env.settings.lease_s * 1000)
        self.stops: dict[int, int] = {}
        """Shards whose tables stopped while the database has them running here, and when. Heartbeats never say that
        the worker was well any later, for whoever takes its shards counts the outage from what they say."""
        self._epochs: dict[int, int] = {}
        """Newest epoch under which this worker ever had each shard: what it wrote under it may still be on its way."""
        self._unsettled: set[int] = set()
        """Shards whose tables run here, which the database does not say yet."""

    async def claim(self, shards: Sequence[int], patience_ms: int = 0) -> bool:
        """Takes those of the shards that the store lets it have; returns whether it got any.

        Args:
            shards: what it would like to have.
            patience_ms: by how much longer than the lease others may have been silent.
        """
        claimed = await self._shards.claim(self._worker_id, shards, self._lease_ms + patience_ms, self.stops)
        claimed_s = time.monotonic()
        for page in _pages(claimed):
            await self._run(page, claimed_s)
        await self.settle()
        return bool(claimed)

    async def adopt(self, shards: Collection[int]) -> None:
        """Takes shards that their last owner has made over to this worker."""
        given = await self._shards.given(self._worker_id, shards)
        fresh = [each for each in given if each.epoch > self._epochs.get(each.shard, 0)]
        claimed_s = time.monotonic()
        for page in _pages(fresh):
            await self._run(page, claimed_s)

    async def settle(self) -> None:
        """Lets the database know that the tables of shards run that came here, and no longer when they stopped.

        It must know until the log has the credit of each: if this worker fails before, that is all that tells.
        """
        tables = self._keeper.tables_of(self._unsettled)
        running = tuple(self._unsettled - {table.shard for table in tables if not table.is_credited})
        if not running:
            return
        await self._shards.settle(self._worker_id, running)
        self._unsettled.difference_update(running)
        for shard in running:
            if shard in self._keeper.epochs:
                self.stops.pop(shard, None)

    async def give(self, successor: str, address: str, shards: Sequence[int], *, at_any_rate: bool) -> bool:
        """Makes shards over to another worker, which has built their tables ahead; returns whether it did.

        Args:
            successor: who gets them.
            address: where it answers.
            shards: the shards.
            at_any_rate: give them up for anybody to take if it does not answer.
        """
        with_tables = sorted({table.shard for table in self._keeper.tables_of(frozenset(shards))})
        is_ready = await self._peers.prepare(address, with_tables)
        if not is_ready and not at_any_rate:
            return False  # It can't be reached: everybody keeps what they have.
        started = time.monotonic()
        epochs, stopped_at = await self._stop(shards)
        try:
            await self._release(epochs, stopped_at, successor if is_ready else None)
            await self._peers.offer(address, tuple(epochs))
        finally:
            tables = len(self._keeper.tables_of(epochs))
            self.let_go(tuple(epochs), errors.draining())
        if tables:
            self._env.metrics.hand_over_s.observe(time.monotonic() - started)
        duration_ms = round(1000 * (time.monotonic() - started))
        _log.info("shards.released", shards=len(epochs), tables=tables, to=address, duration_ms=duration_ms)
        return True

    async def give_up(self) -> None:
        """Releases all that is left, once its tables rest, for anybody to take."""
        epochs, stopped_at = await self._stop(tuple(self._keeper.epochs))
        try:
            await self._release(epochs, stopped_at, None)
        finally:
            self.let_go(tuple(epochs), errors.draining())

    async def leave(self) -> None:
        """Releases all that is left and has the worker forgotten."""
        await self.give_up()
        await self._shards.leave(self._worker_id, min(self.stops.values(), default=self._env.clock.now()))

    def forget_stops(self, *, but: Collection[int]) -> None:
        """Forgets when tables stopped whose shards are no longer this worker's by the database; it knows itself now."""
        self.stops = {shard: at for shard, at in self.stops.items() if shard in but}

    def let_go(self, shards: Collection[int], error: ServiceError | None = None) -> None:
        """Forgets shards and their tables."""
        self._unsettled.difference_update(shards)
        self._keeper.let_go(self._env, shards, error or errors.lease_lost())

    async def _run(self, claims: Sequence[Claimed], claimed_s: float) -> None:
        """Runs the tables of shards that came here. If that fails they are not held, and the next round begins anew.

        Args:
            claims: the shards of this step.
            claimed_s: when they were claimed, by the monotonic clock; other steps may have come before.
        """
        started = time.monotonic()
        shards = [claim.shard for claim in claims]
        self._keeper.epochs.update((claim.shard, claim.epoch) for claim in claims)
        self._epochs.update((claim.shard, claim.epoch) for claim in claims)
        try:
            tables = await self._keeper.load_all(self._env, {claim.shard: claim for claim in claims})
        except BaseException:
            self.stops |= dict.fromkeys(shards, self._env.clock.now())
            self.let_go(shards)
            raise
        self._unsettled.update(shard for shard in shards if shard in self._keeper.epochs)
        self._env.projector.own(shards)
        if tables:
            self._env.metrics.take_over_s.observe(time.monotonic() - claimed_s)
        duration_ms = round(1000 * (time.monotonic() - started))
        _log.info("shards.claimed", shards=len(shards), tables=tables, duration_ms=duration_ms)

    async def _stop(self, shards: Sequence[int]) -> tuple[dict[int, int], int]:
        """Stops the tables of shards once all that they have done is committed; returns the epochs and when."""
        # A commit that failed is looked into first, and its time is credited.
        await _until(lambda: all(each.is_credited and not each.is_stalled for each in self._keeper.tables_of(shards)))
        epochs = {shard: self._keeper.epochs[shard] for shard in shards if shard in self._keeper.epochs}
        for shard in epochs:
            del self._keeper.epochs[shard]  # No new table comes.
        for table in self._keeper.tables_of(epochs):
            table.leave()
        stopped_at = self._env.clock.now()
        self.stops |= dict.fromkeys(epochs, stopped_at)
        await _until(lambda: all(table.is_settled for table in self._keeper.tables_of(epochs)))
        return epochs, stopped_at

    async def _release(self, epochs: Mapping[int, int], stopped_at: int, to: str | None) -> None:
        """Gives stopped shards up, again and again for a while if the database fails: their players wait meanwhile.

        If it fails for good, the next round takes them back as of when they stopped.
        """
        latest = time.monotonic() + _RELEASE_MAX_S
        while True:
            try:
                await self._shards.release(self._worker_id, epochs, stopped_at, to)
            except Exception as error:
                if time.monotonic() >= latest:
                    raise
                _log.warning("shards.release_repeated", shards=len(epochs), problem=type(error).__name__)
                await asyncio.sleep(_RELEASE_PAUSE_S)
            else:
                break
        for shard in epochs:
            self.stops.pop(shard, None)


async def _until(is_met: Callable[[], bool]) -> None:
    """Waits for the tables, but not for ever: what is late is fenced by the epoch."""
    latest = time.monotonic() + _SETTLE_MAX_S
    while not is_met() and time.monotonic() < latest:
        await asyncio.sleep(_SETTLE_POLL_S)


def _pages(claims: Sequence[Claimed]) -> Iterator[Sequence[Claimed]]:
    for start in range(0, len(claims), _PAGE):
        yield claims[start : start + _PAGE]
