"""What a winner's score is worked out from."""

from dataclasses import dataclass

from mahjong_engine.classical.constants import SETS
from mahjong_engine.classical.groups import Laid, laid_out
from mahjong_engine.keys import Keys, add
from mahjong_engine.kind_bits import HONOUR_BITS, bits_of_keys, bits_of_split, is_one_suit
from mahjong_engine.settlement import SELF_DRAWN, ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.shape import Decomposition, decompositions
from mahjong_engine.tile import Tile, seat_wind


@dataclass(slots=True, eq=False)  # not frozen: that takes seven times as long to make
class WonHand:
    """A winner's tiles, completed, with the facts that many awards ask for."""

    case: ScoringCase
    source: WinSource
    is_wall_empty: bool
    """Whether the live wall was empty at the moment of the win."""
    tile: Tile
    """The winning tile."""
    seat: SeatTiles
    wind: Tile
    """The seat wind."""
    is_east: bool
    is_self_drawn: bool
    laid: Laid
    """What the melds are made of."""
    completed: Keys
    """The concealed tiles with the winning tile."""
    splits: tuple[Decomposition, ...]
    """Every way to split them into sets and a pair; none for thirteen orphans."""
    kinds: int
    """Kinds of all tiles of the sets and the pair."""
    is_of_one_suit: bool
    """Whether all tiles but honours are of one suit, or there are honours only."""

    @property
    def is_concealed(self) -> bool:
        """Whether all melds count concealed for concealed-hand awards (C50)."""
        return self.laid.concealed_triplets == len(self.seat.melds)


def won_hand(case: ScoringCase, win: WinClaim) -> WonHand:
    """Returns the completed tiles of a winner."""
    tile = win.winning_tile
    seat = case.seats[win.seat]
    laid = laid_out(seat.melds)
    completed = add(seat.concealed, tile)
    splits = decompositions(completed, SETS - len(seat.melds))
    kinds = laid.kinds | (bits_of_split(splits[0]) if splits else bits_of_keys(completed))
    return WonHand(
        case,
        win.source,
        case.live_tiles_left == 0,
        tile,
        seat,
        seat_wind(win.seat, case.dealer),
        win.seat == case.dealer,
        win.source in SELF_DRAWN,
        laid,
        completed,
        splits,
        kinds,
        is_one_suit(kinds & ~HONOUR_BITS),
    )
