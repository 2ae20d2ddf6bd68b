"""Awards of winds and dragons (T56): of each family at most one pattern, or one item per triplet."""

from typing import Final

from mahjong_engine.kind_bits import DRAGON_BITS, WIND_BITS
from mahjong_engine.settlement import Item
from mahjong_engine.taiwanese import awards


def dragon_awards(triplets: int, pair: int) -> list[Item]:
    """Returns the awards of dragons, by the kinds of all triplets and of the pair."""
    count = (triplets & DRAGON_BITS).bit_count()
    if count == 3:
        return [awards.BIG_THREE_DRAGONS]
    if count == 2 and pair & DRAGON_BITS:
        return [awards.LITTLE_THREE_DRAGONS]
    return [awards.HONOUR_TRIPLET] * count


def wind_awards(triplets: int, pair: int) -> list[Item]:
    """Returns the awards of winds, by the kinds of all triplets and of the pair."""
    count = (triplets & WIND_BITS).bit_count()
    pattern = _WIND_PATTERNS.get((count, bool(pair & WIND_BITS)))
    return [pattern] if pattern else [awards.HONOUR_TRIPLET] * count


def has_wind_pattern(triplets: int, pair: int) -> bool:
    """Whether the winds earn a pattern and not single items."""
    return ((triplets & WIND_BITS).bit_count(), bool(pair & WIND_BITS)) in _WIND_PATTERNS


_WIND_PATTERNS: Final = {
    (2, True): awards.LITTLE_THREE_WINDS,
    (3, False): awards.BIG_THREE_WINDS,
    (3, True): awards.LITTLE_FOUR_WINDS,
    (4, False): awards.BIG_FOUR_WINDS,
}
"""By number of wind triplets, and whether the pair is of winds."""
