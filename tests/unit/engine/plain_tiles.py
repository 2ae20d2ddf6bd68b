"""Tiles and arrangements by their codes, for the plain second scorers."""

from collections import Counter
from collections.abc import Iterator

WINDS = ["E", "S", "W", "N"]
DRAGONS = ["R", "G", "P"]
HONOURS = WINDS + DRAGONS
KINDS = [f"{rank}{suit}" for suit in "bcd" for rank in range(1, 10)] + HONOURS
MAJORS = [kind for kind in KINDS if kind in HONOURS or kind[0] in "19"]

Sets = list[list[str]]


def is_pung(tiles: list[str]) -> bool:
    """Whether a set is three alike."""
    return tiles[0] == tiles[1]


def sets_and_pair(tiles: list[str], sets: int) -> Iterator[tuple[Sets, str]]:
    """Yields each way to take tiles apart into so many sets and a pair; five copies of a kind are allowed."""
    for pair, count in Counter(tiles).items():
        if count >= 2:
            rest = sorted(tiles, key=KINDS.index)
            rest.remove(pair)
            rest.remove(pair)
            for found in _sets(rest):
                if len(found) == sets:
                    yield found, pair


def _sets(tiles: list[str]) -> Iterator[Sets]:
    if not tiles:
        yield []
        return
    first = tiles[0]
    candidates = [[first] * 3]
    if first[0] in "1234567" and first not in HONOURS:
        candidates.append([f"{int(first[0]) + step}{first[1]}" for step in range(3)])
    for candidate in candidates:
        if not Counter(candidate) - Counter(tiles):
            rest = list(tiles)
            for tile in candidate:
                rest.remove(tile)
            for found in _sets(rest):
                yield [candidate, *found]


def arrangements(tiles: list[str], sets: int, winning: str) -> Iterator[tuple[Sets, str, int]]:
    """Yields sets, pair and place of the winning tile: the index of its set, or -1 for the pair."""
    for found, pair in sets_and_pair(tiles, sets):
        if pair == winning:
            yield found, pair, -1
        for index, group in enumerate(found):
            if winning in group:
                yield found, pair, index
