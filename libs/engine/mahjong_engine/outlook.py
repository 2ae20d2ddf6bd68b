"""What a rule set tells a computer player about value: the only thing in which players of different games differ."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from mahjong_engine.keys import Keys
from mahjong_engine.meld import Meld
from mahjong_engine.tile import Seat, Tile


class Goal(Enum):
    """A kind of hand to play for."""

    ANY = "any"
    """Whatever is ready first."""
    HALF_FLUSH = "half_flush"
    """One suit and honours."""
    FULL_FLUSH = "full_flush"
    """One suit."""
    PUNGS = "pungs"
    """Triplets and a pair."""


@dataclass(frozen=True, slots=True)
class Holding:
    """One seat's tiles, its turn over: what a goal is judged by."""

    keys: Keys
    melds: tuple[Meld, ...]
    bonus: tuple[Tile, ...]
    seat: Seat
    dealer: Seat
    round_wind: Tile
    original_call: bool

    @property
    def is_open(self) -> bool:
        """Whether a claim shows."""
        return any(meld.claimed is not None for meld in self.melds)


class Outlook(Protocol):
    """A rule set's answers about value; estimates, in points that change hands."""

    def worth(self, holding: Holding, goal: Goal) -> float:
        """Returns about what a win with the goal brings, all payers together."""

    def specials(self, holding: Holding) -> Iterable[tuple[tuple[Tile, ...], int, float]]:
        """Returns winning shapes of the game's own within reach: useful tiles, distance (0 ready), worth of a win."""

    @property
    def deal_in_cost(self) -> float:
        """About what discarding another seat's winning tile costs beyond what that win would cost anyway."""
