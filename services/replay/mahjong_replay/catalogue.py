"""The queries of the lists of matches."""

import sqlalchemy as sa

from mahjong_replay.filters import MatchFilter, MatchList
from mahjong_replay.page import Position
from mahjong_replay.tables import HAND_AWARD, MATCH, MATCH_PLAYER


def list_query(listed: MatchList, after: Position | None, count: int) -> sa.Select[tuple[object, ...]]:
    """Returns the query of a page: newest first, matches of one moment by falling ids.

    It walks the index of the player's matches from the position on and looks everything else up by primary keys.
    """
    mine = MATCH_PLAYER.c
    query = (
        sa.select(MATCH)
        .join(MATCH_PLAYER, mine.match_id == MATCH.c.match_id)
        .where(mine.player_id == listed.player_id, mine.end_time.is_not(None), *_conditions(listed))
        .order_by(mine.end_time.desc(), mine.match_id.desc())
        .limit(count)
    )
    if after is not None:
        query = query.where(sa.tuple_(mine.end_time, mine.match_id) < sa.tuple_(after.end_time, after.match_id))
    return query


def _conditions(listed: MatchList) -> list[sa.ColumnElement[bool]]:
    chosen = listed.filter
    conditions: list[sa.ColumnElement[bool]] = []
    if listed.reader_id != listed.player_id:
        conditions.append(sa.or_(MATCH.c.table_kind == "rated", _played_by(listed.reader_id)))
    if chosen.rule_set is not None:
        conditions.append(MATCH.c.rule_set == chosen.rule_set)
    if chosen.table_kind is not None:
        conditions.append(MATCH.c.table_kind == chosen.table_kind)
    if chosen.from_time is not None:
        conditions.append(MATCH_PLAYER.c.end_time >= chosen.from_time)
    if chosen.until_time is not None:
        conditions.append(MATCH_PLAYER.c.end_time < chosen.until_time)
    if chosen.opponent_id is not None:
        conditions.append(_played_by(chosen.opponent_id))
    if chosen.award is not None:
        conditions.append(_won_with(chosen, listed.player_id))
    return conditions


def _played_by(player_id: str) -> sa.ColumnElement[bool]:
    other = MATCH_PLAYER.alias()
    return sa.exists().where(other.c.player_id == player_id, other.c.match_id == MATCH.c.match_id)


def _won_with(chosen: MatchFilter, player_id: str) -> sa.ColumnElement[bool]:
    won = sa.exists().where(HAND_AWARD.c.match_id == MATCH.c.match_id, HAND_AWARD.c.award == chosen.award)
    return won.where(HAND_AWARD.c.player_id == player_id) if chosen.won_by_player else won
