"""What a winner's total is worked out from."""

from typing import Final, NamedTuple

from mahjong_engine.keys import Keys, add
from mahjong_engine.kind_bits import bits_of_keys, bits_of_melds
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.settlement import SELF_DRAWN, ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.shape import Decomposition, decompositions
from mahjong_engine.taiwanese.constants import HEAVENLY_HAND_IS_SELF_DRAW, SETS
from mahjong_engine.tile import Tile

SELF_DRAW_SOURCES: Final = SELF_DRAWN if HEAVENLY_HAND_IS_SELF_DRAW else SELF_DRAWN - {WinSource.DEALT}


class WonHand(NamedTuple):
    """A winner's tiles, completed, with the facts that many awards ask for."""

    case: ScoringCase
    source: WinSource
    tile: Tile
    """The winning tile."""
    seat: SeatTiles
    is_east: bool
    is_self_drawn: bool
    melds: tuple[Meld, ...]
    open_meld_count: int
    """Melds that are no concealed kongs (T53)."""
    concealed_kong_count: int
    laid_triplets: int
    """Kinds of the triplets among the melds."""
    laid_chows: int
    """Lowest kinds of the chows among the melds."""
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
    melds = seat.melds
    completed = add(seat.concealed, tile)
    open_meld_count = laid_triplets = laid_chows = 0
    for meld in melds:
        open_meld_count += meld.kind is not MeldKind.CONCEALED_KONG
        if meld.kind is MeldKind.CHOW:
            laid_chows |= 1 << meld.tile
        else:
            laid_triplets |= 1 << meld.tile
    return WonHand(
        case=case,
        source=win.source,
        tile=tile,
        seat=seat,
        is_east=win.seat == case.dealer,
        is_self_drawn=win.source in SELF_DRAW_SOURCES,
        melds=melds,
        open_meld_count=open_meld_count,
        concealed_kong_count=len(melds) - open_meld_count,
        laid_triplets=laid_triplets,
        laid_chows=laid_chows,
        completed=completed,
        splits=decompositions(completed, SETS - len(melds)),
        kinds=bits_of_keys(completed) | bits_of_melds(melds),
    )
