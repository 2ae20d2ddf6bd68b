"""Awards that every seat can have for honours and bonus tiles, winner or not (C52, C55)."""

from functools import cache, lru_cache

from mahjong_engine.classical import awards
from mahjong_engine.kind_bits import DRAGON_BITS, WIND_BITS
from mahjong_engine.settlement import Item
from mahjong_engine.tile import EAST, FLOWERS, SEASONS, Tile


@cache
def honour_doubles(triplets: int, pairs: int, seat_wind: Tile, round_wind: Tile) -> tuple[Item, ...]:
    """Returns the doubles for triplets and pairs of honours, by their kinds; no other kinds may be given."""
    return (*_dragons(triplets & DRAGON_BITS, pairs), *_winds(triplets & WIND_BITS, pairs, seat_wind, round_wind))


def _dragons(triplets: int, pairs: int) -> list[Item]:
    match triplets.bit_count():
        case 3:
            return [awards.BIG_THREE_DRAGONS]
        case 2 if pairs & DRAGON_BITS:
            return [awards.LITTLE_THREE_DRAGONS]
        case count:
            return [awards.DRAGON_GROUP] * count


def _winds(triplets: int, pairs: int, seat_wind: Tile, round_wind: Tile) -> list[Item]:
    count = triplets.bit_count()
    if count == 4:  # a winner's four winds are a limit hand and never come here
        return [awards.FOUR_WINDS]
    doubles = []
    if triplets >> seat_wind & 1:
        doubles.append(awards.SEAT_WIND)
    if triplets >> round_wind & 1:
        doubles.append(awards.ROUND_WIND)
    if count == 3 and pairs & WIND_BITS:
        doubles.append(awards.LITTLE_FOUR_WINDS)
    return doubles


@lru_cache(maxsize=4096)
def bonus_items(bonus: tuple[Tile, ...], seat_wind: Tile) -> tuple[Item, ...]:
    """Returns the points and doubles of flowers and seasons, of which at least one is shown."""
    number = seat_wind - EAST
    items = [awards.BONUS_TILES[len(bonus)]]
    if FLOWERS[number] in bonus and SEASONS[number] in bonus:
        items.append(awards.OWN_FLOWER_AND_SEASON)
    if all(flower in bonus for flower in FLOWERS):
        items.append(awards.FOUR_FLOWERS)
    if all(season in bonus for season in SEASONS):
        items.append(awards.FOUR_SEASONS)
    return tuple(items)
