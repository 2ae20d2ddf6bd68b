"""Ratings in SQL. One match is one transaction: its key, its history and its ratings stand together or not at all."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database
from mahjong_rating.model import MODEL_VERSION, Skill
from mahjong_rating.report import Outcome, Report, SeatScore
from mahjong_rating.standing import Change, Standing
from mahjong_rating.tables import MATCH_REPORT, RATING, RATING_CHANGE


class StoredReport(NamedTuple):
    """A report as it stands, and what was done with it then."""

    report: Report
    outcome: Outcome


class RatingStore:
    """The service's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def writing(self) -> AsyncIterator["ReportTransaction"]:
        """Gives the transaction of one report; it commits at the end of the block, unless it raises."""
        async with self._database.writing() as session:
            yield ReportTransaction(await session.connection())

    async def find_report(self, match_id: str) -> StoredReport | None:
        """Returns the report of a match, or None if there was none yet."""
        async with self._database.reading() as session:
            return await _find_report(await session.connection(), match_id)

    async def list_changes(self, match_id: str) -> tuple[Change, ...]:
        """Returns what a match did, best place first; nothing if it was not applied."""
        query = sa.select(RATING_CHANGE).where(RATING_CHANGE.c.match_id == match_id).order_by(RATING_CHANGE.c.sequence)
        return tuple(map(_change, await self._list(query)))

    async def list_standings(self, rule_set: str, player_ids: Collection[str]) -> dict[str, Standing]:
        """Returns the standings of players by their ids; those without a rated match are left out."""
        query = sa.select(RATING).where(RATING.c.rule_set == rule_set, RATING.c.player_id.in_(player_ids))
        return {row["player_id"]: _standing(row) for row in await self._list(query)}

    async def _list(self, query: sa.Select[Any]) -> list[sa.RowMapping]:
        async with self._database.reading() as session:
            result = await (await session.connection()).execute(query)
        return list(result.mappings())


class ReportTransaction:
    """The transaction in which one report is applied."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert_report(self, report: Report, now: datetime) -> bool:
        """Inserts the report unless its match has one; waits for a transaction that is about to insert it.

        Returns:
            Whether it was inserted: only then may the match be rated.
        """
        row = {
            "match_id": report.match_id,
            "rule_set": report.rule_set,
            "table_kind": report.table_kind,
            "seats": [[seat.player_id, seat.computer, seat.score] for seat in report.seats],
            "end_time": report.end_time,
            "outcome": report.outcome.value,
            "report_time": now,
        }
        statement = self._insert_missing(MATCH_REPORT, [row]).returning(MATCH_REPORT.c.match_id)
        return (await self._connection.execute(statement)).first() is not None

    async def find_report(self, match_id: str) -> StoredReport | None:
        """Returns the report that stands."""
        return await _find_report(self._connection, match_id)

    async def lock_standings(self, rule_set: str, player_ids: Collection[str]) -> dict[str, Standing]:
        """Returns the standings of players and keeps them from changing until the end of the transaction.

        Rows are made where there are none, so that there is something to lock; everything is done in the order of the
        ids, so that two matches with common players wait for each other in one direction only.
        """
        ordered = sorted(player_ids)
        new = Skill()
        rows = [
            {"rule_set": rule_set, "player_id": player_id, "mu": new.mu, "sigma": new.sigma, "match_count": 0}
            for player_id in ordered
        ]
        await self._connection.execute(self._insert_missing(RATING, rows))
        query = (
            sa.select(RATING)
            .where(RATING.c.rule_set == rule_set, RATING.c.player_id.in_(ordered))
            .order_by(RATING.c.player_id)
            .with_for_update()
        )
        return {row["player_id"]: _standing(row) for row in (await self._connection.execute(query)).mappings()}

    async def write_changes(self, report: Report, changes: Sequence[Change]) -> None:
        """Writes the history of a match, best place first, and the standings after it."""
        history = [
            {
                "match_id": report.match_id,
                "player_id": change.after.player_id,
                "rule_set": report.rule_set,
                "place": change.place,
                "score": change.score,
                "mu_before": change.before.skill.mu,
                "sigma_before": change.before.skill.sigma,
                "match_count_before": change.before.match_count,
                "mu_after": change.after.skill.mu,
                "sigma_after": change.after.skill.sigma,
                "model_version": MODEL_VERSION,
            }
            for change in changes
        ]
        await self._connection.execute(sa.insert(RATING_CHANGE), history)
        for change in changes:
            await self._connection.execute(
                sa.update(RATING)
                .where(RATING.c.rule_set == report.rule_set, RATING.c.player_id == change.after.player_id)
                .values(mu=change.after.skill.mu, sigma=change.after.skill.sigma, match_count=change.after.match_count)
            )

    def _insert_missing(self, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> sa.Insert:
        if self._connection.dialect.name == "postgresql":
            return postgresql.insert(table).values(rows).on_conflict_do_nothing()
        return sqlite.insert(table).values(rows).on_conflict_do_nothing()


async def _find_report(connection: AsyncConnection, match_id: str) -> StoredReport | None:
    query = sa.select(MATCH_REPORT).where(MATCH_REPORT.c.match_id == match_id)
    row = (await connection.execute(query)).mappings().one_or_none()
    if row is None:
        return None
    seats = tuple(SeatScore(player_id, computer, score) for player_id, computer, score in row["seats"])
    report = Report(row["match_id"], row["rule_set"], row["table_kind"], seats, row["end_time"])
    return StoredReport(report, Outcome(row["outcome"]))


def _standing(row: sa.RowMapping) -> Standing:
    return Standing(row["player_id"], Skill(row["mu"], row["sigma"]), row["match_count"])


def _change(row: sa.RowMapping) -> Change:
    player_id, count = row["player_id"], row["match_count_before"]
    return Change(
        place=row["place"],
        score=row["score"],
        before=Standing(player_id, Skill(row["mu_before"], row["sigma_before"]), count),
        after=Standing(player_id, Skill(row["mu_after"], row["sigma_after"]), count + 1),
    )
