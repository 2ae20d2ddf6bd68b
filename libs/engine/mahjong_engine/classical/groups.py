"""Pungs, kongs and pairs of a seat, and their points (C50-C52)."""

from dataclasses import dataclass
from typing import Final

from mahjong_engine.classical import awards
from mahjong_engine.keys import HALF, Keys
from mahjong_engine.kind_bits import DRAGON_BITS, bits_of
from mahjong_engine.meld import KONGS, Meld, MeldKind
from mahjong_engine.settlement import Item
from mahjong_engine.tile import KIND_COUNT, Tile, is_major


def group_points(tile: Tile, *, kong: bool, concealed: bool) -> int:
    """Returns the points of a pung or kong (C52)."""
    return 2 * (2 if is_major(tile) else 1) * (2 if concealed else 1) * (4 if kong else 1)


def pair_points(tile: Tile, seat_wind: Tile, round_wind: Tile) -> int:
    """Returns the points of a pair (C52); 0 for most."""
    return 2 * ((DRAGON_BITS >> tile & 1) + (tile == seat_wind) + (tile == round_wind))


def _pungs(*, concealed: bool) -> tuple[Item, ...]:
    tiles = map(Tile, range(KIND_COUNT))
    return tuple(awards.group(tile, 3, group_points(tile, kong=False, concealed=concealed)) for tile in tiles)


CONCEALED_PUNG: Final = _pungs(concealed=True)
EXPOSED_PUNG: Final = _pungs(concealed=False)
"""Points of pungs, by tile."""


@dataclass(slots=True, eq=False)
class Laid:
    """What melds are made of."""

    items: tuple[Item, ...]
    """Points of the pungs and kongs."""
    triplets: int
    """Kinds of the triplets."""
    kinds: int
    """Kinds of all tiles."""
    concealed_triplets: int
    """Number of kongs that count concealed for triplet awards; for concealed-hand awards too."""


NOTHING_LAID: Final = Laid((), 0, 0, 0)


def laid_out(melds: tuple[Meld, ...]) -> Laid:
    """Returns what the melds are made of, as they lie."""
    if not melds:
        return NOTHING_LAID
    items: tuple[Item, ...] = ()
    triplets = kinds = concealed_triplets = 0
    for meld in melds:
        one = _LAID[meld.kind][meld.tile]
        items += one.items
        triplets |= one.triplets
        kinds |= one.kinds
        concealed_triplets += one.concealed_triplets
    return Laid(items, triplets, kinds, concealed_triplets)


def _laid(kind: MeldKind, tile: Tile) -> Laid:
    kinds = bits_of(Meld(kind, tile).tiles)
    if kind is MeldKind.CHOW:
        return Laid((), 0, kinds, 0)
    is_kong = kind in KONGS
    points = group_points(tile, kong=is_kong, concealed=kind is MeldKind.CONCEALED_KONG)
    counts_concealed = kind in (MeldKind.CLAIMED_KONG, MeldKind.CONCEALED_KONG)
    return Laid((awards.group(tile, 4 if is_kong else 3, points),), kinds, kinds, int(counts_concealed))


_LAID: Final = {kind: tuple(_laid(kind, Tile(tile)) for tile in range(KIND_COUNT)) for kind in MeldKind}
"""What one meld is made of, by its kind and its lowest tile."""


@dataclass(slots=True, eq=False)
class Held:
    """What a non-winner's concealed tiles are made of (C51)."""

    items: tuple[Item, ...]
    """Points of the pungs: three or four alike."""
    triplets: int
    """Kinds of the pungs."""
    pairs: int
    """Kinds of the pairs: exactly two alike."""


def held(concealed: Keys) -> Held:
    """Returns the pungs and pairs of concealed tiles."""
    items: tuple[Item, ...] = ()
    triplets = pairs = 0
    for key, (low, high) in zip(concealed, _HALVES, strict=True):
        for one in (low[key % HALF], high[key // HALF]):
            if one is not NOTHING_HELD:
                items += one.items
                triplets |= one.triplets
                pairs |= one.pairs
    return Held(items, triplets, pairs)


NOTHING_HELD: Final = Held((), 0, 0)


class _Half(dict[int, Held]):
    """What the lower or the upper half of a suit's key holds, found on first sight."""

    def __init__(self, first: int) -> None:
        self._first = first

    def __missing__(self, half: int) -> Held:
        counts = {Tile(self._first + rank): half // 5**rank % 5 for rank in range(5)}
        pungs = [tile for tile, count in counts.items() if count >= 3]
        pairs = [tile for tile, count in counts.items() if count == 2]
        found = Held(tuple(CONCEALED_PUNG[tile] for tile in pungs), bits_of(pungs), bits_of(pairs))
        self[half] = found if pungs or pairs else NOTHING_HELD
        return self[half]


_HALVES: Final = tuple((_Half(9 * suit), _Half(9 * suit + 5)) for suit in range(4))
