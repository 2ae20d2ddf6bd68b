"""Who has come to a table of quick play, and for whom a computer stands in until they do."""

from collections.abc import Collection
from typing import Final

from mahjong_engine.tile import Seat
from mahjong_engine.wall import NO_NONCE
from mahjong_table.core.state import TableState
from mahjong_table.core.terms import TableKind

_QUICK_PLAY = frozenset({TableKind.RATED, TableKind.CASUAL})
"""Elsewhere people know each other, or are alone: they wait as long as they like."""
_BLAMED_MS: Final = 60 * 60 * 1000
"""Nobody is blamed for what is longer past."""


class Attendance:
    """The arrivals at one table. Whoever has watched it or given a nonce has come, and is never waited for again.

    Whoever is waited for has the whole time to come, without an interruption by us: after one it begins anew, in the
    hands of another worker too.
    """

    __slots__ = ("_deadline", "_missing", "_window_ms", "stand_ins")

    def __init__(self, state: TableState, window_ms: int, absent: Collection[Seat]) -> None:
        is_waiting = state.terms.kind in _QUICK_PLAY and window_ms > 0
        self._missing = {seat for seat in absent if is_waiting and not _has_given_nonce(state, seat)}
        self._window_ms = window_ms
        self._deadline: int | None = None
        self.stand_ins: frozenset[Seat] = frozenset()
        """Seats for which a computer decides."""

    @property
    def next_at(self) -> int | None:
        """When the time to come is over for somebody."""
        return self._deadline if self._missing else None

    def start(self, now: int) -> None:
        """Lets the time to come begin, or begin anew after an outage of ours."""
        self._deadline = now + self._window_ms

    def suspend(self) -> None:
        """Lets the time to come stand still until it begins anew: there is an outage of ours."""
        self._deadline = None

    def came(self, seats: Collection[Seat]) -> frozenset[Seat]:
        """Takes note of people who are there; returns those who have come for the first time."""
        if not self._missing and not self.stand_ins:
            return frozenset()
        first = (self._missing | self.stand_ins).intersection(seats)
        self._missing.difference_update(seats)
        self.stand_ins = self.stand_ins.difference(seats)
        return frozenset(first)

    def due(self, state: TableState, now: int) -> frozenset[Seat]:
        """Lets computers stand in for those whose time to come is over; returns whom to report for it, once."""
        if not self._missing or self._deadline is None or now < self._deadline:
            return frozenset()
        self.came([seat for seat in self._missing if _has_given_nonce(state, seat)])
        late = frozenset(self._missing)
        self._missing.clear()
        self.stand_ins |= late
        return late if now < state.opening.opened_at + _BLAMED_MS else frozenset()


def _has_given_nonce(state: TableState, seat: Seat) -> bool:
    return state.nonces[seat] not in (None, NO_NONCE)
