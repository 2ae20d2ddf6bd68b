"""The transaction that opens tables, several at a time: a commit costs the same for one as for many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from mahjong_kit.sql_driver import Statement, SteppedTransaction, Steps
from mahjong_table.core.state import Opening
from mahjong_table.core.terms import Terms

_KNOWN: Final = "SELECT table_id, terms FROM game_table WHERE match_id = $1"
_EPOCH: Final = "SELECT epoch FROM shard WHERE shard = $1"
_ELSEWHERE: Final = "SELECT table_id FROM seated WHERE player_id = $1 AND match_id <> $2"
_OPEN: Final = (
    "INSERT INTO game_table (table_id, match_id, shard, terms, server_seed, opened_at, nonce_window_ms,"
    " result_window_ms, load_sequence) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)"
)
_SEAT: Final = "INSERT INTO seated (player_id, table_id, match_id, came_at) VALUES ($1, $2, $3, 0)"


class MatchIdReusedError(Exception):
    """The match has a table with other terms."""


class AlreadySeatedError(Exception):
    """A player sits at another live table."""

    def __init__(self, table_id: str) -> None:
        super().__init__(table_id)
        self.table_id = table_id


class CapacityError(Exception):
    """The worker takes no further table."""


class FencedError(Exception):
    """Another worker owns the shard."""


OpeningError = MatchIdReusedError | AlreadySeatedError | CapacityError | FencedError


@dataclass(frozen=True, slots=True)
class Wanted:
    """A table that is to be opened."""

    opening: Opening
    shard: int
    epoch: int
    """Epoch under which this worker owns the shard."""
    is_full: bool
    """Whether the worker takes no further table; one that is there already is found all the same."""


@dataclass(frozen=True, slots=True)
class OpenTables(SteppedTransaction[Sequence[str | OpeningError]]):
    """Opens tables one by one; each comes to the id of its match's table, old or new, or to what is in its way."""

    wanted: Sequence[Wanted]

    def steps(self, share_lock: str) -> Steps[Sequence[str | OpeningError]]:
        """Goes through the transaction."""
        outcomes: list[str | OpeningError] = []
        for wanted in self.wanted:
            outcomes.append((yield from _open(wanted, share_lock)))  # noqa: PERF401 - it can't stand in a comprehension
        return outcomes


def _open(wanted: Wanted, share_lock: str) -> Steps[str | OpeningError]:
    terms, opening = wanted.opening.terms, wanted.opening
    text = terms_text(terms)
    if known := (yield Statement(_KNOWN, (terms.match_id,))):
        table_id, known_text = known[0]
        return str(table_id) if known_text == text else MatchIdReusedError()
    for player_id in _players(terms):
        if elsewhere := (yield Statement(_ELSEWHERE, (player_id, terms.match_id))):
            return AlreadySeatedError(elsewhere[0][0])
    if wanted.is_full:
        return CapacityError()
    epochs = yield Statement(_EPOCH + share_lock, (wanted.shard,))
    if [epoch for (epoch,) in epochs] != [wanted.epoch]:
        return FencedError()
    row = (
        opening.table_id,
        terms.match_id,
        wanted.shard,
        text,
        opening.server_seed,
        opening.opened_at,
        opening.nonce_window_ms,
        opening.result_window_ms,
    )
    yield Statement(_OPEN, row)
    for player_id in _players(terms):
        yield Statement(_SEAT, (player_id, opening.table_id, terms.match_id))
    return opening.table_id


def _players(terms: Terms) -> list[str]:
    return [player_id for occupant in terms.occupants if (player_id := occupant.player_id) is not None]


def terms_text(terms: Terms) -> str:
    """Returns the terms as they are stored; equal terms have equal text."""
    return orjson.dumps(terms.as_json(), option=orjson.OPT_SORT_KEYS).decode()
