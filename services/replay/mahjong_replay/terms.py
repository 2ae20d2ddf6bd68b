"""What is known of a match apart from the records of its hands. Plain values, in the words of hand records."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Occupant:
    """Who sits on a seat: the account of a person, or the level of a computer; exactly one is not None."""

    player_id: str | None
    computer: str | None
    display_name: str


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

    @property
    def is_over(self) -> bool:
        """Whether it has ended and all its hands are there: only then anybody sees more than summaries."""
        return self.end is not None and self.hands_stored == self.end.hand_count
