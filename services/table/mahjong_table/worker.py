"""One worker: everything that its tables need, wired together and run."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any

from mahjong_kit.redis import Redis
from mahjong_kit.sql import Database
from mahjong_table.arrivals import Arrivals
from mahjong_table.clock import WallClock
from mahjong_table.committer import Committer
from mahjong_table.computers import Computers
from mahjong_table.courier import Courier, Destination
from mahjong_table.environment import Environment
from mahjong_table.holder import Holder
from mahjong_table.janitor import Janitor
from mahjong_table.keeper import Keeper
from mahjong_table.metrics import TableMetrics
from mahjong_table.no_shows import NoShows, Send
from mahjong_table.ownership.lease import Lease
from mahjong_table.peers import Peers
from mahjong_table.projection.projector import Projector
from mahjong_table.pulse import Pulse
from mahjong_table.service import TableService
from mahjong_table.settings import TableSettings
from mahjong_table.store.log import Log
from mahjong_table.store.outbox import Outbox
from mahjong_table.store.retention import Retention
from mahjong_table.store.shards import Shards
from mahjong_table.store.tables import Tables
from mahjong_table.wheel import Wheel

_IDLE_POLL_S = 0.005
_IDLE_MAX_S = 2.0


class Worker:
    """One of the workers that share all tables."""

    def __init__(
        self,
        settings: TableSettings,
        metrics: TableMetrics,
        database: Database,
        client: Redis,
        destinations: Mapping[str, Destination],
        chance: Random,
        peers: Peers,
        tell_no_shows: Send | None = None,
    ) -> None:
        self.worker_id = str(uuid.uuid4())
        self._tasks: list[asyncio.Task[None]] = []
        self._holding: list[asyncio.Task[None]] = []
        self._settings = settings
        self._lease = Lease(settings.lease_s, settings.lease_margin_s)
        log, tables, clock = Log(database), Tables(database), WallClock()
        self._committer = Committer(
            log,
            clock,
            metrics,
            lambda: self._lease.is_held(time.monotonic()),
            linger_s=settings.commit_linger_ms / 1000,
            tables_max=settings.commit_tables_max,
        )
        self._projector = Projector(client, clock, settings, metrics)
        self._computers = Computers(metrics)
        self.keeper = Keeper(log, tables)
        self.env = Environment(
            settings,
            clock,
            chance,
            Pulse(clock, self.keeper.stood_still),
            Wheel(clock),
            self._committer,
            self._projector,
            self._computers,
            self.keeper,
            metrics,
            Arrivals(database, clock),
            NoShows(tell_no_shows),
        )
        self._courier = Courier(Outbox(database), destinations, self.worker_id, self.keeper, clock, settings, metrics)
        self._janitor = Janitor(Retention(database), self.worker_id, clock, settings)
        self.holder = Holder(self.worker_id, Shards(database), self.env, self._lease, peers)
        self.service = TableService(self.env, log, tables)

    @asynccontextmanager
    async def running(self, port: int) -> AsyncIterator[None]:
        """Takes shards with their tables and runs them until the block ends; what was accepted is committed.

        Args:
            port: where the worker listens.
        """
        address = self._settings.advertised_address or f"{self._settings.host}:{port}"
        self._projector.address = address
        jobs: list[Coroutine[Any, Any, None]] = [
            self.env.pulse.run(),
            self._committer.run(),
            self._projector.run(),
            self._computers.run(),
            self._courier.run(),
            self._janitor.run(),
            self.env.arrivals.run(),
            self.env.no_shows.run(),
            self.keeper.run_recovery(),
            self.keeper.run_housekeeping(self.env),
        ]
        self._tasks = [asyncio.create_task(job) for job in jobs]
        try:
            await self.holder.join(address)
            self._holding = [
                asyncio.create_task(job) for job in (self.holder.run_heartbeats(), self.holder.run_watch())
            ]
            await self.holder.settle_in()
            self._holding.append(asyncio.create_task(self.holder.run_rounds()))
            yield
        finally:
            await _end(self._holding)
            self.env.wheel.close()
            await self._finish_commits()
            with suppress(Exception):  # The next owner waits for the lease and credits a second too much; no more.
                async with asyncio.timeout(_IDLE_MAX_S):
                    await self.holder.leave()
            await _end(self._tasks)

    async def until(self, stop: Awaitable[None]) -> None:
        """Returns when `stop` does; raises what has ended one of the worker's jobs before, for they never end."""
        stopped = asyncio.ensure_future(stop)
        tasks = [*self._tasks, *self._holding]
        await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
        stopped.cancel()

    async def _finish_commits(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_IDLE_MAX_S):
                while not self._committer.is_idle:
                    await asyncio.sleep(_IDLE_POLL_S)


async def _end(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
