"""Numbers for the 136 single tiles, as Riichi libraries want them."""

from collections.abc import Iterable

from loadtests.engine.samples import RIICHI_TILE


class Copies:
    """Hands out the copies of one hand; copy 0, a red five for some libraries, comes last."""

    def __init__(self) -> None:
        self._given = [0] * 34

    def of(self, tiles: Iterable[int]) -> list[int]:
        """Returns a copy for each of our tiles."""
        copies = []
        for tile in tiles:
            number = RIICHI_TILE[tile]
            copies.append(4 * number + 3 - self._given[number])
            self._given[number] += 1
        return copies
