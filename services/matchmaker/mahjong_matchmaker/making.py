"""From a planned match to its table, however often the table service has to be asked."""

import asyncio
import random
from dataclasses import dataclass
from typing import Final

import grpc

from mahjong_kit.log import get_logger
from mahjong_matchmaker.seating import PlannedMatch
from mahjong_matchmaker.tables import LiveTable, NoCapacityError, RefusedError, SeatedElsewhereError, Tables

_PAUSE_FIRST_S: Final = 0.1
_PAUSE_LONGEST_S: Final = 2.0

_log = get_logger()


@dataclass(frozen=True, slots=True)
class Made:
    """The match has its table."""

    table_id: str


@dataclass(frozen=True, slots=True)
class GivenUp:
    """There is no table and will be none for this match."""

    dropped: frozenset[str]
    """Players who do not go back into the pool."""
    rest_s: float = 0.0
    """How long the pool shall wait before its next match."""


async def make_table(tables: Tables, match: PlannedMatch) -> Made | GivenUp:
    """Makes the table of a match; tries until it is known whether there is one.

    A second call for the same match, by this process or another, comes to the same table.
    """
    pause_s = _PAUSE_FIRST_S
    while True:
        try:
            return await _attempt(tables, match)
        except grpc.aio.AioRpcError as error:
            _log.warning("match.delayed", match_id=match.match_id, code=error.code().name, problem=error.details())
        await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
        pause_s = min(pause_s * 2, _PAUSE_LONGEST_S)


async def _attempt(tables: Tables, match: PlannedMatch) -> Made | GivenUp:
    try:
        return Made(await tables.create(match.request))
    except NoCapacityError as error:
        return GivenUp(frozenset(), error.retry_after_s)
    except RefusedError as error:
        _log.error("match.refused", match_id=match.match_id, problem=str(error))
        return GivenUp(frozenset(player.player_id for player in match.players))
    except SeatedElsewhereError:
        return await _without_the_seated(tables, match)


async def _without_the_seated(tables: Tables, match: PlannedMatch) -> Made | GivenUp:
    seated: dict[str, LiveTable] = {}
    for player in match.players:
        table = await tables.find(player.player_id)
        if table is not None and table.match_id == match.match_id:
            return Made(table.table_id)
        if table is not None:
            seated[player.player_id] = table
    return GivenUp(frozenset(seated))
