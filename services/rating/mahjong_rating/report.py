"""A reported match as the rating service sees it, and what is to be done with it. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Outcome(StrEnum):
    """Whether a match was rated; decided by its report alone."""

    APPLIED = "applied"
    SKIPPED_NOT_RATED = "skipped_not_rated"
    SKIPPED_TOO_FEW_PEOPLE = "skipped_too_few_people"


@dataclass(frozen=True, slots=True)
class SeatScore:
    """One seat at the end: the account of its person, or the level of its computer; exactly one is not None."""

    player_id: str | None
    computer: str | None
    score: int


@dataclass(frozen=True, slots=True)
class Report:
    """A finished match. Two reports are the same if they are equal; names to show are no part of it."""

    match_id: str
    rule_set: str
    table_kind: str
    seats: tuple[SeatScore, ...]
    end_time: datetime

    @property
    def scores(self) -> dict[str, int]:
        """Final scores of the people; computers never hold a rating."""
        return {seat.player_id: seat.score for seat in self.seats if seat.player_id is not None}

    @property
    def outcome(self) -> Outcome:
        """What the report leads to: rated tables with at least two people change ratings, all others never do."""
        if self.table_kind != "rated":
            return Outcome.SKIPPED_NOT_RATED
        if len(self.scores) < 2:
            return Outcome.SKIPPED_TOO_FEW_PEOPLE
        return Outcome.APPLIED
