"""Leads one pool: waves, half-made matches, expiry. Any number of replicas try; the one with the lease does it."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from mahjong_kit.log import get_logger
from mahjong_kit.redis import store_error
from mahjong_matchmaker.blocks import BlockList
from mahjong_matchmaker.making import GivenUp, Made, make_table
from mahjong_matchmaker.metrics import MatchmakerMetrics
from mahjong_matchmaker.planning import plan_wave
from mahjong_matchmaker.pool_store import WAVE_TICKETS_MAX, Lease, LeaseLostError, PoolStore
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.seating import PlannedMatch, seat_group
from mahjong_matchmaker.tables import Tables
from mahjong_matchmaker.waves import Group, WaveRules

_RELEASE_TIMEOUT_S: Final = 1.0
_STALE_PAUSE_S: Final = 0.02
"""Pause before a wave that shall follow at once."""

_log = get_logger()


class PoolLeader:
    """Leads the pool whenever it has the lease; `run` never ends by itself."""

    def __init__(
        self,
        pool: Pool,
        store: PoolStore,
        tables: Tables,
        clock_ms: Callable[[], int],
        metrics: MatchmakerMetrics,
        tell: Callable[[Iterable[str]], None],
        blocks: BlockList,
        *,
        rules: WaveRules,
        check_period_s: float,
        lease_s: float,
    ) -> None:
        self._pool = pool
        self._store = store
        self._tables = tables
        self._clock_ms = clock_ms
        self._metrics = metrics
        self._spread = metrics.spread_points.labels(pool.name)
        self._tell = tell
        """Tells the watchers of players that their tickets have changed."""
        self._blocks = blocks
        self._rules = rules
        self._check_period_s = check_period_s
        self._lease_s = lease_s
        self._wanted = asyncio.Event()
        self._wake = asyncio.Event()
        self._making = 0
        """Matches whose tables are being made."""
        self._rest_until = 0.0

    @property
    def rules(self) -> WaveRules:
        """What the waves of the pool go by."""
        return self._rules

    def want(self) -> None:
        """Makes the leader try for the lease if it does not lead: there is something in the pool."""
        self._wanted.set()

    def look(self) -> None:
        """Makes the leader look at the pool at once: somebody has joined."""
        self.want()
        self._wake.set()

    async def run(self) -> None:
        """Tries for the lease and leads whenever there is something to lead, whatever goes wrong."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                lease = await self._store.take_lease(self._pool)
                if lease is not None:
                    await self._lead(lease)
            except Exception as error:
                _log_departure(self._pool, _first(error))  # The pool goes on, also after a fault of ours.
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    # Before Python 3.13 a group whose tasks failed hides that it was cancelled.
                    raise asyncio.CancelledError from error
            await asyncio.sleep(min(self._lease_s / 3, self._check_period_s))

    async def _lead(self, lease: Lease) -> None:
        _log.info("pool.led", pool=self._pool.name, token=lease.token)
        self._metrics.pools_led.labels(self._pool.name).set(1)
        try:
            async with asyncio.TaskGroup() as group:
                keeping = group.create_task(self._keep(lease))
                for match in await self._store.matches(self._pool):
                    group.create_task(self._make(lease, match))
                idle_since = asyncio.get_running_loop().time()
                while idle_since + self._lease_s > (now := asyncio.get_running_loop().time()):
                    if await self._wave(lease, group):
                        idle_since = now
                keeping.cancel()
        finally:
            self._metrics.pools_led.labels(self._pool.name).set(0)
            with suppress(Exception):  # It ends by itself soon.
                async with asyncio.timeout(_RELEASE_TIMEOUT_S):
                    await self._store.release_lease(lease)

    async def _keep(self, lease: Lease) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            await self._store.keep_lease(lease)

    async def _wave(self, lease: Lease, group: asyncio.TaskGroup) -> bool:
        """Does what is due in the pool, then waits for the next thing to do; False if the pool is empty."""
        self._wake.clear()
        now_ms = self._clock_ms()
        self._end(await self._store.expire(lease, now_ms), "expired")
        tickets = await self._store.waiting(self._pool)
        self._metrics.tickets_waiting.labels(self._pool.name).set(len(tickets))
        pause_s = self._check_period_s
        if asyncio.get_running_loop().time() >= self._rest_until:
            are_all = len(tickets) < WAVE_TICKETS_MAX
            wave = await plan_wave(tickets, now_ms, self._rules, self._blocks, are_all=are_all)
            self._end(await self._store.drop(lease, wave.broken), "dropped")
            is_behind = not are_all and bool(wave.groups)
            if not await self._form(lease, wave.groups, group) or is_behind:
                pause_s = _STALE_PAUSE_S
            elif wave.due_in_ms is not None:
                pause_s = min(pause_s, wave.due_in_ms / 1000)
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await self._wake.wait()
        return bool(tickets) or bool(self._making)

    async def _form(self, lease: Lease, groups: Iterable[Group], tasks: asyncio.TaskGroup) -> bool:
        """Starts the matches of groups; False if a ticket has left meanwhile, so that the pool must be planned anew."""
        for group in groups:
            match = seat_group(self._pool, group)
            if not await self._store.form(lease, match):
                return False
            ratings = [ticket.rating for ticket in group]
            if len(ratings) > 1:
                self._spread.observe(max(ratings) - min(ratings))
            tasks.create_task(self._make(lease, match))
        return True

    async def _make(self, lease: Lease, match: PlannedMatch) -> None:
        self._making += 1
        try:
            await self._bring_to_table(lease, match)
        finally:
            self._making -= 1

    async def _bring_to_table(self, lease: Lease, match: PlannedMatch) -> None:
        with self._metrics.matches_forming.labels(self._pool.name).track_inprogress():
            outcome = await make_table(self._tables, match)
        if isinstance(outcome, Made):
            await self._store.complete(lease, match, outcome.table_id, self._clock_ms())
            self._seated(match, outcome.table_id)
        else:
            await self._store.dissolve(lease, match, outcome.dropped, self._clock_ms())
            self._dissolved(match, outcome)
        self._tell(player.player_id for player in match.players)
        self._wake.set()

    def _seated(self, match: PlannedMatch, table_id: str) -> None:
        name = self._pool.name
        self._metrics.matches_made.labels(name, str(len(match.players))).inc()
        self._metrics.tickets_ended.labels(name, "matched").inc(len(match.players))
        for player in match.players:
            self._metrics.waits_s.labels(name).observe((self._clock_ms() - player.joined_at_ms) / 1000)
        _log.info("match.seated", match_id=match.match_id, table_id=table_id, people=len(match.players))

    def _dissolved(self, match: PlannedMatch, outcome: GivenUp) -> None:
        self._rest_until = asyncio.get_running_loop().time() + outcome.rest_s
        self._metrics.matches_dissolved.labels(self._pool.name).inc()
        self._end(outcome.dropped, "dropped")
        _log.warning("match.dissolved", match_id=match.match_id, dropped=len(outcome.dropped))

    def _end(self, players: Iterable[str], outcome: str) -> None:
        players = list(players)
        if players:
            self._metrics.tickets_ended.labels(self._pool.name, outcome).inc(len(players))
            self._tell(players)


def _log_departure(pool: Pool, error: BaseException) -> None:
    if isinstance(error, LeaseLostError) or (isinstance(error, Exception) and store_error(error)):
        _log.warning("pool.left", pool=pool.name, problem=repr(error))
    else:
        _log.error("pool.left", pool=pool.name, exc_info=error)


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def watch_pools(
    leaders: Mapping[Pool, PoolLeader], store: PoolStore, metrics: MatchmakerMetrics, check_period_s: float
) -> None:
    """Wakes the leaders of pools that have something to lead, once a period; never ends by itself.

    So a pool that nobody queues in costs nothing, and what other replicas took in is found all the same.
    """
    while True:
        try:
            busy = set(await store.busy(list(leaders)))
            for pool, leader in leaders.items():
                metrics.pools_busy.labels(pool.name).set(pool in busy)
                if pool in busy:
                    leader.want()
        except Exception as error:  # noqa: BLE001 - it is tried again
            _log.warning("pools.unseen", problem=repr(error))
        await asyncio.sleep(check_period_s)
