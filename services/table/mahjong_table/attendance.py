"""Who has come to a table of quick play, and for whom a computer stands in until they do."""

from collections.abc import Collection

from mahjong_engine.tile import Seat
from mahjong_engine.wall import NO_NONCE
from mahjong_table.core.state import TableState
from mahjong_table.core.terms import TableKind

_QUICK_PLAY = frozenset({TableKind.RATED, TableKind.CASUAL})
"""Elsewhere people know each other, or are alone: they wait as long as they like."""


class Attendance:
    """The arrivals at one table. Whoever has watched it or given a nonce has come, and is never waited for again.

    It is not in the log: a worker that takes the table over waits anew, and blames nobody.
    """

    __slots__ = ("_deadline", "_is_excused", "_missing", "_window_ms", "stand_ins")

    def __init__(self, state: TableState, window_ms: int) -> None:
        is_waiting = state.terms.kind in _QUICK_PLAY and window_ms > 0
        people = state.terms.people if is_waiting else ()
        self._missing = {seat for seat in people if not _has_given_nonce(state, seat)}
        self._window_ms = window_ms
        self._deadline: int | None = None
        self._is_excused = state.sequence > 0
        self.stand_ins: frozenset[Seat] = frozenset()
        """Seats for which a computer decides."""

    @property
    def next_at(self) -> int | None:
        """When the time to come is over for somebody."""
        return self._deadline if self._missing else None

    def start(self, now: int) -> None:
        """Lets the time to come begin."""
        self._deadline = now + self._window_ms

    def excuse(self) -> None:
        """Blames nobody who comes late from now on: there was an outage of ours."""
        self._is_excused = True

    def came(self, seats: Collection[Seat]) -> None:
        """Takes note of people who are there."""
        if self._missing or self.stand_ins:
            self._missing.difference_update(seats)
            self.stand_ins = self.stand_ins.difference(seats)

    def due(self, state: TableState, now: int) -> frozenset[Seat]:
        """Lets computers stand in for those whose time to come is over; returns whom to report for it, once."""
        if not self._missing or self._deadline is None or now < self._deadline:
            return frozenset()
        self.came([seat for seat in self._missing if _has_given_nonce(state, seat)])
        late = frozenset(self._missing)
        self._missing.clear()
        self.stand_ins |= late
        return frozenset() if self._is_excused else late


def _has_given_nonce(state: TableState, seat: Seat) -> bool:
    return state.nonces[seat] not in (None, NO_NONCE)
