"""Ended tables whose time is over."""

from typing import Final

from sqlalchemy import delete, select

from mahjong_kit.sql import Database
from mahjong_table.store.connection import writing
from mahjong_table.store.log import ENTRIES, FINAL_VIEWS, OUTBOX, SHARDS, TABLES

_BATCH: Final = 20
"""Tables a transaction: some 30,000 entries at most, so that no commit waits long for it."""


class Retention:
    """Deletes what nobody needs any more: the replay service has every hand."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def forget_ended(self, before: int, worker_id: str) -> bool:
        """Deletes some tables of a worker's shards with their logs; returns whether there may be more.

        Args:
            before: they ended before this time; those with reports that wait for delivery are left.
            worker_id: whose shards they are in, so that no two workers take the same.
        """
        owned = select(SHARDS.c.shard).where(SHARDS.c.worker_id == worker_id)
        waiting = select(OUTBOX.c.match_id).where(OUTBOX.c.delivered_at.is_(None))
        old = (
            select(TABLES.c.table_id)
            .where(TABLES.c.ended_at < before, TABLES.c.shard.in_(owned), TABLES.c.match_id.not_in(waiting))
            .order_by(TABLES.c.ended_at)
            .limit(_BATCH)
        )
        async with writing(self._database) as connection:
            ids = (await connection.execute(old)).scalars().all()
            for table in (ENTRIES, FINAL_VIEWS, TABLES) if ids else ():
                await connection.execute(delete(table).where(table.c.table_id.in_(ids)))
        return len(ids) == _BATCH
