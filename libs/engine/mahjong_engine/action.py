"""Actions: the answers that a seat can give to an open decision.

Small immutable values; equal answers compare equal. The shared instances below are what `legal_actions` hands out.
"""

from dataclasses import dataclass
from typing import Final

from mahjong_engine.meld import MeldKind
from mahjong_engine.tile import KIND_COUNT, Tile


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


def option_of(options: tuple[Action, ...], action: Action) -> Action | None:
    """Returns the option that equals an action, if one does; nearly always it is the very same object."""
    for option in options:
        if option is action:
            return option
    return options[options.index(action)] if action in options else None


CONTINUE: Final = Continue()
CALL_ORIGINAL: Final = CallOriginal()
DECLINE_ORIGINAL: Final = DeclineOriginal()
PUNG: Final = Pung()
WIN: Final = Win()
ROB_FLOWER: Final = RobFlower()
PASS: Final = Pass()

_KINDS: Final = tuple(map(Tile, range(KIND_COUNT)))

DISCARD: Final = tuple(Discard(tile) for tile in _KINDS)
"""The plain discard of each kind, by tile."""
DISCARD_AND_CALL: Final = tuple(Discard(tile, original_call=True) for tile in _KINDS)
"""The discard of each kind that declares Original Call, by tile."""
CLAIMED_KONG: Final = tuple(Kong(MeldKind.CLAIMED_KONG, tile) for tile in _KINDS)
PROMOTED_KONG: Final = tuple(Kong(MeldKind.PROMOTED_KONG, tile) for tile in _KINDS)
CONCEALED_KONG: Final = tuple(Kong(MeldKind.CONCEALED_KONG, tile) for tile in _KINDS)


def _chows(tile: Tile) -> tuple[Chow, ...]:
    lows = range(max(tile - 2, tile // 9 * 9), min(tile, tile // 9 * 9 + 6) + 1) if tile < 27 else ()
    runs = ([Tile(t) for t in range(low, low + 3) if t != tile] for low in lows)
    return tuple(Chow((one, two)) for one, two in runs)


CHOWS: Final = tuple(map(_chows, _KINDS))
"""The chows that a discard can be claimed for, by the discarded tile; the lowest run first."""
