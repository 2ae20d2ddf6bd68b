"""The append-only log: entries and all that follows from them, committed together behind the epoch fence."""

from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from typing import Any

import orjson
from sqlalchemy import RowMapping, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database
from mahjong_table.core.entry import KINDS, Answered, Entry, happening, payload
from mahjong_table.shards import shard_of
from mahjong_table.store.append import Append
from mahjong_table.store.connection import reading, writing
from mahjong_table.store.models import EntryRow, FinalViewRow, OutboxRow, SeatedRow, ShardRow, TableRow

ENTRIES = EntryRow.__table__  # type: ignore[attr-defined]
SHARDS = ShardRow.__table__  # type: ignore[attr-defined]
TABLES = TableRow.__table__  # type: ignore[attr-defined]
SEATED = SeatedRow.__table__  # type: ignore[attr-defined]
FINAL_VIEWS = FinalViewRow.__table__  # type: ignore[attr-defined]
OUTBOX = OutboxRow.__table__  # type: ignore[attr-defined]

_EPOCHS = (
    select(SHARDS.c.shard, SHARDS.c.epoch)
    .where(SHARDS.c.shard.in_(bindparam("shards", expanding=True)))
    .order_by(SHARDS.c.shard)
    .with_for_update(read=True)  # A claim of the shard waits for this commit, and any later commit sees its epoch.
)
_LOCK = select(SHARDS.c.epoch).where(SHARDS.c.shard == bindparam("of")).with_for_update()
_LOAD_FROM = update(TABLES).where(TABLES.c.table_id == bindparam("of")).values(load_sequence=bindparam("sequence"))
_END = update(TABLES).where(TABLES.c.table_id == bindparam("of")).values(ended_at=bindparam("at"))
_STAND_UP = delete(SEATED).where(SEATED.c.table_id == bindparam("of"))


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
        async with writing(self._database) as connection:
            epochs = await _epochs(connection, {a.shard for a in appends})
            owned = [a for a in appends if epochs.get(a.shard) == a.epoch]
            if owned:
                await _write(connection, owned, now)
        return [Written.COMMITTED if epochs.get(a.shard) == a.epoch else Written.FENCED for a in appends]

    async def entries_after(self, table_id: str, sequence: int) -> list[Entry]:
        """Returns the entries of a table from the one after a sequence on.

        Waits for commits that are under way in its shard: one that was told to have failed may still succeed.
        """
        found = (
            select(ENTRIES)
            .where(ENTRIES.c.table_id == table_id, ENTRIES.c.sequence > sequence)
            .order_by(ENTRIES.c.sequence)
        )
        async with writing(self._database) as connection:
            await connection.execute(_LOCK, {"of": shard_of(table_id)})
            return [entry_of(row) for row in (await connection.execute(found)).mappings()]

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


async def _epochs(connection: AsyncConnection, shards: Collection[int]) -> dict[int, int]:
    rows = await connection.execute(_EPOCHS, {"shards": sorted(shards)})
    return {row.shard: row.epoch for row in rows}


async def _write(connection: AsyncConnection, appends: Iterable[Append], now: int) -> None:
    """Writes all rows, those of a kind by one statement."""
    appends = list(appends)
    await connection.execute(insert(ENTRIES), [row for a in appends for row in _entry_rows(a)])
    started = [{"of": a.table_id, "sequence": a.load_sequence} for a in appends if a.load_sequence is not None]
    if started:
        await connection.execute(_LOAD_FROM, started)
    reports = [
        {
            "match_id": a.terms.match_id,
            "shard": a.shard,
            "kind": report.kind,
            "body": report.body,
            "created_at": now,
        }
        for a in appends
        for report in a.reports
    ]
    if reports:
        await connection.execute(insert(OUTBOX), reports)
    ended = [a for a in appends if a.final_views]
    if ended:
        await connection.execute(_END, [{"of": a.table_id, "at": now} for a in ended])
        await connection.execute(_STAND_UP, [{"of": a.table_id} for a in ended])
        await connection.execute(insert(FINAL_VIEWS), [row for a in ended for row in _final_rows(a)])


def _entry_rows(append: Append) -> Iterable[dict[str, Any]]:
    for entry in append.entries:
        yield {
            "table_id": append.table_id,
            "sequence": entry.sequence,
            "shard": append.shard,
            "epoch": append.epoch,
            "at": entry.at,
            "kind": KINDS[type(entry.what)],
            "request_id": entry.request_id,
            "player_id": _author(append, entry),
            "payload": orjson.dumps(payload(entry.what)).decode(),
        }


def _author(append: Append, entry: Entry) -> str | None:
    """Returns whose request it was; nobody's if a computer or the server has answered."""
    if entry.request_id is None or not isinstance(entry.what, Answered):
        return None
    return append.terms.occupants[entry.what.seat].player_id


def _final_rows(append: Append) -> Iterable[dict[str, Any]]:
    for final in append.final_views:
        yield {
            "table_id": append.table_id,
            "seat": final.seat,
            "player_id": final.player_id,
            "sequence": final.sequence,
            "snapshot": final.snapshot,
        }
