"""A reported match as the rating service sees it, and what is to be done with it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from mahjong_rating.pseudonym import is_pseudonym


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
    names: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Names to show, by account."""

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

    def with_pseudonyms(self, pseudonyms: Mapping[str, str]) -> "Report":
        """Returns the report with pseudonyms for some accounts."""
        if not pseudonyms:
            return self
        seats = (replace(seat, player_id=pseudonyms.get(seat.player_id or "", seat.player_id)) for seat in self.seats)
        names = {player_id: name for player_id, name in self.names.items() if player_id not in pseudonyms}
        return replace(self, seats=tuple(seats), names=names)

    def agrees_with(self, repeated: "Report") -> bool:
        """Whether a report says the same as this one, which stands; accounts may have been deleted between the two."""
        return replace(repeated, seats=self.seats) == self and all(
            stands == again or _is_of_deleted(stands, again)
            for stands, again in zip(self.seats, repeated.seats, strict=True)
        )


def _is_of_deleted(stands: SeatScore, again: SeatScore) -> bool:
    if stands.player_id is None or again.player_id is None or stands.score != again.score:
        return False
    return is_pseudonym(stands.player_id)
