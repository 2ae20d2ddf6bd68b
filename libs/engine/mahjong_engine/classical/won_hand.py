"""What a winner's score is worked out from."""

from typing import NamedTuple

from mahjong_engine.classical.constants import LAST_LIVE_TILE_COVERS_KONG_REPLACEMENT, SETS
from mahjong_engine.classical.groups import CONCEALED_FOR_TRIPLETS, Groups, laid_out, pair_points
from mahjong_engine.keys import Keys, add
from mahjong_engine.kind_bits import bits_of_keys, bits_of_melds
from mahjong_engine.meld import Meld
from mahjong_engine.settlement import SELF_DRAWN, ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.shape import Decomposition, decompositions
from mahjong_engine.tile import Tile, seat_wind


class WonHand(NamedTuple):
    """A winner's tiles, completed, with the facts that many awards ask for."""

    case: ScoringCase
    source: WinSource
    tile: Tile
    """The winning tile."""
    seat: SeatTiles
    wind: Tile
    """The seat wind."""
    is_east: bool
    is_self_drawn: bool
    melds: tuple[Meld, ...]
    laid: Groups
    """Groups of the melds."""
    is_concealed: bool
    """Whether all melds count concealed for concealed-hand awards (C50)."""
    completed: Keys
    """The concealed tiles with the winning tile."""
    splits: tuple[Decomposition, ...]
    """Every way to split them into sets and a pair; none for thirteen orphans."""
    kinds: int
    """Kinds of all tiles of the sets and the pair."""
    pair_points: int
    """Points of the pair: those of an honour, which is the pair of every split, else 0."""


def won_hand(case: ScoringCase, win: WinClaim) -> WonHand:
    """Returns the completed tiles of a winner."""
    tile = win.winning_tile
    seat = case.seats[win.seat]
    melds = seat.melds
    completed = add(seat.concealed, tile)
    wind = seat_wind(win.seat, case.dealer)
    splits = decompositions(completed, SETS - len(melds))
    return WonHand(
        case=case,
        source=win.source,
        tile=tile,
        seat=seat,
        wind=wind,
        is_east=win.seat == case.dealer,
        is_self_drawn=win.source in SELF_DRAWN,
        melds=melds,
        laid=laid_out(melds),
        is_concealed=all(meld.kind in CONCEALED_FOR_TRIPLETS for meld in melds),
        completed=completed,
        splits=splits,
        kinds=bits_of_keys(completed) | bits_of_melds(melds),
        pair_points=pair_points(splits[0].pair, wind, case.round_wind) if splits else 0,
    )


def is_last_live_tile(hand: WonHand) -> bool:
    """Whether the winning tile is the last live tile (C39)."""
    return hand.case.live_tiles_left == 0 and (
        hand.source is WinSource.LIVE_WALL
        or (LAST_LIVE_TILE_COVERS_KONG_REPLACEMENT and hand.source is WinSource.KONG_REPLACEMENT)
    )


def is_last_discard(hand: WonHand) -> bool:
    """Whether the winning tile is a last discard (C39)."""
    return hand.case.live_tiles_left == 0 and hand.source is WinSource.DISCARD
