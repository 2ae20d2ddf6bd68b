"""Keeps Redis up to date behind the tables' backs: play never waits for it, and a loss heals by itself."""

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any

from redis.exceptions import NoScriptError, RedisError

from mahjong_kit.log import get_logger
from mahjong_kit.redis import Command, Redis
from mahjong_table.clock import WallClock
from mahjong_table.core.due import next_due
from mahjong_table.metrics import TableMetrics
from mahjong_table.projection.fields import Sent, changed_fields, sent
from mahjong_table.projection.keys import deadlines_key, epoch_key, events_key, owner_key, table_key, table_keys
from mahjong_table.settings import TableSettings
from mahjong_table.viewer import Recorded

if TYPE_CHECKING:
    from mahjong_table.live import LiveTable

_SCRIPT = files(__package__).joinpath("project.lua").read_text()
_LIFETIME_MS = 26 * 60 * 60 * 1000
"""Longer than a table may idle; whatever is left behind goes away by itself."""
_WHOLE_AGAIN_MS = 60 * 60 * 1000
"""All of a table is sent again after that long, so that its keys live on."""
_TABLES_MAX = 64
_SHARDS_MAX = 128
_RETRY_S = 0.25
_LINGER_S = 0.25
"""How far Redis may be behind: what a table does meanwhile is written once. Nobody who plays reads from it."""
_WAS_LOST = 2
_FENCED = -1
_OUTCOMES = ("written", "failed", "lost", "fenced")
_LOST = (RedisError, OSError, asyncio.TimeoutError)

_log = get_logger()


class Projector:
    """Writes the newest state of the tables that were touched, a batch at a time, each table by one atomic script."""

    def __init__(self, client: Redis, clock: WallClock, settings: TableSettings, metrics: TableMetrics) -> None:
        self._client = client
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._written = {outcome: metrics.projections.labels(outcome) for outcome in _OUTCOMES}
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
        """Notes that a table has changed; one that is gone is not written any more, whatever was under way."""
        if not table.is_gone:
            self._touched[table] = whole or self._touched.get(table, False)
            self._wake.set()

    def forget(self, table: "LiveTable") -> None:
        """Notes that a table has ended; all that Redis has of it goes away."""
        self.let_go(table)
        self._forgotten[table.table_id] = table.shard
        self._wake.set()

    def let_go(self, table: "LiveTable") -> None:
        """Leaves what Redis has of a table to the worker that goes on with it."""
        table.is_gone = True
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
            await asyncio.sleep(_LINGER_S)
            self._wake.clear()
            for _ in range(1 + max(len(self._touched) // _TABLES_MAX, len(self._owned) // _SHARDS_MAX)):
                if not await self._project():
                    await asyncio.sleep(_RETRY_S)
            self._metrics.projections_waiting.set(len(self._touched))
            if self._touched or self._forgotten or self._owned:
                self._wake.set()

    async def _project(self) -> bool:
        """Writes one batch; returns whether Redis has answered."""
        tables = list(islice(self._touched, _TABLES_MAX))
        batch = [_Update(table, self._touched.pop(table), self._clock.now()) for table in tables]
        forgotten, owned = dict(self._forgotten), self._owned[:_SHARDS_MAX]
        try:
            async with asyncio.timeout(self._timeout_s):
                outcomes = await self._write(batch, forgotten, owned)
        except _LOST as error:
            self._written["failed"].inc(len(batch))
            for update in batch:
                self.touch(update.table, whole=True)
                update.trace(type(error).__name__)
            self._note(problem=type(error).__name__)
            return False
        self._note(problem=None)
        for update, outcome in zip(batch, outcomes, strict=False):
            self._settle(update, outcome)
        self._owned = self._owned[len(owned) :]
        for table_id in forgotten:
            self._forgotten.pop(table_id, None)
        return True

    async def _write(
        self, batch: Sequence["_Update"], forgotten: dict[str, int], owned: Sequence[int]
    ) -> Sequence[Any]:
        if not self._sha:
            self._sha = await self._client.script_load(_SCRIPT)
        commands = [self._call(update) for update in batch]
        for table_id, shard in forgotten.items():
            commands.append(("DEL", *table_keys(shard, table_id)))
            commands.append(("ZREM", deadlines_key(shard), table_id))
        commands += [("SET", owner_key(shard), self.address) for shard in owned]
        return await self._client.send_all(commands)

    def _call(self, update: "_Update") -> Command:
        table, before, state = update.table, update.before, update.state
        keys = [epoch_key(table.shard), table_key(table.shard, table.table_id), deadlines_key(table.shard)]
        fields = list(changed_fields(before, state, self.address))
        due = update.after.due
        is_same_due = before is not None and before.due == due
        arguments: list[str | bytes | int] = [
            table.epoch,
            state.sequence,
            "" if before is None else before.sequence,
            _LIFETIME_MS,
            "=" if is_same_due else "" if due is None else due,
            table.table_id,
            self._settings.resume_events_max,
            len(fields),
            *fields,
        ]
        for seat, viewer in table.audience.viewers.items():
            # Which events Redis lacks is known once it has answered: it may have all that another worker showed.
            events = () if before is None else viewer.recent_after(viewer.projected)
            if events or before is None:
                keys.append(events_key(table.shard, table.table_id, seat))
                arguments += (seat, events[0][0] if events else 1, len(events))
                arguments += [event for _, event in events]
        return ("EVALSHA", self._sha, len(keys), *keys, *arguments)

    def _settle(self, update: "_Update", outcome: Any) -> None:
        if isinstance(outcome, NoScriptError):
            self._sha = ""
        if isinstance(outcome, Exception) or outcome == _WAS_LOST:
            self.touch(update.table, whole=True)
            self._written["lost"].inc()
            return
        self._written["fenced" if outcome == _FENCED else "written"].inc()
        update.trace("FENCED" if outcome == _FENCED else "")
        update.table.sent = update.after
        viewers = update.table.audience.viewers
        known = dict(zip(viewers, outcome, strict=True)) if isinstance(outcome, list) else update.heads
        for seat, viewer in viewers.items():
            viewer.note_projected(min(known[seat], viewer.head))
        if isinstance(outcome, list) and any(viewer.projected < viewer.head for viewer in viewers.values()):
            self.touch(update.table)

    def _note(self, problem: str | None) -> None:
        """Logs when Redis goes away and when it is back."""
        if problem is not None and self._is_reachable:
            _log.warning("projection.interrupted", problem=problem)
        elif problem is None and not self._is_reachable:
            _log.info("projection.resumed", tables=len(self._touched))
        self._is_reachable = problem is None


class _Update:
    """A table that is being projected, and what Redis will have of it then."""

    __slots__ = ("after", "before", "heads", "state", "steps", "table")

    def __init__(self, table: "LiveTable", whole: bool, now: int) -> None:  # noqa: FBT001 - made in one place
        self.table = table
        self.state = table.state
        self.steps, table.unprojected = table.unprojected, []
        self.before: Sent | None = table.sent
        if whole or self.before is None or now >= self.before.whole_at + _WHOLE_AGAIN_MS:
            self.before = None
        self.after = sent(self.state, next_due(self.state, 0), now if self.before is None else self.before.whole_at)
        self.heads = {seat: viewer.head for seat, viewer in table.audience.viewers.items()}

    def trace(self, problem: str) -> None:
        """Tells the traces of the decisions in it that it is over."""
        for steps in self.steps:
            steps.done("table.project", problem)
