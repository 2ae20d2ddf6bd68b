"""Ratings in SQL."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa

from mahjong_kit.sql import Database
from mahjong_rating.board import Board, Placing
from mahjong_rating.history import HistoryEntry, HistoryList, history_query
from mahjong_rating.rows import StoredReport, change_of, find_report, season_standing_of, standing_of
from mahjong_rating.standing import Change, SeasonStanding, Standing
from mahjong_rating.tables import RATING, RATING_CHANGE, SEASON_RATING
from mahjong_rating.transaction import ReportTransaction


class RatingStore:
    """The service's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[ReportTransaction]:
        """Gives the transaction of one report; it commits at the end of the block, unless it raises."""
        async with self._database.writing() as session:
            yield ReportTransaction(await session.connection())

    async def find_report(self, match_id: str) -> StoredReport | None:
        """Returns the report of a match, or None if there was none yet."""
        async with self._database.reading() as session:
            return await find_report(await session.connection(), match_id)

    async def list_changes(self, match_id: str) -> tuple[Change, ...]:
        """Returns what a match did, best place first; nothing if it was not applied."""
        query = sa.select(RATING_CHANGE).where(RATING_CHANGE.c.match_id == match_id).order_by(RATING_CHANGE.c.sequence)
        return tuple(map(change_of, await self._list(query)))

    async def list_standings(self, rule_set: str, player_ids: Collection[str]) -> dict[str, Standing]:
        """Returns the standings of players by their ids; those without a rated match are left out."""
        query = sa.select(RATING).where(RATING.c.rule_set == rule_set, RATING.c.player_id.in_(player_ids))
        return {row["player_id"]: standing_of(row) for row in await self._list(query)}

    async def find_season_standing(self, rule_set: str, player_id: str, season: int) -> SeasonStanding | None:
        """Returns where a player stood at the end of a season: after the last match of it, or of an earlier one."""
        mine = SEASON_RATING.c
        query = sa.select(SEASON_RATING).where(
            mine.player_id == player_id, mine.rule_set == rule_set, mine.season <= season
        )
        rows = await self._list(query.order_by(mine.season.desc()).limit(1))
        return season_standing_of(rows[0]) if rows else None

    async def find_placing(self, rule_set: str, season: int, standing: SeasonStanding) -> Placing:
        """Returns the place that a standing of a season has on its leaderboard."""
        async with self._database.reading() as session:
            return await Board(await session.connection(), rule_set, season).placing(standing.shown)

    async def count_listed(self, rule_set: str, season: int) -> int:
        """Returns how many players a leaderboard has."""
        async with self._database.reading() as session:
            return await Board(await session.connection(), rule_set, season).count()

    async def list_board(
        self, rule_set: str, season: int, after: tuple[int, str] | None, count: int
    ) -> tuple[list[Placing], int]:
        """Returns a part of a leaderboard, best first, and how many players the whole of it has.

        Args:
            rule_set: its rule set.
            season: its season.
            after: shown rating and id of the player before the first one to return; None begins with the best.
            count: how many, at most.
        """
        async with self._database.reading() as session:
            board = Board(await session.connection(), rule_set, season)
            return await board.page(after, count), await board.count()

    async def list_history(self, listed: HistoryList, before: int | None, count: int) -> list[HistoryEntry]:
        """Returns matches of a player, the last one applied first, from the one before a sequence on."""
        rows = await self._list(history_query(listed, before, count))
        ids = [row["match_id"] for row in rows]
        query = sa.select(RATING_CHANGE).where(RATING_CHANGE.c.match_id.in_(ids)).order_by(RATING_CHANGE.c.sequence)
        changes: dict[str, list[Change]] = {match_id: [] for match_id in ids}
        for row in await self._list(query):
            changes[row["match_id"]].append(change_of(row))
        return [HistoryEntry.of(row, listed.player_id, changes[row["match_id"]]) for row in rows]

    async def first_season(self, rule_set: str) -> int | None:
        """Returns the first season with a rated match; None if there was none."""
        query = sa.select(sa.func.min(SEASON_RATING.c.season)).where(SEASON_RATING.c.rule_set == rule_set)
        async with self._database.reading() as session:
            first: int | None = (await (await session.connection()).execute(query)).scalar()
        return first

    async def _list(self, query: sa.Select[Any]) -> list[sa.RowMapping]:
        async with self._database.reading() as session:
            result = await (await session.connection()).execute(query)
        return list(result.mappings())
