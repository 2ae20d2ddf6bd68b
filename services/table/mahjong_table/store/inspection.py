"""What operators look at: tables by shard, single tables with their whole log."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import RowMapping, func, select

from mahjong_kit.sql import Database
from mahjong_table.store.connection import reading
from mahjong_table.store.log import ENTRIES, TABLES
from mahjong_table.store.tables import Loaded, loaded_of


@dataclass(frozen=True, slots=True)
class Inspected:
    """A table, live or ended, with all rows of its log."""

    row: RowMapping
    log: Sequence[RowMapping]
    loaded: Loaded


class Inspection:
    """Reads what operators ask for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def live_counts(self) -> dict[int, int]:
        """Returns how many live tables each shard has; shards without any are left out."""
        counted = select(TABLES.c.shard, func.count()).where(TABLES.c.ended_at.is_(None)).group_by(TABLES.c.shard)
        async with reading(self._database) as connection:
            return dict((await connection.execute(counted)).tuples().all())

    async def live_tables(self, after: str, limit: int) -> Sequence[RowMapping]:
        """Returns live tables by id, from the one after an id on."""
        found = select(TABLES).where(TABLES.c.ended_at.is_(None), TABLES.c.table_id > after)
        async with reading(self._database) as connection:
            return (await connection.execute(found.order_by(TABLES.c.table_id).limit(limit))).mappings().all()

    async def table(self, table_id: str) -> Inspected | None:
        """Returns a table with its log, or None if it never was."""
        entries = select(ENTRIES).where(ENTRIES.c.table_id == table_id).order_by(ENTRIES.c.sequence)
        async with reading(self._database) as connection:
            found = await connection.execute(select(TABLES).where(TABLES.c.table_id == table_id))
            if (row := found.mappings().first()) is None:
                return None
            log = (await connection.execute(entries)).mappings().all()
        return Inspected(row, log, loaded_of(row, log))
