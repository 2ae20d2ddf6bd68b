"""Doubles that every seat can have, winner or not (C55)."""

from functools import lru_cache

from mahjong_engine.classical import awards
from mahjong_engine.kind_bits import DRAGON_BITS, WIND_BITS
from mahjong_engine.settlement import Item
from mahjong_engine.tile import EAST, FLOWERS, SEASONS, Tile


def honour_doubles(triplets: int, pairs: int, seat_wind: Tile, round_wind: Tile) -> list[Item]:
    """Returns the doubles for triplets and pairs of honours, by the kinds of all triplets and pairs."""
    return _dragons(triplets & DRAGON_BITS, pairs) + _winds(triplets & WIND_BITS, pairs, seat_wind, round_wind)


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
def bonus_doubles(bonus: tuple[Tile, ...], seat_wind: Tile) -> tuple[Item, ...]:
    """Returns the doubles for flowers and seasons."""
    number = seat_wind - EAST
    doubles = []
    if FLOWERS[number] in bonus and SEASONS[number] in bonus:
        doubles.append(awards.OWN_FLOWER_AND_SEASON)
    if all(flower in bonus for flower in FLOWERS):
        doubles.append(awards.FOUR_FLOWERS)
    if all(season in bonus for season in SEASONS):
        doubles.append(awards.FOUR_SEASONS)
    return tuple(doubles)
