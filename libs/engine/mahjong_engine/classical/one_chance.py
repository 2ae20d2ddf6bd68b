"""One chance: nothing but the winning kind could have completed the winner's tiles (C54)."""

from mahjong_engine.classical.constants import (
    ONE_CHANCE_COUNTS_CONCEALED_KONGS,
    ONE_CHANCE_OWN_CONCEALED_STRIKE_OUT,
    SETS,
)
from mahjong_engine.keys import fours_of
from mahjong_engine.kind_bits import bits_of
from mahjong_engine.meld import KONGS, MeldKind
from mahjong_engine.settlement import ScoringCase, SeatTiles
from mahjong_engine.shape import wait_bits
from mahjong_engine.tile import KINDS, Tile


def is_one_chance(case: ScoringCase, winner: SeatTiles, tile: Tile) -> bool:
    """Whether every other kind that would have completed the tiles is visible four times.

    Only the standard shape is looked at: tiles that wait for thirteen orphans can win in no other shape, and thirteen
    orphans are a limit hand, which has no points.
    """
    others = wait_bits(winner.concealed, SETS - len(winner.melds)) & ~(1 << tile)
    if others and ONE_CHANCE_OWN_CONCEALED_STRIKE_OUT:
        others &= ~bits_of(fours_of(winner.concealed))
    while others:
        kind = KINDS[others.bit_length() - 1]
        if visible_copies(case, kind) < 4:
            return False
        others ^= 1 << kind
    return True


def visible_copies(case: ScoringCase, tile: Tile) -> int:
    """Returns how many copies of a tile lie in ponds and melds; nothing else strikes a kind out."""
    copies = case.discards.count(tile)
    for seat in case.seats:
        for meld in seat.melds:
            copies += _copies_in_meld(meld.kind, meld.tile, tile)
    return copies


def _copies_in_meld(kind: MeldKind, lowest: Tile, tile: Tile) -> int:
    if kind is MeldKind.CHOW:
        return int(lowest <= tile <= lowest + 2)
    if lowest != tile or (kind is MeldKind.CONCEALED_KONG and not ONE_CHANCE_COUNTS_CONCEALED_KONGS):
        return 0
    return 4 if kind in KONGS else 3
