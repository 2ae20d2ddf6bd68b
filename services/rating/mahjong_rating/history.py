"""The history of one player: which matches changed the rating, and by what."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from mahjong_rating.season import Season
from mahjong_rating.standing import Change
from mahjong_rating.tables import MATCH_REPORT, RATING_CHANGE


@dataclass(frozen=True, slots=True)
class HistoryList:
    """Whose history is listed."""

    rule_set: str
    player_id: str
    season: Season | None
    """None lists all."""

    @property
    def scope(self) -> str:
        """Names the list, for page tokens."""
        return f"history/{self.rule_set}/{self.player_id}/{self.season.number if self.season else 0}"


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One match of a history."""

    match_id: str
    end_time: datetime
    sequence: int
    """Grows in the order of application."""
    change: Change
    others: tuple[Change, ...]
    """Best place first."""

    @classmethod
    def of(cls, row: sa.RowMapping, player_id: str, changes: Sequence[Change]) -> "HistoryEntry":
        """Returns the entry of a match of a player, from its row and all that the match did."""
        (own,) = (change for change in changes if change.after.player_id == player_id)
        others = tuple(change for change in changes if change is not own)
        return cls(row["match_id"], row["end_time"], row["sequence"], own, others)


def history_query(listed: HistoryList, before: int | None, count: int) -> sa.Select[tuple[object, ...]]:
    """Returns the query of a page, the last match applied first."""
    mine = RATING_CHANGE.c
    query = (
        sa.select(mine.match_id, mine.sequence, MATCH_REPORT.c.end_time)
        .join(MATCH_REPORT, MATCH_REPORT.c.match_id == mine.match_id)
        .where(mine.player_id == listed.player_id, mine.rule_set == listed.rule_set)
        .order_by(mine.sequence.desc())
        .limit(count)
    )
    if before is not None:
        query = query.where(mine.sequence < before)
    if listed.season is not None:
        # What was before the first season counts for it.
        query = query.where(MATCH_REPORT.c.end_time < listed.season.end_time)
        if listed.season.number > 1:
            query = query.where(MATCH_REPORT.c.end_time >= listed.season.start_time)
    return query
