"""What is known of a match apart from the records of its hands. Plain values, in the words of hand records."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final


@dataclass(frozen=True, slots=True)
class Occupant:
    """Who sits on a seat: the account of a person, or the level of a computer; neither if the account was deleted."""

    player_id: str | None
    computer: str | None
    display_name: str


DELETED: Final = Occupant(None, None, "Deleted player")
"""Stands where somebody sat whose account was deleted."""


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """Who plays what: the same in every report of a match."""

    match_id: str
    rule_set: str
    table_kind: str
    length: str
    occupants: tuple[Occupant, ...]

    @property
    def player_ids(self) -> tuple[str, ...]:
        """The people of the match, who may read it."""
        return tuple(seat.player_id for seat in self.occupants if seat.player_id is not None)

    def without(self, player_ids: Collection[str]) -> "MatchTerms":
        """Returns the terms with the seats of some players as nobody's."""
        seats = (DELETED if seat.player_id in player_ids else seat for seat in self.occupants)
        return replace(self, occupants=tuple(seats))

    def agrees_with(self, reported: "MatchTerms") -> bool:
        """Whether a report states these terms; it may still name players whose accounts were deleted since."""
        seats = zip(self.occupants, reported.occupants, strict=True)
        return replace(reported, occupants=self.occupants) == self and all(
            stored == seat or (stored == DELETED and seat.player_id is not None) for stored, seat in seats
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """Place and score of one seat at the end of a match."""

    seat: int
    place: int
    score: int


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """How a match ended."""

    hand_count: int
    server_seed: bytes
    standings: tuple[Standing, ...]
    """Best first; empty for a practice match that was left."""
    end_time: datetime


@dataclass(frozen=True, slots=True)
class WonAward:
    """An award of a winning hand, or a limit that it reached."""

    hand_number: int
    seat: int
    award: str


@dataclass(frozen=True, slots=True)
class HandSummary:
    """What the list shows of a hand: nothing that was hidden when the hand ended."""

    hand_number: int
    dealer: int
    round_wind: str
    ending: str
    winners: tuple[int, ...]
    changes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A match as far as it was reported."""

    terms: MatchTerms
    hands_stored: int
    end: MatchEnd | None
    """Known as soon as it was reported, which may be before the last hands were."""
    verification: str | None = None
    """`due`, `verified` or `failed`; None while it is not over."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended and all its hands are there: only then anybody sees more than summaries."""
        return self.end is not None and self.hands_stored == self.end.hand_count

    @property
    def is_public(self) -> bool:
        """Whether everybody may read it: rated matches that are over, which ratings follow from."""
        return self.is_over and self.terms.table_kind == "rated"
