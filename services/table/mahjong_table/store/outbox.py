"""Reports that wait for delivery."""

from collections.abc import Collection
from dataclasses import dataclass, field

from sqlalchemy import delete, func, select, update

from mahjong_kit.sql import Database
from mahjong_table.store.connection import reading, writing
from mahjong_table.store.log import OUTBOX, SHARDS


@dataclass(frozen=True, slots=True)
class WaitingReport:
    """A report that is not delivered yet."""

    report_id: int
    match_id: str
    kind: str
    body: bytes = field(repr=False)
    created_at: int


class Outbox:
    """The outbox of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def waiting(self, after: int, limit: int, worker_id: str) -> list[WaitingReport]:
        """Returns reports of a worker's shards that wait, oldest first, from the one after a report id on."""
        owned = select(SHARDS.c.shard).where(SHARDS.c.worker_id == worker_id)
        found = (
            select(OUTBOX)
            .where(OUTBOX.c.delivered_at.is_(None), OUTBOX.c.report_id > after, OUTBOX.c.shard.in_(owned))
            .order_by(OUTBOX.c.report_id)
            .limit(limit)
        )
        async with reading(self._database) as connection:
            rows = (await connection.execute(found)).mappings()
            return [
                WaitingReport(row["report_id"], row["match_id"], row["kind"], row["body"], row["created_at"])
                for row in rows
            ]

    async def mark_delivered(self, report_ids: Collection[int], now: int) -> None:
        """Marks reports as delivered."""
        done = update(OUTBOX).where(OUTBOX.c.report_id.in_(report_ids)).values(delivered_at=now)
        async with writing(self._database) as connection:
            await connection.execute(done)

    async def backlog(self) -> tuple[int, int | None]:
        """Returns how many reports wait, and when the oldest was written."""
        found = select(func.count(), func.min(OUTBOX.c.created_at)).where(OUTBOX.c.delivered_at.is_(None))
        async with reading(self._database) as connection:
            count, oldest = (await connection.execute(found)).one()
        return count, oldest

    async def forget_delivered(self, before: int) -> None:
        """Drops reports that were delivered before a time."""
        async with writing(self._database) as connection:
            await connection.execute(delete(OUTBOX).where(OUTBOX.c.delivered_at < before))
