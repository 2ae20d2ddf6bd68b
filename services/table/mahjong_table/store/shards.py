"""Workers and the shards that they own, in the database. Leases are judged by the database's clock."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Update, case, delete, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database
from mahjong_table.ownership.survey import ShardSeen, Survey, WorkerSeen
from mahjong_table.store.connection import reading, writing
from mahjong_table.store.log import SHARDS
from mahjong_table.store.models import WorkerRow

WORKERS = WorkerRow.__table__  # type: ignore[attr-defined]

_NOW_MS = {
    "sqlite": text("SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"),
    "postgresql": text("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"),
}
_FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000


class ReplacedError(Exception):
    """Another worker serves at this worker's address: this one is a leftover."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A shard that a worker has taken."""

    shard: int
    epoch: int
    stopped_at: int | None
    """When its tables stopped, by the clock of the worker that had them; None if nobody ever had them."""
    stopped_epoch: int | None = None
    """Epoch of that worker; None if an older release of this program took note of the stop."""

    def stop_of(self, epoch: int) -> int | None:
        """Returns when a table stopped whose newest entry has an epoch.

        None if that entry was written after the stop, under an owner who failed before it could say so: the entry's own
        time counts then, for the stop is a time of another clock.
        """
        return None if self.stopped_epoch is not None and epoch > self.stopped_epoch else self.stopped_at


class Shards:
    """The workers and shards of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def join(self, worker: WorkerSeen) -> None:
        """Makes a worker known.

        One that had the same address is gone, for the address could not be taken otherwise: its shards are free at
        once, without waiting for its lease. Workers that have not been seen for a day are forgotten.
        """
        async with writing(self._database) as connection:
            now = await _now(connection)
            old = WORKERS.c.address == worker.address
            for row in (await connection.execute(select(WORKERS).where(old))).all():
                freed = update(SHARDS).where(SHARDS.c.worker_id == row.worker_id)
                await connection.execute(_moved(freed, row.noted_at))
            await connection.execute(delete(WORKERS).where(old | (WORKERS.c.seen_at < now - _FORGOTTEN_AFTER_MS)))
            await connection.execute(insert(WORKERS), [_row(worker, now)])

    async def heartbeat(self, worker: WorkerSeen) -> None:
        """Says that a worker lives.

        Raises:
            ReplacedError: another worker has joined with its address.
        """
        async with writing(self._database) as connection:
            row = _row(worker, await _now(connection))
            mine = WORKERS.c.worker_id == worker.worker_id
            if (await connection.execute(update(WORKERS).where(mine).values(row))).rowcount == 1:
                return
            if await connection.scalar(select(WORKERS.c.worker_id).where(WORKERS.c.address == worker.address)):
                raise ReplacedError
            await connection.execute(insert(WORKERS), [row])

    async def survey(self) -> Survey:
        """Returns who lives and who owns what."""
        async with reading(self._database) as connection:
            return await _survey(connection, None)

    async def claim(
        self, worker_id: str, shards: Collection[int], lease_ms: int, own_stops: Mapping[int, int] | None = None
    ) -> list[Claimed]:
        """Takes those of the shards that may be taken; each one's epoch grows, and no earlier owner can write any more.

        Waits for commits that are under way in them, so whatever they have written is there to be read afterwards.

        Args:
            worker_id: who takes them.
            shards: what it would like to have.
            lease_ms: how long a heartbeat counts.
            own_stops: when the worker itself has stopped tables of shards that it had to let go; counts for those that
                are still its own, whose heartbeats tell nothing of that.
        """
        async with writing(self._database) as connection:
            survey = await _survey(connection, shards)
            free = [row for row in survey.shards if survey.may_claim(row, worker_id, lease_ms)]
            claimed: list[Claimed] = []
            by_stop: dict[int | None, list[int]] = defaultdict(list)
            for row in free:
                stopped_at, stopped_epoch = row.stopped_at, row.stopped_epoch
                if stopped_at is None:
                    own = (own_stops or {}).get(row.shard) if row.worker_id == worker_id else None
                    stopped_at, stopped_epoch = own or survey.stopped_at(row), row.epoch
                    by_stop[stopped_at].append(row.shard)
                claimed.append(Claimed(row.shard, row.epoch + 1, stopped_at, stopped_epoch))
            for stopped_at, some in by_stop.items():
                stopped = update(SHARDS).where(SHARDS.c.shard.in_(some))
                await connection.execute(stopped.values(stopped_at=stopped_at, stopped_epoch=SHARDS.c.epoch))
            taken = update(SHARDS).where(SHARDS.c.shard.in_([row.shard for row in free]))
            await connection.execute(taken.values(epoch=SHARDS.c.epoch + 1, worker_id=worker_id))
            return claimed

    async def settle(self, worker_id: str, shards: Collection[int]) -> None:
        """Says that the tables of claimed shards run: a later outage is no longer counted from when they stopped."""
        running = update(SHARDS).where(SHARDS.c.worker_id == worker_id, SHARDS.c.shard.in_(shards))
        async with writing(self._database) as connection:
            await connection.execute(running.values(stopped_at=None, stopped_epoch=None))

    async def release(self, worker_id: str, epochs: Mapping[int, int], stopped_at: int, to: str | None = None) -> None:
        """Gives shards up whose tables stopped at a time of the worker's clock. Their epochs grow with it already.

        Args:
            worker_id: who had them.
            epochs: the shards, and under which epoch.
            stopped_at: when their tables stopped.
            to: who has them from now on; anybody may take them if nobody is named.
        """
        if not epochs:
            return
        async with writing(self._database) as connection:
            survey = await _survey(connection, epochs)
            own = [row.shard for row in survey.shards if row.worker_id == worker_id and row.epoch == epochs[row.shard]]
            await connection.execute(_moved(update(SHARDS).where(SHARDS.c.shard.in_(own)), stopped_at, to))

    async def given(self, worker_id: str, shards: Collection[int]) -> list[Claimed]:
        """Returns those of the shards that belong to a worker, as when they were made over to it."""
        found = select(SHARDS).where(SHARDS.c.shard.in_(shards), SHARDS.c.worker_id == worker_id)
        async with reading(self._database) as connection:
            rows = (await connection.execute(found.order_by(SHARDS.c.shard))).all()
        return [Claimed(row.shard, row.epoch, row.stopped_at, row.stopped_epoch) for row in rows]

    async def leave(self, worker_id: str, stopped_at: int) -> None:
        """Forgets a worker; shards that it still has, as after a hand-over that failed half-way, are free at once."""
        async with writing(self._database) as connection:
            left = update(SHARDS).where(SHARDS.c.worker_id == worker_id)
            await connection.execute(_moved(left, stopped_at))
            await connection.execute(delete(WORKERS).where(WORKERS.c.worker_id == worker_id))


async def _survey(connection: AsyncConnection, locked: Collection[int] | None) -> Survey:
    """Reads workers and shards; with shards named, only these, and nobody else changes or writes in them meanwhile."""
    shards = select(SHARDS).order_by(SHARDS.c.shard)
    if locked is not None:
        shards = shards.where(SHARDS.c.shard.in_(locked)).with_for_update()
    rows = (await connection.execute(shards)).all()
    seen: Sequence[ShardSeen] = [
        ShardSeen(row.shard, row.epoch, row.worker_id, row.stopped_at, row.stopped_epoch) for row in rows
    ]
    # After the locks, which may have taken a while: heartbeats of that time count.
    workers = [
        WorkerSeen(row.worker_id, row.address, row.seen_at, row.noted_at, row.draining)
        for row in (await connection.execute(select(WORKERS))).all()
    ]
    return Survey(await _now(connection), {worker.worker_id: worker for worker in workers}, seen)


async def _now(connection: AsyncConnection) -> int:
    now = await connection.scalar(_NOW_MS[connection.dialect.name])
    assert isinstance(now, int)
    return now


def _moved(shards: Update, stopped_at: int, to: str | None = None) -> Update:
    # Tables that had not started again since an earlier stop stopped then.
    is_stopped = SHARDS.c.stopped_at.is_not(None)
    return shards.values(
        epoch=SHARDS.c.epoch + 1,
        worker_id=to,
        stopped_at=case((is_stopped, SHARDS.c.stopped_at), else_=stopped_at),
        stopped_epoch=case((is_stopped, SHARDS.c.stopped_epoch), else_=SHARDS.c.epoch),
    )


def _row(worker: WorkerSeen, now: int) -> dict[str, object]:
    return {
        "worker_id": worker.worker_id,
        "address": worker.address,
        "seen_at": now,
        "noted_at": worker.noted_at,
        "draining": worker.is_draining,
    }
