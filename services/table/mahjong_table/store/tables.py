"""Tables and who sits at them: opened once per match, found again by table, match or player."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import ColumnElement, RowMapping, bindparam, select
from sqlalchemy.exc import IntegrityError

from mahjong_engine.tile import Seat
from mahjong_kit.sql import Database
from mahjong_table.core.entry import Entry, happening
from mahjong_table.core.state import Opening
from mahjong_table.core.terms import Terms, terms_from_json
from mahjong_table.store.append import FinalView
from mahjong_table.store.connection import reading
from mahjong_table.store.log import ENTRIES, FINAL_VIEWS, SEATED, TABLES, entry_of
from mahjong_table.store.open_tables import OpeningError, OpenTables, Wanted

_RACES_MAX = 3
_LOADED_TOGETHER = 32
"""Tables whose entries are read by one query: few enough to hold nobody up."""
_PRESENT_HANDS = (
    select(
        ENTRIES.c.table_id,
        ENTRIES.c.sequence,
        ENTRIES.c.at,
        ENTRIES.c.kind,
        ENTRIES.c.payload,
        ENTRIES.c.request_id,
        ENTRIES.c.epoch,
    )
    .join(TABLES, TABLES.c.table_id == ENTRIES.c.table_id)
    .where(ENTRIES.c.table_id.in_(bindparam("tables", expanding=True)), ENTRIES.c.sequence >= TABLES.c.load_sequence)
    .order_by(ENTRIES.c.table_id, ENTRIES.c.sequence)
)


@dataclass(frozen=True, slots=True)
class Seated:
    """The live table of a player."""

    table_id: str
    match_id: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """A live table as the log has it: from the start of its present hand on, or from the beginning."""

    opening: Opening
    entries: Sequence[Entry]
    epoch: int = 0
    """Epoch of the newest entry."""
    absent: frozenset[Seat] = frozenset()
    """People who have not come yet."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table that was opened at some time."""

    terms: Terms
    is_live: bool


class Tables:
    """The tables of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_tables(self, wanted: Sequence[Wanted]) -> Sequence[str | OpeningError]:
        """Stores new tables and seats their players, all at once or none.

        Returns:
            For each the id of its match's table, old or new, or what is in the way of a new one.
        """
        for _ in range(_RACES_MAX):
            with suppress(IntegrityError):  # Another process was faster; what it wrote can be read now.
                return await self._database.transact(OpenTables(wanted))
        return await self._database.transact(OpenTables(wanted))

    async def load_table(self, table_id: str) -> Loaded | None:
        """Returns a live table with its log from the start of the present hand."""
        return await anext(self._load(TABLES.c.table_id == table_id), None)

    def live_tables(self, shards: Collection[int]) -> AsyncIterator[Loaded]:
        """Yields all live tables of some shards with their log from the start of the present hand, some at a time."""
        return self._load(TABLES.c.shard.in_(shards))

    async def find_table(self, table_id: str) -> Found | None:
        """Returns a table that is or was."""
        found = select(TABLES.c.terms, TABLES.c.ended_at).where(TABLES.c.table_id == table_id)
        async with reading(self._database) as connection:
            row = (await connection.execute(found)).first()
        return None if row is None else Found(terms_from_json(orjson.loads(row.terms)), row.ended_at is None)

    async def table_of_player(self, player_id: str) -> Seated | None:
        """Returns the live table of a player."""
        found = select(SEATED.c.table_id, SEATED.c.match_id).where(SEATED.c.player_id == player_id)
        async with reading(self._database) as connection:
            row = (await connection.execute(found)).first()
        return None if row is None else Seated(row.table_id, row.match_id)

    async def final_view(self, table_id: str, player_id: str) -> FinalView | None:
        """Returns what a person at an ended table is shown."""
        found = select(FINAL_VIEWS).where(FINAL_VIEWS.c.table_id == table_id, FINAL_VIEWS.c.player_id == player_id)
        async with reading(self._database) as connection:
            row = (await connection.execute(found)).mappings().first()
        return None if row is None else FinalView(row["seat"], player_id, row["sequence"], row["snapshot"])

    async def _load(self, which: ColumnElement[bool]) -> AsyncIterator[Loaded]:
        async with reading(self._database) as connection:
            tables = (await connection.execute(select(TABLES).where(TABLES.c.ended_at.is_(None), which))).mappings()
            openings = [_opening_of(row) for row in tables]
        for start in range(0, len(openings), _LOADED_TOGETHER):
            part = openings[start : start + _LOADED_TOGETHER]
            table_ids = [opening.table_id for opening in part]
            entries, absent = await self._entries(table_ids), await self._absent(table_ids)
            for opening in part:
                people = opening.terms.people
                missing = frozenset(seat for seat in people if opening.terms.occupants[seat].player_id in absent)
                yield Loaded(opening, *entries[opening.table_id], missing)

    async def _absent(self, table_ids: Sequence[str]) -> frozenset[str]:
        """Returns the players at tables who have not come yet."""
        found = select(SEATED.c.player_id).where(SEATED.c.table_id.in_(table_ids), SEATED.c.came_at == 0)
        async with reading(self._database) as connection:
            return frozenset((await connection.execute(found)).scalars())

    async def _entries(self, table_ids: Sequence[str]) -> Mapping[str, tuple[list[Entry], int]]:
        """Returns the entries of tables from the start of their present hands, and the epoch of the newest of each."""
        async with reading(self._database) as connection:
            rows = (await connection.execute(_PRESENT_HANDS, {"tables": table_ids})).all()
        found: dict[str, tuple[list[Entry], int]] = defaultdict(lambda: ([], 0))
        for table_id, sequence, at, kind, text, request_id, epoch in rows:
            entries, _ = found[table_id]
            entries.append(Entry(sequence, at, happening(kind, orjson.loads(text)), request_id))
            found[table_id] = entries, epoch
        return found


def loaded_of(table: RowMapping, entries: Iterable[RowMapping]) -> Loaded:
    """Returns a table and the entries of its log that are to be evolved."""
    return Loaded(_opening_of(table), [entry_of(row) for row in entries if row["sequence"] >= table["load_sequence"]])


def _opening_of(row: Any) -> Opening:
    return Opening(
        row["table_id"],
        terms_from_json(orjson.loads(row["terms"])),
        row["server_seed"],
        row["opened_at"],
        row["nonce_window_ms"],
        row["result_window_ms"],
    )
