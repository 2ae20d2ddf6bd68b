"""What a winner's total is worked out from."""

from dataclasses import dataclass
from typing import Final

from mahjong_engine.keys import Keys, add
from mahjong_engine.kind_bits import bits_of, bits_of_keys, bits_of_split
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.settlement import SELF_DRAWN, Item, ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.shape import Decomposition, decompositions
from mahjong_engine.taiwanese import awards
from mahjong_engine.taiwanese.constants import HEAVENLY_HAND_IS_SELF_DRAW, SETS
from mahjong_engine.tile import KIND_COUNT, Tile

SELF_DRAW_SOURCES: Final = SELF_DRAWN if HEAVENLY_HAND_IS_SELF_DRAW else SELF_DRAWN - {WinSource.DEALT}


@dataclass(slots=True, eq=False)
class Laid:
    """What melds are made of."""

    kongs: tuple[Item, ...]
    """Awards of the kongs (T56)."""
    triplets: int
    """Kinds of the triplets."""
    chows: int
    """Lowest kinds of the chows."""
    kinds: int
    """Kinds of all tiles."""
    open_count: int
    """Number of open melds: all but concealed kongs (T53)."""


def laid_out(melds: tuple[Meld, ...]) -> Laid:
    """Returns what the melds are made of."""
    kongs: tuple[Item, ...] = ()
    triplets = chows = kinds = open_count = 0
    for meld in melds:
        one = _LAID[meld.kind][meld.tile]
        kongs += one.kongs
        triplets |= one.triplets
        chows |= one.chows
        kinds |= one.kinds
        open_count += one.open_count
    return Laid(kongs, triplets, chows, kinds, open_count)


def _laid(kind: MeldKind, tile: Tile) -> Laid:
    kinds = bits_of(Meld(kind, tile).tiles)
    if kind is MeldKind.CHOW:
        return Laid((), 0, 1 << tile, kinds, 1)
    if kind is MeldKind.PUNG:
        return Laid((), kinds, 0, kinds, 1)
    is_open = kind is not MeldKind.CONCEALED_KONG
    return Laid((awards.EXPOSED_KONG if is_open else awards.CONCEALED_KONG,), kinds, 0, kinds, int(is_open))


_LAID: Final = {kind: tuple(_laid(kind, Tile(tile)) for tile in range(KIND_COUNT)) for kind in MeldKind}
"""What one meld is made of, by its kind and its lowest tile."""


@dataclass(slots=True, eq=False)  # not frozen: that takes seven times as long to make
class WonHand:
    """A winner's tiles, completed, with the facts that many awards ask for."""

    case: ScoringCase
    source: WinSource
    tile: Tile
    """The winning tile."""
    seat: SeatTiles
    is_east: bool
    is_self_drawn: bool
    laid: Laid
    """What the melds are made of."""
    completed: Keys
    """The concealed tiles with the winning tile."""
    splits: tuple[Decomposition, ...]
    """Every way to split them into sets and a pair."""
    kinds: int
    """Kinds of all tiles, flowers left out."""


def won_hand(case: ScoringCase, win: WinClaim) -> WonHand:
    """Returns the completed tiles of a winner."""
    tile = win.winning_tile
    seat = case.seats[win.seat]
    laid = laid_out(seat.melds)
    completed = add(seat.concealed, tile)
    splits = decompositions(completed, SETS - len(seat.melds))
    return WonHand(
        case,
        win.source,
        tile,
        seat,
        win.seat == case.dealer,
        win.source in SELF_DRAW_SOURCES,
        laid,
        completed,
        splits,
        laid.kinds | (bits_of_split(splits[0]) if splits else bits_of_keys(completed)),
    )
