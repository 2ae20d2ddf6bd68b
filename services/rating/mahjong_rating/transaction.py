"""One match is one transaction: its key, its history and its ratings stand together or not at all."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_rating.model import MODEL_VERSION, Skill
from mahjong_rating.pseudonym import is_pseudonym, new_pseudonym
from mahjong_rating.report import Report
from mahjong_rating.rows import StoredReport, find_report, season_row, season_standing_of, standing_of
from mahjong_rating.season import season_of
from mahjong_rating.standing import Change, Standing, season_standing
from mahjong_rating.tables import (
    DELETED_PLAYER,
    MATCH_REPORT,
    PLAYER_NAME,
    RATING,
    RATING_CHANGE,
    REPORT_PLAYER,
    SEASON_RATING,
)


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
        if (await self._connection.execute(statement)).first() is None:
            return False
        people = [player_id for player_id in report.scores if not is_pseudonym(player_id)]
        if people:
            rows = [{"player_id": player_id, "match_id": report.match_id} for player_id in people]
            await self._connection.execute(sa.insert(REPORT_PLAYER), rows)
        return True

    async def find_report(self, match_id: str) -> StoredReport | None:
        """Returns the report that stands."""
        return await find_report(self._connection, match_id)

    async def pseudonyms(self, player_ids: Collection[str]) -> dict[str, str]:
        """Returns what stands for those players whose accounts were deleted."""
        deleted = sa.select(DELETED_PLAYER).where(DELETED_PLAYER.c.player_id.in_(player_ids))
        rows = (await self._connection.execute(deleted)).mappings()
        return {row["player_id"]: row["pseudonym"] or new_pseudonym() for row in rows}

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
        return {row["player_id"]: standing_of(row) for row in (await self._connection.execute(query)).mappings()}

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

    async def write_season(self, report: Report, changes: Sequence[Change]) -> None:
        """Writes where the players of a match stand in its season, and the names that they played under."""
        season = season_of(report.end_time).number
        ids = [change.after.player_id for change in changes if not is_pseudonym(change.after.player_id)]
        query = sa.select(SEASON_RATING).where(
            SEASON_RATING.c.rule_set == report.rule_set,
            SEASON_RATING.c.season == season,
            SEASON_RATING.c.player_id.in_(ids),
        )
        found = (await self._connection.execute(query)).mappings()
        before = {row["player_id"]: season_standing_of(row) for row in found}
        after = [
            season_standing(before.get(change.after.player_id), change, season)
            for change in changes
            if change.after.player_id in ids
        ]
        if after:
            await self._upsert(SEASON_RATING, [season_row(report.rule_set, standing) for standing in after])
        names = [{"player_id": player_id, "display_name": report.names[player_id]} for player_id in sorted(ids)]
        if names:
            await self._upsert(PLAYER_NAME, names)

    async def _upsert(self, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
        statement = self._insert(table).values(rows)
        keys = list(table.primary_key.columns)
        changed = {column.name: statement.excluded[column.name] for column in table.columns if column not in keys}
        await self._connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changed))

    def _insert_missing(self, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> postgresql.Insert | sqlite.Insert:
        return self._insert(table).values(rows).on_conflict_do_nothing()

    def _insert(self, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
        return postgresql.insert(table) if self._connection.dialect.name == "postgresql" else sqlite.insert(table)
