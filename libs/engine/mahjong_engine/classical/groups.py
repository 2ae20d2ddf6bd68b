"""Pungs, kongs and pairs of a seat, and their points (C50-C52)."""

from functools import cache
from typing import Final, NamedTuple

from mahjong_engine.classical import awards
from mahjong_engine.keys import UNIT, Keys
from mahjong_engine.kind_bits import DRAGON_BITS
from mahjong_engine.meld import KONGS, Meld, MeldKind
from mahjong_engine.settlement import Item
from mahjong_engine.tile import KIND_COUNT, Tile, is_major

CONCEALED_FOR_TRIPLETS: Final = frozenset({MeldKind.CLAIMED_KONG, MeldKind.CONCEALED_KONG})
"""Melds that count concealed for triplet awards and concealed-hand awards (C50)."""


class Groups(NamedTuple):
    """What some tiles of a seat are made of, chows left out."""

    items: tuple[Item, ...]
    """Points of the pungs and kongs."""
    triplets: int
    """Kinds of the triplets."""
    pairs: int
    """Kinds of the pairs."""
    concealed_triplets: int
    """Number of triplets that count concealed for triplet awards."""


NO_GROUPS: Final = Groups((), 0, 0, 0)


def group_points(tile: Tile, *, kong: bool, concealed: bool) -> int:
    """Returns the points of a pung or kong (C52)."""
    return 2 * (2 if is_major(tile) else 1) * (2 if concealed else 1) * (4 if kong else 1)


def pair_points(tile: Tile, seat_wind: Tile, round_wind: Tile) -> int:
    """Returns the points of a pair (C52); 0 for most."""
    return 2 * ((DRAGON_BITS >> tile & 1) + (tile == seat_wind) + (tile == round_wind))


def laid_out(melds: tuple[Meld, ...]) -> Groups:
    """Returns the groups of melds as they lie."""
    groups = NO_GROUPS
    for meld in melds:
        if meld.kind is not MeldKind.CHOW:
            groups = joined(groups, _laid_group(meld.kind, meld.tile))
    return groups


@cache
def _laid_group(kind: MeldKind, tile: Tile) -> Groups:
    is_kong = kind in KONGS
    points = group_points(tile, kong=is_kong, concealed=kind is MeldKind.CONCEALED_KONG)
    item = awards.group(tile, 4 if is_kong else 3, points)
    return Groups((item,), 1 << tile, 0, int(kind in CONCEALED_FOR_TRIPLETS))


def pung_item(tile: Tile, *, concealed: bool) -> Item:
    """Returns the points of a pung that is no meld."""
    return awards.group(tile, 3, group_points(tile, kong=False, concealed=concealed))


def pungs_points(triplets: tuple[Tile, ...], exposed: Tile | None) -> int:
    """Returns the points of pungs that are no melds, of which one may be exposed."""
    return sum(group_points(tile, kong=False, concealed=tile != exposed) for tile in triplets)


def held(concealed: Keys) -> Groups:
    """Returns the groups among a non-winner's concealed tiles: three or four alike, and two alike (C51)."""
    groups = NO_GROUPS
    for suit, key in enumerate(concealed):
        if key:
            groups = joined(groups, _held_in_suit(9 * suit, key))
    return groups


@cache
def _held_in_suit(first: int, key: int) -> Groups:
    counts = [(Tile(t), key // UNIT[t] % 5) for t in range(first, min(first + 9, KIND_COUNT))]
    pungs = [tile for tile, count in counts if count >= 3]
    return Groups(
        tuple(pung_item(tile, concealed=True) for tile in pungs),
        sum(1 << tile for tile in pungs),
        sum(1 << tile for tile, count in counts if count == 2),
        len(pungs),
    )


def joined(one: Groups, two: Groups) -> Groups:
    """Returns the groups of both."""
    return Groups(
        one.items + two.items,
        one.triplets | two.triplets,
        one.pairs | two.pairs,
        one.concealed_triplets + two.concealed_triplets,
    )
