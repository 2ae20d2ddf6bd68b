"""Who has come to a table: not in its log, for nothing that happens there depends on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mahjong_kit.sql_driver import Statement, SteppedTransaction, Steps

_CAME: Final = "UPDATE seated SET came_at = $1 WHERE player_id = $2 AND table_id = $3"

Arrival = tuple[str, str]
"""A player, and the table that it has come to."""


@dataclass(frozen=True, slots=True)
class NoteArrivals(SteppedTransaction[None]):
    """Notes arrivals. Those at tables that have ended meanwhile are nothing any more."""

    arrivals: Sequence[Arrival]
    now: int

    def steps(self, share_lock: str) -> Steps[None]:  # noqa: ARG002 - nothing is read
        """Goes through the transaction."""
        for player_id, table_id in self.arrivals:
            yield Statement(_CAME, (self.now, player_id, table_id))
