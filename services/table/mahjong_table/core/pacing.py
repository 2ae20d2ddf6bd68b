"""The jittered floor: when each event of a step may be shown, so that a pause does not tell who could have called.

After every discard and every kong that is declared, what follows (the next draw, a claim, the end of the hand) is held
back for a floor that was drawn before anybody's claims were looked at, whether somebody is asked or not. The end of an
opening is held back in the same way. Events that tell nothing about hidden tiles are shown at once.
"""

from collections.abc import Iterator, Sequence

from mahjong_engine.event import (
    BonusShown,
    Discarded,
    Drew,
    Event,
    HandDealt,
    KongDeclared,
    OriginalCallsMade,
    TurnStarted,
)
from mahjong_engine.state import HandState, Phase

_COVERT = frozenset({Phase.CLAIM, Phase.ROB_KONG})
"""Questions that nobody but the asked seats may know of."""


class Pace:
    """Spaces the events of one step out. `shown_at` and `gate_at` are where the step begins, and then where it ends."""

    def __init__(self, before: HandState | None, now: int, floor_ms: int, gate_at: int) -> None:
        self.shown_at = now
        self.gate_at = gate_at
        self._floor_ms = floor_ms
        self._is_opening = before is None or before.is_opening
        self._waits = before is not None and before.phase in _COVERT

    def spaced(self, events: Sequence[Event]) -> Iterator[tuple[int, Event]]:
        """Yields each event with the time from which it may be shown."""
        for event in events:
            if self._waits or (self._is_opening and isinstance(event, TurnStarted | OriginalCallsMade)):
                self.shown_at = max(self.shown_at, self.gate_at)
            yield self.shown_at, event
            self._waits = isinstance(event, Discarded | KongDeclared)
            if self._waits or (self._is_opening and isinstance(event, HandDealt | Drew | BonusShown)):
                self.gate_at = self.shown_at + self._floor_ms
            if isinstance(event, TurnStarted):
                self._is_opening = False
