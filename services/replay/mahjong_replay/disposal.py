"""Takes out of the database what may not stay: deleted players, and matches whose time is over."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database
from mahjong_replay.rows import match_of, occupants_of
from mahjong_replay.tables import DELETED_PLAYER, HAND, HAND_AWARD, MATCH, MATCH_PLAYER

_BATCH: Final = 100
"""Matches a transaction, so that nobody waits long for it."""


class Disposal:
    """Deletes and anonymises, a batch a transaction; each may be repeated, and goes on where it was cut off."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def anonymise(self, player_id: str) -> int:
        """Takes a player out of all matches, now and of those yet to be reported; returns of how many."""
        async with self._database.writing() as session:
            await _insert_deleted(await session.connection(), player_id)
        count = 0
        while changed := await self._anonymise_some(player_id):
            count += changed
        return count

    async def anonymise_late(self) -> int:
        """Takes players out of matches that were reported while their accounts were being deleted."""
        late = sa.select(DELETED_PLAYER.c.player_id).join(
            MATCH_PLAYER, MATCH_PLAYER.c.player_id == DELETED_PLAYER.c.player_id
        )
        async with self._database.reading() as session:
            found = (await (await session.connection()).execute(late.distinct())).scalars().all()
        return sum([await self.anonymise(player_id) for player_id in found])

    async def prune(self, keep_days: Mapping[str, int], now: datetime) -> int:
        """Deletes matches that ended long ago; returns how many.

        Args:
            keep_days: how long matches of each kind of table are kept; kinds that are missing or 0, for good.
            now: the present time.
        """
        count = 0
        for table_kind, days in keep_days.items():
            while days and (deleted := await self._prune_some(table_kind, now - timedelta(days=days))):
                count += deleted
        return count

    async def _anonymise_some(self, player_id: str) -> int:
        async with self._database.writing() as session:
            connection = await session.connection()
            some = sa.select(MATCH_PLAYER.c.match_id).where(MATCH_PLAYER.c.player_id == player_id)
            ids = (await connection.execute(some.order_by(MATCH_PLAYER.c.match_id).limit(_BATCH))).scalars().all()
            matches = sa.select(MATCH).where(MATCH.c.match_id.in_(ids)).order_by(MATCH.c.match_id).with_for_update()
            for row in (await connection.execute(matches)).mappings().all():
                terms = match_of(row).terms.without({player_id})
                change = sa.update(MATCH).where(MATCH.c.match_id == terms.match_id)
                await connection.execute(change.values(occupants=occupants_of(terms)))
            mine = sa.and_(MATCH_PLAYER.c.player_id == player_id, MATCH_PLAYER.c.match_id.in_(ids))
            await connection.execute(sa.delete(MATCH_PLAYER).where(mine))
            won = sa.and_(HAND_AWARD.c.match_id.in_(ids), HAND_AWARD.c.player_id == player_id)
            await connection.execute(sa.update(HAND_AWARD).where(won).values(player_id=None))
        return len(ids)

    async def _prune_some(self, table_kind: str, before: datetime) -> int:
        old = sa.select(MATCH.c.match_id).where(MATCH.c.table_kind == table_kind, MATCH.c.end_time < before)
        async with self._database.writing() as session:
            connection = await session.connection()
            ids = (await connection.execute(old.order_by(MATCH.c.end_time).limit(_BATCH))).scalars().all()
            for table in (HAND_AWARD, HAND, MATCH_PLAYER, MATCH):
                await connection.execute(sa.delete(table).where(table.c.match_id.in_(ids)))
        return len(ids)


async def _insert_deleted(connection: AsyncConnection, player_id: str) -> None:
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    await connection.execute(insert(DELETED_PLAYER).values(player_id=player_id).on_conflict_do_nothing())
