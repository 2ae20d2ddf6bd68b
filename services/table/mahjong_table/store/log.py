"""The append-only log: entries and all that follows from them, committed together behind the epoch fence."""

from collections.abc import Mapping, Sequence
from enum import Enum

import orjson
from sqlalchemy import RowMapping, bindparam, select

from mahjong_kit.sql import Database
from mahjong_table.core.entry import Entry, happening
from mahjong_table.shards import shard_of
from mahjong_table.store.append import Append
from mahjong_table.store.connection import reading, writing
from mahjong_table.store.group_commit import GroupCommit
from mahjong_table.store.known import KnownAppends
from mahjong_table.store.models import EntryRow, FinalViewRow, OutboxRow, SeatedRow, ShardRow, TableRow

ENTRIES = EntryRow.__table__  # type: ignore[attr-defined]
SHARDS = ShardRow.__table__  # type: ignore[attr-defined]
TABLES = TableRow.__table__  # type: ignore[attr-defined]
SEATED = SeatedRow.__table__  # type: ignore[attr-defined]
FINAL_VIEWS = FinalViewRow.__table__  # type: ignore[attr-defined]
OUTBOX = OutboxRow.__table__  # type: ignore[attr-defined]

_LOCK = (
    select(SHARDS.c.epoch)
    .where(SHARDS.c.shard.in_(bindparam("shards", expanding=True)))
    .order_by(SHARDS.c.shard)  # Everybody locks in this order.
    .with_for_update()
)
_AFTER = (
    select(ENTRIES)
    .where(ENTRIES.c.table_id == bindparam("of"), ENTRIES.c.sequence > bindparam("after"))
    .order_by(ENTRIES.c.sequence)
)


class Written(Enum):
    """What became of an append."""

    COMMITTED = "committed"
    FENCED = "fenced"
    """The shard has another epoch: this worker no longer owns it."""


class Log:
    """The decision log of all tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def commit(self, appends: Sequence[Append], now: int) -> list[Written]:
        """Writes appends of different tables in one transaction; those whose shard was taken away are left out.

        Raises:
            IntegrityError: an entry or a request id is in the log already; nothing is written.
        """
        epochs = await self._database.transact(GroupCommit(appends, now))
        return [Written.COMMITTED if epochs.get(a.shard) == a.epoch else Written.FENCED for a in appends]

    async def known(self, appends: Sequence[Append]) -> frozenset[str]:
        """Returns the ids of the tables of those appends whose entries or request ids are in the log already."""
        return await self._database.transact(KnownAppends(appends))

    async def entries_after_each(self, sequences: Mapping[str, int]) -> dict[str, list[Entry]]:
        """Returns the entries of tables, of each from the one after a sequence on.

        Waits for commits that are under way in their shards: one that was told to have failed may still succeed.
        """
        shards = sorted({shard_of(table_id) for table_id in sequences})
        async with writing(self._database) as connection:
            await connection.execute(_LOCK, {"shards": shards})
            return {
                table_id: [
                    entry_of(row)
                    for row in (await connection.execute(_AFTER, {"of": table_id, "after": sequence})).mappings()
                ]
                for table_id, sequence in sequences.items()
            }

    async def entry_of_request(self, table_id: str, request_id: str) -> Entry | None:
        """Returns the entry that a request of a table was accepted with, however long ago."""
        found = select(ENTRIES).where(ENTRIES.c.table_id == table_id, ENTRIES.c.request_id == request_id)
        async with reading(self._database) as connection:
            row = (await connection.execute(found)).mappings().first()
        return None if row is None else entry_of(row)


def entry_of(row: RowMapping) -> Entry:
    """Returns the entry of a row of the log."""
    what = happening(row["kind"], orjson.loads(row["payload"]))
    return Entry(row["sequence"], row["at"], what, row["request_id"])
