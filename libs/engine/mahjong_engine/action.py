"""Actions: the answers that a seat can give to an open decision.

Small immutable values; equal answers compare equal. `legal_actions` hands out shared instances.
"""

from dataclasses import dataclass

from mahjong_engine.meld import MeldKind
from mahjong_engine.tile import Tile


@dataclass(frozen=True, slots=True)
class Continue:
    """Declares no (further) kong in the kong round (C13)."""


@dataclass(frozen=True, slots=True)
class CallOriginal:
    """Declares Original Call in the Taiwanese opening (T15)."""


@dataclass(frozen=True, slots=True)
class DeclineOriginal:
    """Declares no Original Call in the Taiwanese opening (T15)."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Discards a concealed tile, with an Original Call or without."""

    tile: Tile
    original_call: bool = False


@dataclass(frozen=True, slots=True)
class Kong:
    """Declares a concealed or promoted kong in the own turn, or claims a discard for a kong.

    `tile` is the kind of the kong, also for a claim.
    """

    kind: MeldKind
    tile: Tile


@dataclass(frozen=True, slots=True)
class Pung:
    """Claims a discard for a pung."""


@dataclass(frozen=True, slots=True)
class Chow:
    """Claims a discard for a chow with two concealed tiles, in sort order."""

    tiles: tuple[Tile, Tile]


@dataclass(frozen=True, slots=True)
class Win:
    """Wins on the drawn tile, a discard or a robbed kong."""


@dataclass(frozen=True, slots=True)
class RobFlower:
    """Wins with seven flowers by robbing the eighth (T19)."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Declines every claim that is open."""


Action = Continue | CallOriginal | DeclineOriginal | Discard | Kong | Pung | Chow | Win | RobFlower | Pass
