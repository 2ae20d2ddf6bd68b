"""Tables and who sits at them: opened once per match, found again by table, match or player."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import ColumnElement, RowMapping, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database
from mahjong_table.core.entry import Entry
from mahjong_table.core.state import Opening
from mahjong_table.core.terms import Terms, terms_from_json
from mahjong_table.store.append import FinalView
from mahjong_table.store.connection import reading, writing
from mahjong_table.store.log import ENTRIES, FINAL_VIEWS, SEATED, SHARDS, TABLES, entry_of


class MatchIdReusedError(Exception):
    """The match has a table with other terms."""


class AlreadySeatedError(Exception):
    """A player sits at another live table."""

    def __init__(self, table_id: str) -> None:
        super().__init__(table_id)
        self.table_id = table_id


class CapacityError(Exception):
    """The worker takes no further table."""


class FencedError(Exception):
    """Another worker owns the shard."""


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


@dataclass(frozen=True, slots=True)
class Found:
    """A table that was opened at some time."""

    terms: Terms
    is_live: bool


class Tables:
    """The tables of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_table(self, opening: Opening, shard: int, epoch: int, *, is_full: bool) -> str:
        """Stores a new table and seats its players; returns the id of the match's table, old or new.

        Args:
            opening: the table.
            shard: its shard.
            epoch: epoch under which this worker owns the shard.
            is_full: whether the worker takes no further table.

        Raises:
            CapacityError: the table would be new, and the worker is full.
            MatchIdReusedError: the match has a table with other terms.
            AlreadySeatedError: a player sits at a live table of another match.
            FencedError: another worker owns the shard.
        """
        try:
            async with writing(self._database) as connection:
                known = await _known_table(connection, opening)
                if known is None and is_full:
                    raise CapacityError
                if known is None:
                    await _check_epoch(connection, shard, epoch)
                    await _insert_table(connection, opening, shard)
        except IntegrityError:
            # Another process was faster; what it wrote can be read now.
            async with reading(self._database) as connection:
                known = await _known_table(connection, opening)
            if known is None:
                raise
        return known or opening.table_id

    async def load_table(self, table_id: str) -> Loaded | None:
        """Returns a live table with its log from the start of the present hand."""
        return next(iter(await self._load(TABLES.c.table_id == table_id)), None)

    async def live_tables(self, shards: Collection[int]) -> list[Loaded]:
        """Returns all live tables of some shards with their log from the start of the present hand."""
        return await self._load(TABLES.c.shard.in_(shards))

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

    async def _load(self, which: ColumnElement[bool]) -> list[Loaded]:
        tables = select(TABLES).where(TABLES.c.ended_at.is_(None), which)
        entries = (
            select(ENTRIES)
            .join(TABLES, TABLES.c.table_id == ENTRIES.c.table_id)
            .where(TABLES.c.ended_at.is_(None), which, ENTRIES.c.sequence >= TABLES.c.load_sequence)
            .order_by(ENTRIES.c.table_id, ENTRIES.c.sequence)
        )
        async with reading(self._database) as connection:
            openings = [_opening_of(row) for row in (await connection.execute(tables)).mappings()]
            by_table: dict[str, list[Entry]] = defaultdict(list)
            for row in (await connection.execute(entries)).mappings():
                by_table[row["table_id"]].append(entry_of(row))
        return [Loaded(opening, by_table[opening.table_id]) for opening in openings]


async def _known_table(connection: AsyncConnection, opening: Opening) -> str | None:
    """Returns the table that the match has already; checks that nothing is in the way of a new one."""
    terms = opening.terms
    by_match = select(TABLES.c.table_id, TABLES.c.terms).where(TABLES.c.match_id == terms.match_id)
    row = (await connection.execute(by_match)).first()
    if row is not None:
        if row.terms != _terms_text(terms):
            raise MatchIdReusedError
        table_id: str = row.table_id
        return table_id
    players = [terms.occupants[seat].player_id for seat in terms.people]
    others = SEATED.c.match_id != terms.match_id  # A table of this match may have been opened since it was looked up.
    elsewhere = select(SEATED.c.table_id).where(SEATED.c.player_id.in_(players), others).limit(1)
    if (other := await connection.scalar(elsewhere)) is not None:
        raise AlreadySeatedError(other)
    return None


async def _check_epoch(connection: AsyncConnection, shard: int, epoch: int) -> None:
    present = await connection.scalar(select(SHARDS.c.epoch).where(SHARDS.c.shard == shard).with_for_update(read=True))
    if present != epoch:
        raise FencedError


async def _insert_table(connection: AsyncConnection, opening: Opening, shard: int) -> None:
    terms = opening.terms
    row = {
        "table_id": opening.table_id,
        "match_id": terms.match_id,
        "shard": shard,
        "terms": _terms_text(terms),
        "server_seed": opening.server_seed,
        "opened_at": opening.opened_at,
        "nonce_window_ms": opening.nonce_window_ms,
        "result_window_ms": opening.result_window_ms,
        "load_sequence": 0,
        "ended_at": None,
    }
    await connection.execute(insert(TABLES), [row])
    seated = [
        {"player_id": terms.occupants[seat].player_id, "table_id": opening.table_id, "match_id": terms.match_id}
        for seat in terms.people
    ]
    await connection.execute(insert(SEATED), seated)


def _terms_text(terms: Terms) -> str:
    return orjson.dumps(terms.as_json(), option=orjson.OPT_SORT_KEYS).decode()


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
