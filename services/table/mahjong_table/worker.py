"""One worker: everything that its tables need, wired together and run."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any

import redis.asyncio

from mahjong_kit.log import get_logger
from mahjong_kit.sql import Database
from mahjong_table.clock import WallClock
from mahjong_table.committer import Committer
from mahjong_table.computers import Computers
from mahjong_table.courier import Courier, Destination
from mahjong_table.environment import Environment
from mahjong_table.keeper import Keeper
from mahjong_table.metrics import TableMetrics
from mahjong_table.projection.projector import Projector
from mahjong_table.service import TableService
from mahjong_table.settings import TableSettings
from mahjong_table.store.log import Log
from mahjong_table.store.outbox import Outbox
from mahjong_table.store.shards import Shards
from mahjong_table.store.tables import Tables
from mahjong_table.wheel import Wheel

_IDLE_POLL_S = 0.005
_IDLE_MAX_S = 2.0

_log = get_logger()


class Worker:
    """A worker that owns every shard."""

    def __init__(
        self,
        settings: TableSettings,
        metrics: TableMetrics,
        database: Database,
        client: redis.asyncio.Redis,
        destinations: Mapping[str, Destination],
        chance: Random,
    ) -> None:
        self.worker_id = str(uuid.uuid4())
        self._tasks: list[asyncio.Task[None]] = []
        self._settings = settings
        self._address = settings.advertised_address or f"{settings.host}:{settings.port}"
        self._shards = Shards(database)
        log, tables, clock = Log(database), Tables(database), WallClock()
        self._committer = Committer(
            log,
            clock,
            metrics,
            linger_s=settings.commit_linger_ms / 1000,
            tables_max=settings.commit_tables_max,
        )
        self._projector = Projector(client, settings, metrics, self._address)
        self._computers = Computers(metrics)
        self.keeper = Keeper(log, tables)
        self.env = Environment(
            settings,
            clock,
            chance,
            Wheel(clock),
            self._committer,
            self._projector,
            self._computers,
            self.keeper,
            metrics,
        )
        self._courier = Courier(Outbox(database), destinations, self.keeper, clock, settings, metrics)
        self.service = TableService(self.env, log, tables)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Takes the shards and their tables and runs them until the block ends; what was accepted is committed."""
        claim = await self._shards.claim_all(self.worker_id, self._address, self.env.clock.now())
        self.keeper.epochs.update(claim.epochs)
        jobs: list[Coroutine[Any, Any, None]] = [
            self._committer.run(),
            self._projector.run(),
            self._computers.run(),
            self._courier.run(),
            self.keeper.run_recovery(),
            self.keeper.run_housekeeping(self.env),
            self._note_life(),
        ]
        self._tasks = [asyncio.create_task(job) for job in jobs]
        try:
            self._projector.own(sorted(claim.epochs))
            await self.keeper.load_all(self.env, claim.alive_at)
            yield
        finally:
            self.env.wheel.close()
            await self._finish_commits()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            with suppress(Exception):  # The next worker credits a second too much; nothing else comes of it.
                await self._shards.heartbeat(self.worker_id, self.env.clock.now())

    async def until(self, stop: Awaitable[None]) -> None:
        """Returns when `stop` does; raises what has ended one of the worker's jobs before, for they never end."""
        stopped = asyncio.ensure_future(stop)
        await asyncio.wait([stopped, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in self._tasks:
            if task.done():
                task.result()
        stopped.cancel()

    async def _finish_commits(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_IDLE_MAX_S):
                while not self._committer.is_idle:
                    await asyncio.sleep(_IDLE_POLL_S)

    async def _note_life(self) -> None:
        """Notes again and again that the worker lives: outages are counted from the last note."""
        is_replaced = False
        while True:
            await asyncio.sleep(self._settings.alive_period_s)
            try:
                is_known = await self._shards.heartbeat(self.worker_id, self.env.clock.now())
                if not is_known and not is_replaced:
                    _log.error("worker.replaced", worker_id=self.worker_id)
                is_replaced = not is_known
            except Exception as error:  # noqa: BLE001 - the database is away; commits tell the tables
                _log.warning("worker.unnoted", problem=type(error).__name__)
