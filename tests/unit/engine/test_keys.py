"""keys.py: four integers hold a hand."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.keys import NO_TILES, add, count_of, fours_of, keys_of, kinds_of, remove, size_of, tiles_of
from mahjong_engine.tile import KIND_COUNT, SORTED_SET, Tile

hands = st.lists(st.sampled_from(range(136)), unique=True, max_size=17).map(lambda c: [Tile(copy // 4) for copy in c])


@given(hands)
def test_tiles_of_keys_are_the_tiles_in_sort_order(tiles):
    assert tiles_of(keys_of(tiles)) == tuple(sorted(tiles))


@given(hands)
def test_reading_keys_agrees_with_counting_the_tiles(tiles):
    counts = Counter(tiles)
    keys = keys_of(tiles)
    assert {tile: count_of(keys, tile) for tile in map(Tile, range(KIND_COUNT))} == {
        tile: counts[tile] for tile in range(KIND_COUNT)
    }
    assert kinds_of(keys) == tuple(sorted(counts))
    assert fours_of(keys) == tuple(sorted(tile for tile in counts if counts[tile] == 4))
    assert size_of(keys) == len(tiles)


@given(hands)
def test_adding_tile_by_tile_and_removing_them_again_leads_back(tiles):
    keys = NO_TILES
    for tile in tiles:
        keys = add(keys, tile)
    assert keys == keys_of(tiles)
    for tile in tiles:
        keys = remove(keys, tile)
    assert keys == NO_TILES


@pytest.mark.parametrize("tile", range(KIND_COUNT))
def test_four_copies_of_any_tile_fit(tile):
    keys = keys_of([Tile(tile)] * 4)
    assert tiles_of(keys) == (tile,) * 4
    assert fours_of(keys) == (tile,)


def test_all_136_tiles_fit():
    tiles = SORTED_SET[:136]
    assert tiles_of(keys_of(tiles)) == tiles
    assert size_of(keys_of(tiles)) == 136
