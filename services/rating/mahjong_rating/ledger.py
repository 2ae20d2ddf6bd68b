"""Reads everything that ratings rest on, in the order of application, as it stood at one moment."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database
from mahjong_rating.report import Outcome, Report
from mahjong_rating.rows import change_of, report_of, season_standing_of, standing_of
from mahjong_rating.standing import Change, SeasonStanding, Standing
from mahjong_rating.tables import MATCH_REPORT, RATING, RATING_CHANGE, SEASON_RATING

_PAGE: Final = 500


class Ledger:
    """One rule set, in one transaction."""

    def __init__(self, connection: AsyncConnection, rule_set: str) -> None:
        self._connection = connection
        self._rule_set = rule_set

    async def matches(self) -> AsyncIterator[list[tuple[Report, list[Change]]]]:
        """Yields the matches that changed ratings with what they did, some at a time, in the order of application.

        Matches with a common player were applied one after another, so their rows do not mix; the order of the others
        does not matter.
        """
        first = sa.func.min(RATING_CHANGE.c.sequence)
        mine = RATING_CHANGE.c.rule_set == self._rule_set
        order = sa.select(RATING_CHANGE.c.match_id).where(mine).group_by(RATING_CHANGE.c.match_id).order_by(first)
        ids = list((await self._connection.execute(order)).scalars())
        for start in range(0, len(ids), _PAGE):
            yield await self._page(ids[start : start + _PAGE])

    async def unrated(self) -> list[Report]:
        """Returns matches that were to be rated and have no history."""
        history = sa.exists().where(RATING_CHANGE.c.match_id == MATCH_REPORT.c.match_id)
        query = sa.select(MATCH_REPORT).where(
            MATCH_REPORT.c.rule_set == self._rule_set, MATCH_REPORT.c.outcome == Outcome.APPLIED.value, ~history
        )
        return [report_of(row).report for row in await self._rows(query)]

    async def ratings(self) -> dict[str, Standing]:
        """Returns all ratings by player."""
        rows = await self._rows(sa.select(RATING).where(RATING.c.rule_set == self._rule_set))
        return {row["player_id"]: standing_of(row) for row in rows}

    async def seasons(self) -> list[SeasonStanding]:
        """Returns the standings of all seasons."""
        rows = await self._rows(sa.select(SEASON_RATING).where(SEASON_RATING.c.rule_set == self._rule_set))
        return list(map(season_standing_of, rows))

    async def _page(self, ids: Sequence[str]) -> list[tuple[Report, list[Change]]]:
        reports = {
            row["match_id"]: report_of(row).report
            for row in await self._rows(sa.select(MATCH_REPORT).where(MATCH_REPORT.c.match_id.in_(ids)))
        }
        changes: dict[str, list[Change]] = {match_id: [] for match_id in ids}
        for row in await self._rows(sa.select(RATING_CHANGE).where(RATING_CHANGE.c.match_id.in_(ids))):
            changes[row["match_id"]].append(change_of(row))
        return [(reports[match_id], changes[match_id]) for match_id in ids]

    async def _rows(self, query: sa.Select[Any]) -> Sequence[sa.RowMapping]:
        rows: Sequence[sa.RowMapping] = (await self._connection.execute(query)).mappings().all()
        return rows


@asynccontextmanager
async def open_ledger(database: Database, rule_set: str) -> AsyncIterator[Ledger]:
    """Gives the ledger of a rule set; matches that are applied meanwhile are not in it."""
    async with database.reading() as session:
        connection = await session.connection()
        if connection.dialect.name == "postgresql":
            await connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        yield Ledger(connection, rule_set)
