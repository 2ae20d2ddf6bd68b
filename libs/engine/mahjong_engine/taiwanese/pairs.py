"""Seven pairs and a triplet: of seventeen tiles one kind thrice and every other twice or four times (T40).

Every function takes all tiles of a seat without melds as `Keys`.
"""

from typing import Final

from mahjong_engine.keys import HALF, Keys, add, count_of, kinds_of, size_of, sum_by_half
from mahjong_engine.tile import Tile

_ODDITY: Final = sum_by_half(0, 2, 0, 1, 0)
"""By half of a suit's integer, what its kinds are away from pairs: 1 for a kind held thrice, 2 for one held once."""
_COUNTS: Final = sum_by_half(0, 1, 1 << 8, 1 << 16, 1 << 24)
"""By half of a suit's integer, how many kinds are held once, twice, thrice and four times, a byte each."""


def is_seven_pairs_and_triplet(keys: Keys) -> bool:
    """Whether the tiles are seven pairs and a triplet; a hand with a meld has too few tiles and is none."""
    bamboo, characters, circles, honours = keys
    oddity = _ODDITY[bamboo % HALF]
    if oddity > 1:  # most hands end here
        return False
    oddity += _ODDITY[bamboo // HALF] + _ODDITY[characters % HALF] + _ODDITY[characters // HALF]
    oddity += _ODDITY[circles % HALF] + _ODDITY[circles // HALF] + _ODDITY[honours % HALF] + _ODDITY[honours // HALF]
    return oddity == 1 and size_of(keys) == 17


def pairs_waits(keys: Keys) -> tuple[Tile, ...]:
    """Returns the kinds that complete sixteen tiles, sorted; never a fifth copy, since four alike are two pairs."""
    if pairs_shanten(keys):
        return ()
    kinds = (tile for tile in kinds_of(keys) if count_of(keys, tile) < 4)
    return tuple(tile for tile in kinds if is_seven_pairs_and_triplet(add(keys, tile)))


def pairs_shanten(keys: Keys) -> int:
    """Returns how many tiles sixteen or seventeen tiles are from ready: -1 complete, 0 ready; never by a fifth copy."""
    counts = sum(_COUNTS[key % HALF] + _COUNTS[key // HALF] for key in keys)
    once, twice, thrice, four_times = counts.to_bytes(4, "little")
    pairs, singles = twice + thrice + 2 * four_times, once + thrice
    kept = _kept(pairs, singles)
    if once:
        kept = max(kept, 1 + _kept(pairs, singles - 1))
    if twice:
        kept = max(kept, 2 + _kept(pairs - 1, singles))
    if thrice:
        kept = max(kept, 3 + _kept(pairs - 1, singles - 1))
    if four_times:
        kept = max(kept, 3 + _kept(pairs - 2, singles))
    return 16 - kept


def _kept(pairs: int, singles: int) -> int:
    """Returns how many tiles go into seven pairs, given the pairs and single tiles beside the triplet."""
    return 14 if pairs >= 7 else 2 * pairs + min(7 - pairs, singles)
