"""Leaderboards: who is listed in a season, by shown rating."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_rating.rows import season_standing_of
from mahjong_rating.standing import SeasonStanding
from mahjong_rating.tables import PLAYER_NAME, SEASON_RATING


class Placing(NamedTuple):
    """Where a rating lies on a leaderboard."""

    rank: int
    """From 1; equal ratings share the better rank."""
    percentile: float
    """Share of the other players listed with a lower rating, in percent; 100 if there are no others."""
    listed_count: int
    standing: SeasonStanding | None = None
    """Whose line it is, on a page of the board."""
    display_name: str = ""


class Board:
    """One leaderboard, read by one connection: every question is a range of one index."""

    def __init__(self, connection: AsyncConnection, rule_set: str, season: int) -> None:
        self._connection = connection
        line = SEASON_RATING.c
        self._listed = sa.and_(line.rule_set == rule_set, line.season == season, line.listed == sa.true())

    async def count(self, *conditions: sa.ColumnElement[bool]) -> int:
        """Returns how many players are listed, or how many of them there are under some conditions."""
        query = sa.select(sa.func.count()).select_from(SEASON_RATING).where(self._listed, *conditions)
        return int((await self._connection.execute(query)).scalar_one())

    async def placing(self, shown: int) -> Placing:
        """Returns where a rating lies that is on the board."""
        listed = await self.count()
        better, equal = (
            await self.count(SEASON_RATING.c.shown > shown),
            await self.count(SEASON_RATING.c.shown == shown),
        )
        return _placing(better, equal, listed)

    async def page(self, after: tuple[int, str] | None, count: int) -> list[Placing]:
        """Returns lines of the board, best first, equal ratings by rising ids, from the one after a line on."""
        line = SEASON_RATING.c
        query = (
            sa.select(SEASON_RATING, PLAYER_NAME.c.display_name)
            .outerjoin(PLAYER_NAME, PLAYER_NAME.c.player_id == line.player_id)
            .where(self._listed)
            .order_by(line.shown.desc(), line.player_id)
            .limit(count)
        )
        if after is not None:
            shown, player_id = after
            query = query.where(sa.or_(line.shown < shown, sa.and_(line.shown == shown, line.player_id > player_id)))
        rows = (await self._connection.execute(query)).mappings().all()
        return await self._placed(rows) if rows else []

    async def _placed(self, rows: Sequence[sa.RowMapping]) -> list[Placing]:
        """Returns the lines of rows. Only equals of the first and the last may lie on other pages: they are counted."""
        listed, better = await self.count(), await self.count(SEASON_RATING.c.shown > rows[0]["shown"])
        placings: list[Placing] = []
        for shown, group in groupby(rows, key=lambda row: row["shown"]):
            lines = list(group)
            is_whole = shown not in (rows[0]["shown"], rows[-1]["shown"])
            equal = len(lines) if is_whole else await self.count(SEASON_RATING.c.shown == shown)
            place = _placing(better, equal, listed)
            placings += [
                place._replace(standing=season_standing_of(row), display_name=row["display_name"] or "")
                for row in lines
            ]
            better += equal
        return placings


def _placing(better: int, equal: int, listed: int) -> Placing:
    others = listed - 1
    return Placing(1 + better, 100.0 if others < 1 else 100 * (listed - better - equal) / others, listed)
