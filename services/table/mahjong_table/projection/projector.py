"""Keeps Redis up to date behind the tables' backs: play never waits for it, and a loss heals by itself."""

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import redis.asyncio
from redis.exceptions import NoScriptError, RedisError

from mahjong_kit.log import get_logger
from mahjong_table.core.due import next_due
from mahjong_table.metrics import TableMetrics
from mahjong_table.projection.fields import fields_of
from mahjong_table.projection.keys import deadlines_key, epoch_key, events_key, owner_key, table_key, table_keys
from mahjong_table.settings import TableSettings
from mahjong_table.viewer import Recorded

if TYPE_CHECKING:
    from mahjong_table.live import LiveTable

_SCRIPT = files(__package__).joinpath("project.lua").read_text()
_LIFETIME_MS = 26 * 60 * 60 * 1000
"""Longer than a table may idle; whatever is left behind goes away by itself."""
_TABLES_MAX = 32
_SHARDS_MAX = 128
_RETRY_S = 0.25
_LINGER_S = 0.02
"""How long a batch that would be small waits for more tables, and for more of each: most change twice in a row."""
_WAS_LOST = 2
_FENCED = -1
_LOST = (RedisError, OSError, asyncio.TimeoutError)

_log = get_logger()


class Projector:
    """Writes the newest state of the tables that were touched, a batch at a time, each table by one atomic script."""

    def __init__(self, client: redis.asyncio.Redis, settings: TableSettings, metrics: TableMetrics) -> None:
        self._client = client
        self._settings = settings
        self._metrics = metrics
        self.address = ""
        """Where this worker answers."""
        self._timeout_s = settings.projection_timeout_ms / 1000
        self._touched: dict[LiveTable, bool] = {}
        """Tables that are behind, and whether all must be sent."""
        self._forgotten: dict[str, int] = {}
        self._owned: Sequence[int] = ()
        self._wake = asyncio.Event()
        self._sha = ""
        self._is_reachable = True

    def own(self, shards: Sequence[int]) -> None:
        """Says that this worker owns shards now."""
        self._owned = [*self._owned, *shards]
        self._wake.set()

    def touch(self, table: "LiveTable", *, whole: bool = False) -> None:
        """Notes that a table has changed."""
        self._touched[table] = whole or self._touched.get(table, False)
        self._wake.set()

    def forget(self, table: "LiveTable") -> None:
        """Notes that a table has ended; all that Redis has of it goes away."""
        self._touched.pop(table, None)
        self._forgotten[table.table_id] = table.shard
        self._wake.set()

    def let_go(self, table: "LiveTable") -> None:
        """Leaves what Redis has of a table to the worker that goes on with it."""
        self._touched.pop(table, None)

    async def events_after(self, table: "LiveTable", seat: int, sequence: int) -> list[Recorded]:
        """Returns the events of a viewer after a sequence as far as Redis has them; none if it does not answer."""
        key = events_key(table.shard, table.table_id, seat)
        try:
            async with asyncio.timeout(self._timeout_s):
                found: Any = await self._client.xrange(key, min=f"{sequence + 1}-0")
        except _LOST:
            return []
        return [(int(number.split(b"-")[0]), values[b"e"]) for number, values in found]

    async def run(self) -> None:
        """Projects until cancelled."""
        while True:
            await self._wake.wait()
            if len(self._touched) < _TABLES_MAX:
                await asyncio.sleep(_LINGER_S)
            self._metrics.projections_waiting.set(len(self._touched))
            if not await self._project():
                await asyncio.sleep(_RETRY_S)
            if not (self._touched or self._forgotten or self._owned):
                self._wake.clear()

    async def _project(self) -> bool:
        """Writes one batch; returns whether Redis has answered."""
        batch = [_Task(table, self._touched.pop(table)) for table in list(self._touched)[:_TABLES_MAX]]
        forgotten, owned = dict(self._forgotten), self._owned[:_SHARDS_MAX]
        try:
            async with asyncio.timeout(self._timeout_s):
                outcomes = await self._write(batch, forgotten, owned)
        except _LOST as error:
            self._metrics.projections.labels("failed").inc(len(batch))
            for task in batch:
                self.touch(task.table, whole=True)
            self._note(problem=type(error).__name__)
            return False
        self._note(problem=None)
        for task, outcome in zip(batch, outcomes, strict=False):
            self._settle(task, outcome)
        self._owned = self._owned[len(owned) :]
        for table_id in forgotten:
            self._forgotten.pop(table_id, None)
        return True

    async def _write(self, batch: Sequence["_Task"], forgotten: dict[str, int], owned: Sequence[int]) -> Sequence[Any]:
        if not self._sha:
            self._sha = await self._client.script_load(_SCRIPT)
        pipeline = self._client.pipeline(transaction=False)
        for task in batch:
            keys, arguments = self._call(task.table, whole=task.whole)
            pipeline.evalsha(self._sha, len(keys), *keys, *arguments)
        for table_id, shard in forgotten.items():
            pipeline.delete(*table_keys(shard, table_id))
            pipeline.zrem(deadlines_key(shard), table_id)
        for shard in owned:
            pipeline.set(owner_key(shard), self.address)
        return await pipeline.execute(raise_on_error=False)

    def _call(self, table: "LiveTable", *, whole: bool) -> tuple[list[str], list[Any]]:
        state, shard = table.state, table.shard
        keys = [epoch_key(shard), table_key(shard, table.table_id), deadlines_key(shard)]
        keys += [events_key(shard, table.table_id, seat) for seat in range(4)]
        fields = [part for field in fields_of(state, self.address) for part in field]
        due = next_due(state, 0)
        arguments: list[Any] = [
            table.epoch,
            state.sequence,
            int(whole),
            _LIFETIME_MS,
            "" if due is None else due,
            table.table_id,
            self._settings.resume_events_max,
            len(fields),
            *fields,
        ]
        for seat, viewer in table.audience.viewers.items():
            for sequence, event in viewer.recent_after(0 if whole else viewer.projected):
                arguments += [int(seat), sequence, event]
        return keys, arguments

    def _settle(self, task: "_Task", outcome: Any) -> None:
        if isinstance(outcome, NoScriptError):
            self._sha = ""
        if isinstance(outcome, Exception) or outcome == _WAS_LOST:
            self.touch(task.table, whole=True)
            self._metrics.projections.labels("lost").inc()
            return
        self._metrics.projections.labels("fenced" if outcome == _FENCED else "written").inc()
        for seat, head in task.heads.items():
            task.table.audience.viewers[seat].projected = head

    def _note(self, problem: str | None) -> None:
        """Logs when Redis goes away and when it is back."""
        if problem is not None and self._is_reachable:
            _log.warning("projection.interrupted", problem=problem)
        elif problem is None and not self._is_reachable:
            _log.info("projection.resumed", tables=len(self._touched))
        self._is_reachable = problem is None


class _Task:
    """A table that is being projected, and how far its viewers' events will be in Redis then."""

    def __init__(self, table: "LiveTable", whole: bool) -> None:  # noqa: FBT001 - made in one place
        self.table = table
        self.whole = whole
        self.heads = {seat: viewer.head for seat, viewer in table.audience.viewers.items()}
