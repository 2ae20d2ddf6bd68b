"""The decision log as it is in the database, and every event that follows from it alone."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from mahjong_engine.tile import Seat
from mahjong_table.core.entry import Entry
from mahjong_table.core.evolve import evolve, open_table
from mahjong_table.core.state import Opening
from mahjong_table.core.terms import terms_from_json
from mahjong_table.store.log import ENTRIES, TABLES, entry_of
from mahjong_table.wire.event import event_to_proto


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the log."""

    entry: Entry
    epoch: int
    player: str | None


@dataclass(frozen=True)
class TableLog:
    """All that the database has of one table."""

    opening: Opening
    lines: tuple[Line, ...]

    def seat_of(self, player: str) -> Seat:
        """Returns the seat of a player."""
        seat = self.opening.terms.seat_of(player)
        if seat is None:
            raise LookupError(f"{player} does not sit at the table")
        return seat

    @cached_property
    def by_request(self) -> dict[str, list[Line]]:
        """Rows by request id."""
        found: dict[str, list[Line]] = defaultdict(list)
        for line in self.lines:
            if line.entry.request_id is not None:
                found[line.entry.request_id].append(line)
        return found

    @cached_property
    def events(self) -> dict[Seat, list[bytes]]:
        """Every event that each seat may see, as it is on the wire; that of number n at n - 1."""
        state, notices = open_table(self.opening)
        told = list(notices)
        for line in self.lines:
            state, shown = evolve(state, line.entry)
            told += shown
        events: dict[Seat, list[bytes]] = defaultdict(list)
        for notice in sorted(told, key=lambda notice: notice.sequence):
            events[notice.seat].append(event_to_proto(notice, self.opening.terms.length).SerializeToString())
        return events


async def read_log(dsn: str) -> dict[str, TableLog]:
    """Reads the log of every table; the connection cannot write."""
    engine = read_only(dsn)
    try:
        async with engine.connect() as connection:
            tables = (await connection.execute(select(TABLES))).mappings().all()
            rows = (
                await connection.execute(select(ENTRIES).order_by(ENTRIES.c.table_id, ENTRIES.c.sequence))
            ).mappings()
            lines: dict[str, list[Line]] = defaultdict(list)
            for row in rows:
                lines[row["table_id"]].append(Line(entry_of(row), row["epoch"], row["player_id"]))
    finally:
        await engine.dispose()
    return {row["table_id"]: TableLog(_opening(row), tuple(lines[row["table_id"]])) for row in tables}


def read_only(dsn: str) -> AsyncEngine:
    """Opens a database, SQLite or PostgreSQL, so that nothing can be written."""
    url = make_url(dsn)
    if url.get_backend_name() == "sqlite":
        return create_async_engine(f"sqlite+aiosqlite:///file:{url.database}?mode=ro&uri=true")
    settings = {"server_settings": {"default_transaction_read_only": "on"}}
    return create_async_engine(url.set(drivername="postgresql+asyncpg"), connect_args=settings)


def _opening(row: Any) -> Opening:
    terms = terms_from_json(orjson.loads(row["terms"]))
    return Opening(
        row["table_id"],
        terms,
        row["server_seed"],
        row["opened_at"],
        row["nonce_window_ms"],
        row["result_window_ms"],
    )
