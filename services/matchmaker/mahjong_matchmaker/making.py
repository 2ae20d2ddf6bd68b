"""From a planned match to its table, however often the table service has to be asked."""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import grpc

from mahjong_kit.errors import reason_of
from mahjong_kit.log import get_logger
from mahjong_matchmaker.seating import PlannedMatch
from mahjong_matchmaker.tables import LiveTable, NoCapacityError, RefusedError, SeatedElsewhereError, Tables
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

_PAUSE_FIRST_S: Final = 0.1
_PAUSE_LONGEST_S: Final = 2.0
FAULTS_MAX: Final = 20
"""Faults of the table service in a row after which a match is given up, if it has no table: about half a minute."""
_FAULT: Final = ErrorReason.Name(ErrorReason.ERROR_REASON_INTERNAL)

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
    pause_s, faults = _PAUSE_FIRST_S, 0
    while True:
        try:
            return await (_look_for_table if faults >= FAULTS_MAX else _attempt)(tables, match)
        except grpc.aio.AioRpcError as error:
            faults = faults + 1 if reason_of(error) == _FAULT else 0
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
        return GivenUp(_everybody(match))
    except SeatedElsewhereError:
        return await _without_the_seated(tables, match)


async def _without_the_seated(tables: Tables, match: PlannedMatch) -> Made | GivenUp:
    seated = await tables.find_all(_everybody(match))
    return _made_among(seated, match) or GivenUp(frozenset(seated))


async def _look_for_table(tables: Tables, match: PlannedMatch) -> Made | GivenUp:
    _log.error("match.failed", match_id=match.match_id)
    return _made_among(await tables.find_all(_everybody(match)), match) or GivenUp(_everybody(match))


def _made_among(seated: Mapping[str, LiveTable], match: PlannedMatch) -> Made | None:
    """Returns the table of the match if somebody sits at it: its making was not told."""
    return next((Made(table.table_id) for table in seated.values() if table.match_id == match.match_id), None)


def _everybody(match: PlannedMatch) -> frozenset[str]:
    return frozenset(player.player_id for player in match.players)
