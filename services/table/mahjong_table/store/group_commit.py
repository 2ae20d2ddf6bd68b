"""The one transaction that play waits for: entries and all that follows from them, behind the epoch fence.

Written for the bare drivers (`mahjong_kit.sql_driver`). On SQLite each statement is one step, however many rows it has:
each step lets go of the interpreter and may have to wait to get it back.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import orjson

from mahjong_table.core.entry import KINDS, Answered, Entry, payload
from mahjong_table.store.append import Append

Row = tuple[Any, ...]

_ROWS_MAX = 256
"""Rows in one statement of SQLite."""


class _Rows(NamedTuple):
    """A table that rows are added to, and its columns."""

    table: str
    columns: tuple[str, ...]

    def insert(self, places: Iterable[str]) -> str:
        """Returns the statement that adds rows with these place-holders."""
        return f"INSERT INTO {self.table} ({', '.join(self.columns)}) VALUES {', '.join(places)}"  # noqa: S608 - ours


_ENTRIES = _Rows(
    "decision", ("table_id", "sequence", "shard", "epoch", "at", "kind", "request_id", "player_id", "payload")
)
_REPORTS = _Rows("outbox", ("match_id", "shard", "kind", "body", "created_at"))
_FINAL_VIEWS = _Rows("final_view", ("table_id", "seat", "player_id", "sequence", "snapshot"))
_EPOCHS_SQLITE = (
    "SELECT json_group_array(json_array(shard, epoch)) FROM shard WHERE shard IN (SELECT value FROM json_each(?))"
)
_EPOCHS_POSTGRESQL = (
    # A claim of the shard waits for this commit, and any later commit sees its epoch.
    "SELECT shard, epoch FROM shard WHERE shard = ANY($1::smallint[]) ORDER BY shard FOR SHARE"
)
_LOAD_FROM = "UPDATE game_table SET load_sequence = $1 WHERE table_id = $2"
_END = "UPDATE game_table SET ended_at = $1 WHERE table_id = $2"
_STAND_UP = "DELETE FROM seated WHERE table_id = $1"
# Both drivers know places by number, but SQLite calls them ?1.


@dataclass(frozen=True, slots=True)
class GroupCommit:
    """Appends of different tables that are committed together; those whose shard was taken away are left out."""

    appends: Sequence[Append]
    now: int

    def on_sqlite(self, connection: sqlite3.Connection) -> Mapping[int, int]:
        """Writes; returns the epochs of the shards as the fence saw them."""
        shards = orjson.dumps(sorted({a.shard for a in self.appends})).decode()
        (found,) = connection.execute(_EPOCHS_SQLITE, (shards,)).fetchone()
        epochs = dict(orjson.loads(found))
        for rows, values in self._added(epochs):
            for start in range(0, len(values), _ROWS_MAX):
                part = values[start : start + _ROWS_MAX]
                connection.execute(_sqlite_insert(rows, len(part)), list(chain.from_iterable(part)))
        for statement, changes in self._changed(epochs):
            connection.executemany(statement.replace("$", "?"), changes)
        return epochs

    async def on_postgresql(self, connection: Any) -> Mapping[int, int]:
        """Writes; returns the epochs of the shards as the fence saw them."""
        shards = sorted({a.shard for a in self.appends})
        epochs = {shard: epoch for shard, epoch in await connection.fetch(_EPOCHS_POSTGRESQL, shards)}  # noqa: C416
        for rows, values in self._added(epochs):
            await connection.executemany(_postgresql_insert(rows), values)
        for statement, changes in self._changed(epochs):
            await connection.executemany(statement, changes)
        return epochs

    def _owned(self, epochs: Mapping[int, int]) -> list[Append]:
        return [append for append in self.appends if epochs.get(append.shard) == append.epoch]

    def _added(self, epochs: Mapping[int, int]) -> Iterator[tuple[_Rows, list[Row]]]:
        """Yields the new rows of each table, if it has any."""
        owned = self._owned(epochs)
        entries = [_entry_row(append, entry) for append in owned for entry in append.entries]
        reports = [
            (append.terms.match_id, append.shard, report.kind, report.body, self.now)
            for append in owned
            for report in append.reports
        ]
        final_views = [
            (append.table_id, int(final.seat), final.player_id, final.sequence, final.snapshot)
            for append in owned
            for final in append.final_views
        ]
        for rows, values in ((_ENTRIES, entries), (_REPORTS, reports), (_FINAL_VIEWS, final_views)):
            if values:
                yield rows, values

    def _changed(self, epochs: Mapping[int, int]) -> Iterator[tuple[str, list[Row]]]:
        """Yields the changes of rows that are there, if there are any."""
        owned = self._owned(epochs)
        if started := [(a.load_sequence, a.table_id) for a in owned if a.load_sequence is not None]:
            yield _LOAD_FROM, started
        if ended := [append.table_id for append in owned if append.final_views]:
            yield _END, [(self.now, table_id) for table_id in ended]
            yield _STAND_UP, [(table_id,) for table_id in ended]


def _entry_row(append: Append, entry: Entry) -> Row:
    return (
        append.table_id,
        entry.sequence,
        append.shard,
        append.epoch,
        entry.at,
        KINDS[type(entry.what)],
        entry.request_id,
        _author(append, entry),
        orjson.dumps(payload(entry.what)).decode(),
    )


def _author(append: Append, entry: Entry) -> str | None:
    """Returns whose request it was; nobody's if a computer or the server has answered."""
    if entry.request_id is None or not isinstance(entry.what, Answered):
        return None
    return append.terms.occupants[entry.what.seat].player_id


@lru_cache(maxsize=1024)
def _sqlite_insert(rows: _Rows, count: int) -> str:
    return rows.insert([f"({', '.join('?' * len(rows.columns))})"] * count)


@lru_cache(maxsize=16)
def _postgresql_insert(rows: _Rows) -> str:
    return rows.insert([f"({', '.join(f'${place}' for place in range(1, len(rows.columns) + 1))})"])
