"""Melds: sets laid out by a claim or a kong declaration."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from mahjong_engine.keys import Keys, count_of
from mahjong_engine.tile import Seat, Tile


class MeldKind(StrEnum):
    """The kinds of melds, as hand records and scoring cases name them."""

    CHOW = "chow"
    PUNG = "pung"
    CLAIMED_KONG = "claimed_kong"
    PROMOTED_KONG = "promoted_kong"
    CONCEALED_KONG = "concealed_kong"


KONGS = frozenset({MeldKind.CLAIMED_KONG, MeldKind.PROMOTED_KONG, MeldKind.CONCEALED_KONG})


@dataclass(frozen=True, slots=True)
class Meld:
    """One meld. `tile` is its lowest tile; `claimed` and `from_seat` name the discard that made it, if one did."""

    kind: MeldKind
    tile: Tile
    claimed: Tile | None = None
    from_seat: Seat | None = None

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The three or four tiles, sorted."""
        if self.kind is MeldKind.CHOW:
            return (self.tile, Tile(self.tile + 1), Tile(self.tile + 2))
        return (self.tile,) * (4 if self.kind in KONGS else 3)


def has_free_copy(kinds: Iterable[Tile], keys: Keys, melds: tuple[Meld, ...]) -> bool:
    """Whether of some kind a seat does not have all four copies itself, concealed and in melds (C34, T36)."""
    melded = [tile for meld in melds for tile in meld.tiles]
    return any(count_of(keys, kind) + melded.count(kind) < 4 for kind in kinds)
