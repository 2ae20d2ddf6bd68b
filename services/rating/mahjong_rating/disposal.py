"""Takes out of the database what may not stay: the ids of deleted accounts, and reports that nobody needs any more."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database
from mahjong_rating.pseudonym import new_pseudonym
from mahjong_rating.report import Outcome
from mahjong_rating.tables import (
    DELETED_PLAYER,
    MATCH_REPORT,
    PLAYER_NAME,
    RATING,
    RATING_CHANGE,
    REPORT_PLAYER,
    SEASON_RATING,
)

_BATCH: Final = 200
"""Reports a transaction, so that nobody waits long for it."""


class Disposal:
    """Deletes and anonymises, a batch a transaction; each may be repeated, and goes on where it was cut off."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def anonymise(self, player_id: str) -> int:
        """Puts a pseudonym in a player's place, everywhere; returns in how many matches.

        The pseudonym is kept beside the account's id only until it stands everywhere: afterwards nothing leads from one
        to the other.
        """
        pseudonym = await self._begin(player_id)
        count = 0
        while changed := await self._rename_some(player_id, pseudonym):
            count += changed
        async with self._database.writing() as session:
            mine = DELETED_PLAYER.c.player_id == player_id
            await (await session.connection()).execute(sa.update(DELETED_PLAYER).where(mine).values(pseudonym=None))
        return count

    async def anonymise_late(self) -> int:
        """Does the same for players in matches that were reported while their accounts were being deleted.

        Of a match that was applied between the two steps of `anonymise`, only a rating and a name are left to find.
        """
        gone = DELETED_PLAYER.c.player_id
        late = sa.union(
            *(sa.select(gone).join(table, table.c.player_id == gone) for table in (REPORT_PLAYER, PLAYER_NAME))
        )
        async with self._database.reading() as session:
            found = (await (await session.connection()).execute(late)).scalars().all()
        return sum([await self.anonymise(player_id) for player_id in found])

    async def prune(self, before: datetime) -> int:
        """Deletes the reports of matches that ended before a time and changed no rating; returns how many."""
        count = 0
        for outcome in (Outcome.SKIPPED_NOT_RATED, Outcome.SKIPPED_TOO_FEW_PEOPLE):
            while deleted := await self._prune_some(outcome, before):
                count += deleted
        return count

    async def _begin(self, player_id: str) -> str:
        """Takes the player off ratings and leaderboards; returns the pseudonym, an earlier try's if there was one."""
        async with self._database.writing() as session:
            connection = await session.connection()
            pseudonym = await _pseudonym_of(connection, player_id)
            await connection.execute(
                sa.update(RATING).where(RATING.c.player_id == player_id).values(player_id=pseudonym)
            )
            for table in (SEASON_RATING, PLAYER_NAME):
                await connection.execute(sa.delete(table).where(table.c.player_id == player_id))
            return pseudonym

    async def _rename_some(self, player_id: str, pseudonym: str) -> int:
        async with self._database.writing() as session:
            connection = await session.connection()
            some = sa.select(REPORT_PLAYER.c.match_id).where(REPORT_PLAYER.c.player_id == player_id).limit(_BATCH)
            ids = (await connection.execute(some)).scalars().all()
            reports = sa.select(MATCH_REPORT.c.match_id, MATCH_REPORT.c.seats).where(MATCH_REPORT.c.match_id.in_(ids))
            for match_id, seats in (await connection.execute(reports)).all():
                renamed = [[pseudonym if seat[0] == player_id else seat[0], *seat[1:]] for seat in seats]
                report = sa.update(MATCH_REPORT).where(MATCH_REPORT.c.match_id == match_id)
                await connection.execute(report.values(seats=renamed))
            history = sa.and_(RATING_CHANGE.c.match_id.in_(ids), RATING_CHANGE.c.player_id == player_id)
            await connection.execute(sa.update(RATING_CHANGE).where(history).values(player_id=pseudonym))
            mine = sa.and_(REPORT_PLAYER.c.player_id == player_id, REPORT_PLAYER.c.match_id.in_(ids))
            await connection.execute(sa.delete(REPORT_PLAYER).where(mine))
            return len(ids)

    async def _prune_some(self, outcome: Outcome, before: datetime) -> int:
        old = sa.select(MATCH_REPORT.c.match_id).where(
            MATCH_REPORT.c.outcome == outcome.value, MATCH_REPORT.c.end_time < before
        )
        async with self._database.writing() as session:
            connection = await session.connection()
            ids = (await connection.execute(old.order_by(MATCH_REPORT.c.end_time).limit(_BATCH))).scalars().all()
            for table in (REPORT_PLAYER, MATCH_REPORT):
                await connection.execute(sa.delete(table).where(table.c.match_id.in_(ids)))
            return len(ids)


async def _pseudonym_of(connection: AsyncConnection, player_id: str) -> str:
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    row = {"player_id": player_id, "pseudonym": None}
    await connection.execute(insert(DELETED_PLAYER).values(row).on_conflict_do_nothing())
    mine = DELETED_PLAYER.c.player_id == player_id
    query = sa.select(DELETED_PLAYER.c.pseudonym).where(mine).with_for_update()
    pseudonym: str | None = (await connection.execute(query)).scalar_one()
    if pseudonym is None:
        pseudonym = new_pseudonym()
        await connection.execute(sa.update(DELETED_PLAYER).where(mine).values(pseudonym=pseudonym))
    return pseudonym
