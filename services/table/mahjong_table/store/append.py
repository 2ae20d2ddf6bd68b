"""What tables add to the database in one commit."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from mahjong_engine.tile import Seat
from mahjong_table.core.entry import Entry
from mahjong_table.core.terms import Terms


@dataclass(frozen=True, slots=True)
class Report:
    """A message that another service is to get. `kind` names the call."""

    kind: str
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class FinalView:
    """What one person at an ended table is shown from now on."""

    seat: Seat
    player_id: str
    sequence: int
    snapshot: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Append:
    """The entries of one table that are committed together, with all that follows from them."""

    table_id: str
    terms: Terms
    shard: int
    epoch: int
    entries: Sequence[Entry]
    load_sequence: int | None = None
    """Sequence of the newest entry that starts a hand, if there is one."""
    reports: Sequence[Report] = ()
    final_views: Sequence[FinalView] = ()
    """Not empty if the match is over with these entries."""
