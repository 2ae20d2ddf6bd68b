"""Matches and hands in SQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import sqlalchemy as sa

from mahjong_kit.sql import Database
from mahjong_replay.catalogue import list_query
from mahjong_replay.codec import UnreadableRecordError, unpack
from mahjong_replay.filters import MatchList
from mahjong_replay.intake import Intake
from mahjong_replay.page import Position
from mahjong_replay.rows import award_rows, match_of, summary_of
from mahjong_replay.tables import HAND, HAND_AWARD, MATCH
from mahjong_replay.terms import HandSummary, Match, WonAward
from mahjong_replay.verification import Finding

_SUMMARY = [column for column in HAND.columns if column.name not in ("record", "packing")]


class PlayedMatch(NamedTuple):
    """A whole match, to be verified."""

    match: Match
    records: tuple[bytes | None, ...]
    """As reported, by hand number; None for one that is damaged."""

    @property
    def hand_count(self) -> int:
        """Hands that can be played again."""
        return sum(record is not None for record in self.records)


class ReplayStore:
    """The service's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def intake(self) -> AsyncIterator[Intake]:
        """Gives the transaction of one report; it commits at the end of the block, unless it raises."""
        async with self._database.writing() as session:
            yield Intake(await session.connection())

    async def find_match(self, match_id: str) -> Match | None:
        """Returns a match, or None if nothing of it was reported."""
        rows = await self._list(sa.select(MATCH).where(MATCH.c.match_id == match_id))
        return match_of(rows[0]) if rows else None

    async def list_matches(self, listed: MatchList, after: Position | None, count: int) -> list[Match]:
        """Returns matches of a list, newest first, those of one moment by falling ids."""
        return [match_of(row) for row in await self._list(list_query(listed, after, count))]

    async def list_summaries(self, match_id: str) -> list[HandSummary]:
        """Returns what may be shown of the hands of a match, by their numbers."""
        query = sa.select(*_SUMMARY).where(HAND.c.match_id == match_id).order_by(HAND.c.hand_number)
        return [summary_of(row) for row in await self._list(query)]

    async def list_awards(self, match_id: str) -> list[WonAward]:
        """Returns what the winners of a match were given, by hand, seat and name; nothing until it is verified."""
        columns = HAND_AWARD.c.hand_number, HAND_AWARD.c.seat, HAND_AWARD.c.award
        query = sa.select(*columns).where(HAND_AWARD.c.match_id == match_id).order_by(*columns)
        return [WonAward(row["hand_number"], row["seat"], row["award"]) for row in await self._list(query)]

    async def find_record(self, match_id: str, hand_number: int) -> bytes | None:
        """Returns the record of a hand as it was reported, or None if there is no such hand.

        Raises:
            UnreadableRecordError: it is damaged.
            RecordTooNewError: a later release stored it.
        """
        rows = await self._list_packed(HAND.c.match_id == match_id, HAND.c.hand_number == hand_number)
        return unpack(*rows[0]) if rows else None

    async def list_due(self, after: str, count: int) -> list[str]:
        """Returns matches that are to be verified, by rising ids, from the one after an id on."""
        due = MATCH.c.verification == sa.literal_column("'due'"), MATCH.c.match_id > after
        query = sa.select(MATCH.c.match_id).where(*due).order_by(MATCH.c.match_id).limit(count)
        return [row["match_id"] for row in await self._list(query)]

    async def find_played(self, match_id: str) -> PlayedMatch | None:
        """Returns a whole match, or None if there is none.

        Raises:
            RecordTooNewError: a later release stored it.
        """
        match = await self.find_match(match_id)
        if match is None:
            return None
        return PlayedMatch(
            match, tuple(_readable(*row) for row in await self._list_packed(HAND.c.match_id == match_id))
        )

    async def write_verification(self, match_id: str, finding: Finding) -> None:
        """Writes what was found in a match in place of what was found before; nothing if it was deleted meanwhile."""
        flaws = [[flaw.hand_number, flaw.reason, flaw.decision, flaw.message] for flaw in finding.flaws]
        values = {"verification": "failed" if flaws else "verified", "flaws": flaws or None}
        async with self._database.writing() as session:
            connection = await session.connection()
            found = sa.select(MATCH).where(MATCH.c.match_id == match_id).with_for_update()
            row = (await connection.execute(found)).mappings().one_or_none()
            if row is None:
                return
            await connection.execute(sa.update(MATCH).where(MATCH.c.match_id == match_id).values(values))
            await connection.execute(sa.delete(HAND_AWARD).where(HAND_AWARD.c.match_id == match_id))
            if awards := award_rows(match_of(row).terms, finding.awards):
                await connection.execute(sa.insert(HAND_AWARD), awards)

    async def _list_packed(self, *conditions: sa.ColumnElement[bool]) -> list[tuple[bytes, int]]:
        query = sa.select(HAND.c.record, HAND.c.packing).where(*conditions).order_by(HAND.c.hand_number)
        return [(row["record"], row["packing"]) for row in await self._list(query)]

    async def _list(self, query: sa.Select[Any]) -> list[sa.RowMapping]:
        async with self._database.reading() as session:
            result = await (await session.connection()).execute(query)
        return list(result.mappings())


def _readable(packed: bytes, packing: int) -> bytes | None:
    try:
        return unpack(packed, packing)
    except UnreadableRecordError:
        return None
