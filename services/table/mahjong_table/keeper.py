"""Keeps the live tables of a worker: loads them, lets go of those that have ended, nurses those whose commit failed."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from mahjong_engine.tile import Seat
from mahjong_kit.errors import ServiceError
from mahjong_kit.log import get_logger
from mahjong_table.core.due import is_running
from mahjong_table.core.entry import Entry, HandStarted
from mahjong_table.core.evolve import evolve, open_table, resume_table
from mahjong_table.core.notice import Notice
from mahjong_table.core.state import Opening, Stage, TableState
from mahjong_table.environment import Environment
from mahjong_table.live import LiveTable
from mahjong_table.shards import shard_of
from mahjong_table.store.log import Log
from mahjong_table.store.shards import Claimed
from mahjong_table.store.tables import Loaded, Tables

_TICK_S = 0.5
_AHEAD_MAX = 256
"""Tables that were built ahead and have not come."""
_BUILT_AT_ONCE = 4
"""Tables that are built before others get their turn: about 10 ms of work, while players wait for those to come."""
_RECOVERY_FIRST_S = 0.05
_RECOVERY_LONGEST_S = 0.5
_RECOVERED_MAX = 64
"""Tables whose logs are read again in one transaction."""

_log = get_logger()

Rebuilt = tuple[TableState, list[Notice]]
"""A table, and what its viewers were shown since the start of its present hand."""


class Keeper:
    """The live tables of this worker."""

    def __init__(self, log: Log, tables: Tables) -> None:
        self._store = log
        self._tables = tables
        self._live: dict[str, LiveTable] = {}
        self._ahead: dict[str, Rebuilt] = {}
        """Tables that are about to come, built ahead."""
        self._stalled: list[LiveTable] = []
        self._recover = asyncio.Event()
        self.report_waiting = asyncio.Event()
        """Set when reports were committed."""
        self.epochs: dict[int, int] = {}
        """Epoch of each shard that this worker owns and takes commands for."""

    def __len__(self) -> int:
        return len(self._live)

    def find(self, table_id: str) -> LiveTable | None:
        """Returns a live table of this worker."""
        return self._live.get(table_id)

    def add(self, env: Environment, opening: Opening) -> LiveTable:
        """Takes a table that was just opened."""
        state, notices = open_table(opening)
        return self._take(env, state, notices, state.terms.people, 0)

    def load(self, env: Environment, loaded: Loaded, alive_at: int | None) -> LiveTable:
        """Takes a table from the log; the time since its worker was last alive is credited to its clocks."""
        state, notices = self._caught_up(loaded)
        env.pulse.beat()  # A pause that ends now is a part of this table's outage, not another one.
        now = env.clock.now()
        stopped_at = state.changed_at if alive_at is None else max(alive_at, state.changed_at)
        # The machine's clock may be another one.
        shown = (notice if notice.at <= now else replace(notice, at=now) for notice in notices)
        return self._take(env, state, shown, loaded.absent, now - stopped_at if is_running(state, now) else 0)

    async def load_one(self, env: Environment, table_id: str) -> LiveTable | None:
        """Takes a live table that was opened but never taken, as when the outcome of its opening was lost."""
        if shard_of(table_id) not in self.epochs:
            return None
        loaded = await self._tables.load_table(table_id)
        if loaded is None or loaded.entries or shard_of(table_id) not in self.epochs:
            return self.find(table_id)  # With entries it was taken before, and is about to be taken again.
        return self.find(table_id) or self.load(env, loaded, None)

    async def load_all(self, env: Environment, claimed: Mapping[int, Claimed]) -> int:
        """Takes all live tables of shards that were just claimed; returns how many.

        Args:
            env: what all tables of the worker share.
            claimed: the shards.
        """
        taken = 0
        async for loaded in _some_at_once(self._tables.live_tables(claimed)):
            table_id = loaded.opening.table_id
            shard = shard_of(table_id)
            if shard not in self.epochs or table_id in self._live:
                continue  # The shard was lost meanwhile, or the table was opened here since.
            try:
                self.load(env, loaded, claimed[shard].stop_of(loaded.epoch))
            except Exception as error:  # noqa: BLE001 - one broken table must not keep the others down
                env.metrics.tables_halted.inc()
                _log.error("table.halted", table_id=table_id, exc_info=error)
            taken += 1
        return taken

    async def build_ahead(self, shards: Collection[int]) -> None:
        """Builds the tables of shards that are about to come, so that little is left to do when they do.

        What was built ahead before and has not come is dropped when there is too much of it.
        """
        if len(self._ahead) > _AHEAD_MAX:
            self._ahead.clear()
        if not shards:
            return
        async for loaded in _some_at_once(self._tables.live_tables(shards)):
            with suppress(Exception):  # Whoever loads it in earnest tells.
                self._ahead[loaded.opening.table_id] = rebuild(loaded)

    def forget_ahead(self) -> None:
        """Drops what was built ahead, as when it is not to come after all."""
        self._ahead.clear()

    @property
    def shards_with_tables(self) -> frozenset[int]:
        """The shards of the live tables."""
        return frozenset(table.shard for table in self._live.values())

    def behind_since(self, now: int) -> int:
        """Returns since when some table has been hindered and the log does not tell; now if none is."""
        return min((at for table in self._live.values() if (at := table.behind_since) is not None), default=now)

    def tables_of(self, shards: Collection[int]) -> list[LiveTable]:
        """Returns the live tables of shards."""
        return [table for table in self._live.values() if table.shard in shards]

    def let_go(self, env: Environment, shards: Collection[int], error: ServiceError) -> None:
        """Forgets shards and their tables, which another worker goes on with; streams end with an error."""
        for shard in shards:
            self.epochs.pop(shard, None)
        for table in self.tables_of(frozenset(shards)):
            table.halt(error)
            env.projector.let_go(table)
            self._live.pop(table.table_id, None)

    def stalled(self, table: LiveTable) -> None:
        """Takes note of a table whose commit failed."""
        self._stalled.append(table)
        self._recover.set()

    def lost(self, table: LiveTable) -> None:
        """Lets go of a table that another worker owns."""
        _log.warning("table.lost", table_id=table.table_id, shard=table.shard, epoch=table.epoch)
        if self.find(table.table_id) is table:  # It may have come back meanwhile, under a later epoch.
            del self._live[table.table_id]

    def stood_still(self, pause_ms: int) -> None:
        """Credits every table with a pause of the whole process."""
        _log.warning("worker.stood_still", pause_ms=pause_ms, tables=len(self._live))
        for table in list(self._live.values()):
            table.owe(pause_ms)

    def reported(self) -> None:
        """Takes note that reports wait for delivery."""
        self.report_waiting.set()

    async def run_recovery(self) -> None:
        """Reads the log of stalled tables again as soon as the database answers, until cancelled."""
        while True:
            await self._recover.wait()
            self._recover.clear()
            pause_s = _RECOVERY_FIRST_S
            while stalled := [table for table in self._stalled if self.find(table.table_id) is table]:
                self._stalled = stalled
                some = {table.table_id: table.state.sequence for table in stalled[:_RECOVERED_MAX]}
                try:
                    entries = await self._store.entries_after_each(some)
                except Exception as error:  # noqa: BLE001 - the database is still away
                    _log.warning("table.recovery_postponed", tables=len(stalled), problem=type(error).__name__)
                    for table in stalled:
                        table.postpone()
                    await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
                    pause_s = min(2 * pause_s, _RECOVERY_LONGEST_S)
                    continue
                self._stalled = [table for table in self._stalled if table not in stalled[:_RECOVERED_MAX]]
                for table in stalled[:_RECOVERED_MAX]:
                    if self.find(table.table_id) is table:
                        table.recover(entries[table.table_id])
            self._stalled.clear()

    async def run_housekeeping(self, env: Environment) -> None:
        """Sends heartbeats, lets go of ended tables and measures, until cancelled."""
        tick_s = min(_TICK_S, env.settings.heartbeat_s / 4)
        while True:
            now = env.clock.now()
            for table in list(self._live.values()):
                if table.is_done:
                    self._let_go(env, table)
                else:
                    table.audience.beat(now - round(1000 * (env.settings.heartbeat_s - tick_s)), now)
            self._measure(env)
            await asyncio.sleep(tick_s)

    def _caught_up(self, loaded: Loaded) -> Rebuilt:
        """Returns a table as its log tells it; what was built ahead is carried on if nothing lies between."""
        ahead = self._ahead.pop(loaded.opening.table_id, None)
        if ahead is None:
            return rebuild(loaded)
        state, notices = ahead
        missing = [entry for entry in loaded.entries if entry.sequence > state.sequence]
        if missing and missing[0].sequence != state.sequence + 1:
            return rebuild(loaded)
        return _evolved(state, list(notices), missing)

    def _take(
        self, env: Environment, state: TableState, notices: Iterable[Notice], absent: Collection[Seat], outage_ms: int
    ) -> LiveTable:
        table = LiveTable(env, self.epochs[shard_of(state.opening.table_id)], state, notices, absent)
        self._live[table.table_id] = table
        table.start(outage_ms)
        return table

    def _let_go(self, env: Environment, table: LiveTable) -> None:
        table.audience.end_all(None)
        env.wheel.set(table, None)
        del self._live[table.table_id]
        env.projector.forget(table)
        _log.info("table.ended", table_id=table.table_id, match_id=table.state.terms.match_id)

    def _measure(self, env: Environment) -> None:
        stages = Counter(table.state.stage for table in self._live.values())
        for stage in Stage:
            env.metrics.tables.labels(stage.value).set(stages[stage])
        env.metrics.shards.set(len(self.epochs))
        env.metrics.streams.set(sum(len(table.audience.present) for table in self._live.values()))
        env.metrics.overdue_s.set(env.wheel.most_overdue_ms / 1000)


async def _some_at_once(tables: AsyncIterator[Loaded]) -> AsyncIterator[Loaded]:
    """Yields tables; after each few the event loop gets to do something else."""
    number = 0
    async for loaded in tables:
        yield loaded
        number += 1
        if number % _BUILT_AT_ONCE == 0:
            await asyncio.sleep(0)


def rebuild(loaded: Loaded) -> Rebuilt:
    """Returns a table as its log tells it, and what its viewers were shown since the start of the present hand."""
    notices: list[Notice] = []
    if loaded.entries and isinstance(loaded.entries[0].what, HandStarted):
        state = resume_table(loaded.opening, loaded.entries[0])
    else:
        state, first = open_table(loaded.opening)
        notices += first
    return _evolved(state, notices, loaded.entries)


def _evolved(state: TableState, notices: list[Notice], entries: Iterable[Entry]) -> Rebuilt:
    for entry in entries:
        state, shown = evolve(state, entry)
        notices += shown
    return state, notices
