"""Who owns which shard, and when its owner was last alive."""

from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select, update

from mahjong_kit.sql import Database
from mahjong_table.shards import SHARD_COUNT
from mahjong_table.store.connection import writing
from mahjong_table.store.log import SHARDS
from mahjong_table.store.models import WorkerRow

WORKERS = WorkerRow.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Claim:
    """The shards that a worker has claimed."""

    epochs: dict[int, int]
    """Epoch of each shard from now on."""
    alive_at: int | None
    """When an owner before was last known to live; None if there was none."""


class Shards:
    """The owners of the shards in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim_all(self, worker_id: str, address: str, now: int) -> Claim:
        """Takes every shard for one worker: each epoch grows, and no earlier owner can write any more."""
        async with writing(self._database) as connection:
            known = set((await connection.scalars(select(SHARDS.c.shard))).all())
            missing = [{"shard": s, "epoch": 0, "worker_id": None} for s in range(SHARD_COUNT) if s not in known]
            if missing:
                await connection.execute(insert(SHARDS), missing)
            alive_at = await connection.scalar(select(func.max(WORKERS.c.seen_at)))
            await connection.execute(update(SHARDS).values(epoch=SHARDS.c.epoch + 1, worker_id=worker_id))
            await connection.execute(delete(WORKERS))
            await connection.execute(insert(WORKERS), [{"worker_id": worker_id, "address": address, "seen_at": now}])
            rows = await connection.execute(select(SHARDS.c.shard, SHARDS.c.epoch))
            return Claim({row.shard: row.epoch for row in rows}, alive_at)

    async def heartbeat(self, worker_id: str, now: int) -> bool:
        """Says that the worker lives; returns whether it is still known."""
        async with writing(self._database) as connection:
            done = await connection.execute(update(WORKERS).where(WORKERS.c.worker_id == worker_id).values(seen_at=now))
            return done.rowcount == 1
