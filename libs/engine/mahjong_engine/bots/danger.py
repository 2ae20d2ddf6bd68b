"""How likely each discard is to be another seat's winning tile, by what everybody sees.

The tables were measured over 700 hands of four `basic` players for each rule set; the two differ little.
"""

from typing import Final

from mahjong_engine.keys import SUIT
from mahjong_engine.tile import KIND_COUNT, Seat, Tile, is_honour
from mahjong_engine.view import HandView

READY_CHANCE: Final = (
    (0.00, 0.01, 0.03, 0.10, 0.22, 0.33, 0.42, 0.50),
    (0.00, 0.03, 0.09, 0.19, 0.31, 0.45, 0.59, 0.70),
    (0.06, 0.10, 0.22, 0.36, 0.51, 0.62, 0.74, 0.80),
    (0.10, 0.25, 0.40, 0.55, 0.65, 0.75, 0.82, 0.85),
    (0.50, 0.95, 0.95, 0.95, 0.97, 0.98, 1.00, 1.00),
)
"""How often a seat is ready, by its melds and by two rounds of discards."""

WAIT_CHANCE: Final = {
    "honour": (0.0, 0.0, 0.005, 0.02, 0.02),
    "terminal": (0.02, 0.02, 0.035, 0.065, 0.065),
    "near_terminal": (0.03, 0.04, 0.05, 0.095, 0.095),
    "middle": (0.03, 0.06, 0.09, 0.12, 0.12),
}
"""How often a ready seat waits for a kind, by the copies of it that are out."""

OWN_POND_FACTOR: Final = 0.05
"""What is left of the chance for a kind that the seat has itself discarded."""
JUST_PASSED_FACTOR: Final = 0.2
"""… and for a kind that another seat has just discarded in vain."""
FLUSH_FACTOR: Final = 2.0
"""How much likelier a seat with two or more melds of one suit waits in it, or for honours."""


def dangers(view: HandView, unseen: list[int]) -> list[float]:
    """Returns by tile about how likely its discard is another seat's winning tile."""
    risk = [0.0] * KIND_COUNT
    passed = {pond[-1] for pond in view.ponds if pond}
    for seat in map(Seat, range(4)):
        if seat != view.seat and (ready := _ready_chance(view, seat)):
            flush = _flush_suit(view, seat)
            for tile in map(Tile, range(KIND_COUNT)):
                chance = ready * WAIT_CHANCE[_place(tile)][unseen[tile]]
                if flush is not None:
                    chance *= FLUSH_FACTOR if SUIT[tile] in (flush, 3) else 1 / FLUSH_FACTOR
                if tile in view.ponds[seat]:
                    chance *= OWN_POND_FACTOR
                elif tile in passed:
                    chance *= JUST_PASSED_FACTOR
                risk[tile] += chance
    return risk


def _ready_chance(view: HandView, seat: Seat) -> float:
    if view.original_calls[seat]:
        return 1.0
    melds = len(view.melds[seat])
    return READY_CHANCE[min(melds, 4)][min(sum(view.discard_counts) // 8, 7)]


def _flush_suit(view: HandView, seat: Seat) -> int | None:
    suits = {SUIT[meld.tile] for meld in view.melds[seat]} - {3}
    return suits.pop() if len(suits) == 1 and len(view.melds[seat]) >= 2 else None


def _place(tile: Tile) -> str:
    if is_honour(tile):
        return "honour"
    return ("terminal", "near_terminal", "middle")[min(tile % 9, 8 - tile % 9, 2)]
