"""The transaction of one report: what it writes stands together or not at all."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_replay.codec import unpack
from mahjong_replay.rows import end_values, hand_row, match_of, match_row
from mahjong_replay.tables import DELETED_PLAYER, HAND, MATCH, MATCH_PLAYER
from mahjong_replay.terms import HandSummary, Match, MatchEnd, MatchTerms


class Intake:
    """One report on its way into the database; holds its match against other reports."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def lock_match(self, terms: MatchTerms) -> Match:
        """Returns the match as far as it was reported, made if nothing was; the terms may be other ones."""
        terms = terms.without(await self._deleted(terms.player_ids))
        inserted = self._insert_missing(MATCH, [match_row(terms)]).returning(MATCH.c.match_id)
        players = [{"player_id": player_id, "match_id": terms.match_id} for player_id in terms.player_ids]
        if (await self._connection.execute(inserted)).first() is not None and players:
            await self._connection.execute(sa.insert(MATCH_PLAYER), players)
        query = sa.select(MATCH).where(MATCH.c.match_id == terms.match_id).with_for_update()
        return match_of((await self._connection.execute(query)).mappings().one())

    async def insert_hand(self, match: Match, summary: HandSummary, record_json: bytes) -> bool:
        """Inserts a hand unless there is one of its number; returns whether it did."""
        statement = self._insert_missing(HAND, [hand_row(match.terms.match_id, summary, record_json)])
        result = await self._connection.execute(statement.returning(HAND.c.hand_number))
        if result.first() is None:
            return False
        await self._update(match, {"hands_stored": match.hands_stored + 1})
        return True

    async def find_record(self, match_id: str, hand_number: int) -> bytes:
        """Returns the record of a hand that is stored."""
        query = sa.select(HAND.c.record, HAND.c.packing).where(
            HAND.c.match_id == match_id, HAND.c.hand_number == hand_number
        )
        record, packing = (await self._connection.execute(query)).one()
        return unpack(record, packing)

    async def has_hand_from(self, match_id: str, hand_number: int) -> bool:
        """Whether a hand of this number or a higher one is stored."""
        query = sa.select(HAND.c.hand_number).where(HAND.c.match_id == match_id, HAND.c.hand_number >= hand_number)
        return (await self._connection.execute(query.limit(1))).first() is not None

    async def write_end(self, match: Match, end: MatchEnd) -> None:
        """Writes how the match ended."""
        await self._update(match, end_values(end))

    async def open_to_players(self, match: Match, end: MatchEnd) -> None:
        """Puts a match that is over into the lists of its players, and among those to be verified.

        One without a hand has nothing to show in a list.
        """
        await self._update(match, {"verification": "due"})
        if end.hand_count == 0:
            return
        await self._connection.execute(
            sa.update(MATCH_PLAYER).where(MATCH_PLAYER.c.match_id == match.terms.match_id).values(end_time=end.end_time)
        )

    async def _deleted(self, player_ids: Sequence[str]) -> list[str]:
        query = sa.select(DELETED_PLAYER.c.player_id).where(DELETED_PLAYER.c.player_id.in_(player_ids))
        return list((await self._connection.execute(query)).scalars())

    async def _update(self, match: Match, values: Mapping[str, Any]) -> None:
        await self._connection.execute(sa.update(MATCH).where(MATCH.c.match_id == match.terms.match_id).values(values))

    def _insert_missing(self, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> postgresql.Insert | sqlite.Insert:
        if self._connection.dialect.name == "postgresql":
            return postgresql.insert(table).values(rows).on_conflict_do_nothing()
        return sqlite.insert(table).values(rows).on_conflict_do_nothing()
