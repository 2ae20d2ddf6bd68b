"""keys.py: four integers hold a hand."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.keys import (
    NO_TILES,
    add,
    count_of,
    fours_of,
    keys_of,
    kinds_of,
    parse_keys,
    remove,
    size_of,
    tiles_of,
)
from mahjong_engine.tile import CODES, KIND_COUNT, SORTED_SET, MalformedTileError, Tile

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


@given(hands)
def test_parse_keys_of_codes_are_the_keys_of_the_tiles(tiles):
    assert parse_keys([CODES[tile] for tile in tiles]) == keys_of(tiles)


@given(st.lists(st.sampled_from(range(KIND_COUNT)), max_size=30))
def test_parse_keys_accepts_exactly_what_a_hand_can_hold(tiles):
    codes = [CODES[tile] for tile in tiles]
    if len(codes) <= 24 and max(Counter(codes).values(), default=0) <= 4:
        assert parse_keys(codes) == keys_of(map(Tile, tiles))
    else:
        with pytest.raises(MalformedTileError):
            parse_keys(codes)


@pytest.mark.parametrize("code", ["1b", "9b", "9c", "9d", "E", "P"])
@pytest.mark.parametrize("copies", range(5, 26))
def test_parse_keys_of_too_many_copies_is_refused(code, copies):
    with pytest.raises(MalformedTileError, match=r"more than four copies|25 tiles are no hand"):
        parse_keys([code] * copies)


@pytest.mark.parametrize("code", ["f1", "s4", "0b", "10b", "e", "", 5, None, ["1b"]])
def test_parse_keys_of_something_else_is_refused(code):
    with pytest.raises(MalformedTileError, match="is no tile that a set can hold"):
        parse_keys(["1b", code])
