"""Events: what happened in a hand, in the order it happened.

An event that carries hidden tiles says so in its docstring; `view_event` in view.py is the only place that decides what
a seat is shown of it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.settlement import Settlement, WinClaim
from mahjong_engine.tile import KIND_COUNT, Seat, Tile


class Wall(StrEnum):
    """The wall that a tile was taken from; the reserve is the kong box (classical) or the dead wall (Taiwanese)."""

    LIVE = "live"
    RESERVE = "reserve"


@dataclass(frozen=True, slots=True)
class HandDealt:
    """The tiles were dealt. Hidden: each seat sees its own `concealed` only."""

    hand: int
    dealer: Seat
    round_wind: Tile
    dealer_changes: int
    dealer_wins: int
    scores: tuple[int, int, int, int]
    concealed: tuple[tuple[Tile, ...] | None, ...]
    """By seat, sorted, bonus tiles still among them."""
    concealed_counts: tuple[int, int, int, int]
    live_tiles_left: int
    reserve_tiles_left: int


@dataclass(frozen=True, slots=True)
class BonusShown:
    """A seat laid out a flower or season."""

    seat: Seat
    tile: Tile


class Drew(NamedTuple):
    """A seat took a tile. Hidden: only that seat sees `tile`; a bonus tile is seen when it is shown.

    A named tuple, since every turn makes one, never twice the same: it is built in a third of the time.
    """

    seat: Seat
    tile: Tile | None
    wall: Wall
    live_tiles_left: int
    """In the live wall, after the tile was taken; `reserve_tiles_left` likewise."""
    reserve_tiles_left: int


@dataclass(frozen=True, slots=True)
class OriginalCallsMade:
    """The seats that declared Original Call in the Taiwanese opening, all at once (T15); may be empty."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """East's first turn begins, or a seat's turn by a draw or a claim. Hidden: only that seat sees `drawn`."""

    seat: Seat
    drawn: Tile | None = None
    """East's drawn tile in its first turn, which no draw before it tells (C15, T16)."""


@dataclass(frozen=True, slots=True)
class Discarded:
    """A seat discarded a tile; whether it was the drawn tile is told to nobody (C63, T65)."""

    seat: Seat
    tile: Tile
    original_call: bool


@dataclass(frozen=True, slots=True)
class Claimed:
    """A seat claimed the last discard for a chow, pung or kong; the discard left its pond."""

    seat: Seat
    meld: Meld


@dataclass(frozen=True, slots=True)
class KongDeclared:
    """A seat declared a concealed or promoted kong; it may still be robbed."""

    seat: Seat
    kind: MeldKind
    tile: Tile


@dataclass(frozen=True, slots=True)
class KongRobbed:
    """The kong just declared falls back; its tile belongs to the winners that follow."""

    seat: Seat
    tile: Tile


TURN_STARTED: Final = tuple(TurnStarted(Seat(seat)) for seat in range(4))
"""The start of a turn that tells no drawn tile, by seat; shared, as the plain discards are: each turn has one."""
DISCARDED: Final = tuple(
    tuple(Discarded(Seat(seat), Tile(tile), original_call=False) for tile in range(KIND_COUNT)) for seat in range(4)
)
"""The plain discards, by seat, then tile."""


class Ending(StrEnum):
    """How a hand ended, as hand records name it."""

    WIN = "win"
    DRAW = "draw"
    FLOWERS = "flowers"


@dataclass(frozen=True, slots=True)
class HandEnded:
    """The hand is over; also the result that its last state holds."""

    ended: Ending
    wins: tuple[WinClaim, ...]
    """In turn order from the seat that acted; empty without a winner."""
    settlement: Settlement | None
    """None without a winner."""
    changes: tuple[int, int, int, int]
    scores_after: tuple[int, int, int, int]
    dealer_changes_after: int
    dealer_wins_after: int
    concealed: tuple[tuple[Tile, ...] | None, ...]
    """After a win the tiles of all four seats, the winning tile left out (C64, T66); else None four times."""

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The winning seats, ascending."""
        return tuple(sorted(win.seat for win in self.wins))


Event = (
    HandDealt
    | BonusShown
    | Drew
    | OriginalCallsMade
    | TurnStarted
    | Discarded
    | Claimed
    | KongDeclared
    | KongRobbed
    | HandEnded
)
