"""One chance: nothing but the winning kind could have completed the winner's tiles (C54)."""

from mahjong_engine.classical.constants import (
    ONE_CHANCE_COUNTS_CONCEALED_KONGS,
    ONE_CHANCE_OWN_CONCEALED_STRIKE_OUT,
    SETS,
)
from mahjong_engine.keys import fours_of
from mahjong_engine.meld import KONGS, MeldKind
from mahjong_engine.settlement import ScoringCase, WinClaim
from mahjong_engine.shape import waits
from mahjong_engine.tile import Tile


def is_one_chance(case: ScoringCase, win: WinClaim) -> bool:
    """Whether every other kind that would have completed the tiles is visible four times.

    Only the standard shape is looked at: tiles that wait for thirteen orphans can win in no other shape, and thirteen
    orphans are a limit hand, which has no points.
    """
    winner = case.seats[win.seat]
    keys, sets = winner.concealed, SETS - len(winner.melds)
    if not _is_only_one(case, win, waits(keys, sets)):
        return False
    if ONE_CHANCE_OWN_CONCEALED_STRIKE_OUT or not fours_of(keys):
        return True
    return _is_only_one(case, win, waits(keys, sets, fifth_copies=True))


def _is_only_one(case: ScoringCase, win: WinClaim, kinds: tuple[Tile, ...]) -> bool:
    return len(kinds) == 1 or all(kind == win.tile or visible_copies(case, kind) == 4 for kind in kinds)


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
