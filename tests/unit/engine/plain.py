"""Plain second opinions on shapes: backtracking over counts and search over templates, nothing shared with the engine.

A hand is a list of 34 counts, in the engine's sort order.
"""

import random
from collections.abc import Iterator, Sequence

from mahjong_engine.keys import Keys, keys_of
from mahjong_engine.tile import Tile

Split = tuple[tuple[int, ...], tuple[int, ...], int]
"""Chows by lowest tile, triplets, pair."""

CHOWS = [tile for tile in range(27) if tile % 9 < 7]
GROUPS = [(tile, tile + 1, tile + 2) for tile in CHOWS] + [(tile,) * 3 for tile in range(34)]


def keys(counts: Sequence[int]) -> Keys:
    return keys_of(Tile(tile) for tile in range(34) for _ in range(counts[tile]))


def splits(counts: Sequence[int], sets: int) -> set[Split]:
    """Every way to take the counts apart into so many sets and a pair; any count is allowed, five too."""
    found = set()
    for pair in range(34):
        if counts[pair] >= 2:
            rest = list(counts)
            rest[pair] -= 2
            found |= {(chows, triplets, pair) for chows, triplets in _sets(rest, sets)}
    return found


def _sets(counts: list[int], sets: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    lowest = next((tile for tile in range(34) if counts[tile]), None)
    if lowest is None:
        if sets == 0:
            yield (), ()
        return
    if sets == 0:
        return
    for group in ((lowest,) * 3, (lowest, lowest + 1, lowest + 2)):
        if group[0] != group[1] and lowest not in CHOWS:
            continue
        rest = list(counts)
        for tile in group:
            rest[tile] -= 1
        if min(rest) >= 0:
            for chows, triplets in _sets(rest, sets - 1):
                if group[0] == group[1]:
                    yield chows, (lowest, *triplets)
                else:
                    yield (lowest, *chows), triplets


def waits(counts: Sequence[int], sets: int, most: int) -> tuple[int, ...]:
    """The kinds, held fewer than `most` times, one more of which completes the counts."""
    found = []
    for tile in range(34):
        if counts[tile] < most:
            more = list(counts)
            more[tile] += 1
            if splits(more, sets):
                found.append(tile)
    return tuple(found)


def shanten(counts: Sequence[int], sets: int) -> int:
    """The fewest tiles that any complete hand has beyond the counts, less one; by branch and bound over all hands."""
    best = 3 * sets + 2
    alone = sorted((sum(max(0, group.count(t) - counts[t]) for t in set(group)), group) for group in GROUPS)

    def place(first: int, left: int, used: list[int], cost: int) -> None:
        nonlocal best
        if left == 0:
            best = min(best, cost)
            return
        for index in range(first, len(alone)):
            least, group = alone[index]
            if cost + left * least >= best:
                return
            more = list(used)
            for tile in group:
                more[tile] += 1
            if all(more[tile] <= 4 for tile in group):
                place(index, left - 1, more, sum(max(0, n - held) for n, held in zip(more, counts, strict=True)))

    for pair in range(34):
        used = [0] * 34
        used[pair] = 2
        place(0, sets, used, max(0, 2 - counts[pair]))
    return best - 1


def random_hand(rng: random.Random, size: int) -> list[int]:
    """A deal of so many tiles."""
    counts = [0] * 34
    for copy in rng.sample(range(136), size):
        counts[copy // 4] += 1
    return counts


def random_win(rng: random.Random, sets: int, *, suits: int = 4) -> list[int]:
    """Random sets and a random pair; with fewer suits the tiles lie closer, which makes more splits."""
    tiles = [tile for tile in range(34) if tile // 9 < suits]
    groups = [group for group in GROUPS if group[0] in tiles]
    while True:
        counts = [0] * 34
        counts[rng.choice(tiles)] += 2
        for group in rng.choices(groups, k=sets):
            for tile in group:
                counts[tile] += 1
        if max(counts) <= 4:
            return counts


def swap(rng: random.Random, counts: Sequence[int], times: int) -> list[int]:
    """Exchanges so many random tiles."""
    swapped = list(counts)
    for _ in range(times):
        swapped[rng.choice([tile for tile in range(34) if swapped[tile]])] -= 1
        swapped[rng.choice([tile for tile in range(34) if swapped[tile] < 4])] += 1
    return swapped
