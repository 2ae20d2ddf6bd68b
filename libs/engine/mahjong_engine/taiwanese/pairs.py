"""Seven pairs and a triplet: of seventeen tiles one kind thrice and every other twice or four times (T40)."""

from mahjong_engine.keys import Keys, add, count_of
from mahjong_engine.tile import KIND_COUNT, Tile


def is_seven_pairs_and_triplet(keys: Keys) -> bool:
    """Whether the tiles are seven pairs and a triplet; seventeen tiles, so never with a meld."""
    counts = [n for n in _counts(keys) if n]
    return sum(counts) == 17 and counts.count(3) == 1 and 1 not in counts


def pairs_waits(keys: Keys) -> tuple[Tile, ...]:
    """Returns the kinds that complete sixteen tiles, sorted; never a fifth copy: four alike are two pairs."""
    kinds = (Tile(t) for t, n in enumerate(_counts(keys)) if n < 4)
    return tuple(tile for tile in kinds if is_seven_pairs_and_triplet(add(keys, tile)))


def pairs_shanten(keys: Keys) -> int:
    """Returns how many tiles sixteen or seventeen tiles are from ready: -1 complete, 0 ready."""
    counts = _counts(keys)
    best = 0
    for triplet in set(counts):
        rest = list(counts)
        rest.remove(triplet)
        pairs = sum(n // 2 for n in rest)
        singles = sum(n % 2 for n in rest)
        best = max(best, min(triplet, 3) + 2 * min(pairs, 7) + min(max(7 - pairs, 0), singles))
    return 16 - best


def _counts(keys: Keys) -> list[int]:
    return [count_of(keys, Tile(t)) for t in range(KIND_COUNT)]
