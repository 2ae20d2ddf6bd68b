"""What the end of a hand is scored from, and what scoring returns: shared by both rule sets."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from mahjong_engine.keys import Keys
from mahjong_engine.meld import Meld
from mahjong_engine.tile import Seat, Tile


class WinSource(StrEnum):
    """Where a winning tile came from (C38, T41), as scoring cases name it."""

    DISCARD = "discard"
    LIVE_WALL = "live_wall"
    KONG_REPLACEMENT = "kong_replacement"
    FLOWER_REPLACEMENT = "flower_replacement"
    ROBBED_PROMOTED_KONG = "robbed_promoted_kong"
    ROBBED_CONCEALED_KONG = "robbed_concealed_kong"
    DEALT = "dealt"
    EIGHT_FLOWERS = "eight_flowers"
    SEVEN_FLOWERS_ROB_EIGHTH = "seven_flowers_rob_eighth"


SELF_DRAWN: Final = frozenset(
    {WinSource.LIVE_WALL, WinSource.KONG_REPLACEMENT, WinSource.FLOWER_REPLACEMENT, WinSource.DEALT}
)
"""The sources that make a win a self-draw (C38, T41)."""

FLOWER_WINS: Final = frozenset({WinSource.EIGHT_FLOWERS, WinSource.SEVEN_FLOWERS_ROB_EIGHTH})
"""The sources without a winning tile (T41)."""


@dataclass(frozen=True, slots=True)
class SeatTiles:
    """What one seat holds and shows when the hand ends. `concealed` leaves out the winning tile."""

    concealed: Keys
    melds: tuple[Meld, ...] = ()
    bonus: tuple[Tile, ...] = ()
    original_call: bool = False


@dataclass(frozen=True, slots=True)
class WinClaim:
    """One seat's win. `tile` is None for a flower win; `from_seat` names who pays alone, if one does."""

    seat: Seat
    tile: Tile | None
    source: WinSource
    from_seat: Seat | None = None

    @property
    def winning_tile(self) -> Tile:
        """The tile of a win that is no flower win."""
        if self.tile is None:
            raise ValueError(f"{self.source.value} has no winning tile")
        return self.tile


@dataclass(frozen=True, slots=True)
class ScoringCase:
    """Everything that scoring may look at. Fields are those of docs/formats/notation.md, "Scoring case"."""

    dealer: Seat
    round_wind: Tile
    seats: tuple[SeatTiles, SeatTiles, SeatTiles, SeatTiles]
    wins: tuple[WinClaim, ...]
    live_tiles_left: int
    discards: tuple[Tile, ...]
    discard_count: int
    kongs_in_turn: int = 0
    dealer_wins_before: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """One itemised award: exactly one of points, doubles and tai is not 0."""

    award: str
    points: int = 0
    doubles: int = 0
    tai: int = 0
    tiles: tuple[Tile, ...] = ()


class SeatScore(NamedTuple):
    """One seat's value with the items that make it; `limit` lists every limit reason."""

    seat: Seat
    value: int
    items: tuple[Item, ...]
    limit: tuple[str, ...] = ()


class Settlement(NamedTuple):
    """The scored end of a hand: `values` and `changes` by seat; the changes sum to zero."""

    hands: tuple[SeatScore, ...]
    values: tuple[int, int, int, int]
    changes: tuple[int, int, int, int]
