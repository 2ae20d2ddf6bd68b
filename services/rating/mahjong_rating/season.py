"""Seasons: quarters of the calendar year, by UTC. Fixed, so that history always falls into the same ones."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_FIRST_YEAR: Final = 2026
_MONTHS: Final = 3
_A_YEAR: Final = 12 // _MONTHS


@dataclass(frozen=True, slots=True)
class Season:
    """A season by its number, from 1: the first quarter of 2026."""

    number: int

    @property
    def name(self) -> str:
        """Name to show, such as `2026 Q4`."""
        return f"{self._year} Q{self._quarter + 1}"

    @property
    def start_time(self) -> datetime:
        """When it begins."""
        return datetime(self._year, 1 + _MONTHS * self._quarter, 1, tzinfo=UTC)

    @property
    def end_time(self) -> datetime:
        """When the next one begins."""
        return Season(self.number + 1).start_time

    @property
    def _year(self) -> int:
        return _FIRST_YEAR + (self.number - 1) // _A_YEAR

    @property
    def _quarter(self) -> int:
        return (self.number - 1) % _A_YEAR


def season_of(time: datetime) -> Season:
    """Returns the season that a time lies in; what was before the first one counts for it."""
    utc = time.astimezone(UTC)
    return Season(max(1, 1 + (utc.year - _FIRST_YEAR) * _A_YEAR + (utc.month - 1) // _MONTHS))
