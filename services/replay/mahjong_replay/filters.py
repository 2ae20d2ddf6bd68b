"""Which matches a list shows."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Those that pass every part that is not None."""

    rule_set: str | None = None
    table_kind: str | None = None
    from_time: datetime | None = None
    """Ended then or later."""
    until_time: datetime | None = None
    """Ended before."""
    opponent_id: str | None = None
    award: str | None = None
    """Somebody won a hand with it."""
    won_by_player: bool = False
    """Only hands that the listed player won count for `award`."""


@dataclass(frozen=True, slots=True)
class MatchList:
    """The matches of one player that another may read, filtered."""

    player_id: str
    reader_id: str
    """The player, or somebody else, who sees rated matches and those of both only."""
    filter: MatchFilter = MatchFilter()

    @property
    def scope(self) -> str:
        """Names the list, for page tokens."""
        return f"matches/{self.player_id}/{self.reader_id}/{self.filter}"
