"""Shards never move: stored rows and Redis keys carry their numbers."""

import uuid

import pytest

from mahjong_table.projection.keys import table_keys
from mahjong_table.shards import SHARD_COUNT, shard_of, shard_tag


@pytest.mark.parametrize(
    ("table_id", "shard"),
    [
        ("00000000-0000-0000-0000-000000000000", 10),
        ("6f1e3a52-58cb-4e9c-9d0f-3a1a8c1b2c3d", 962),
    ],
)
def test_the_shard_of_a_table_is_the_same_for_ever(table_id, shard):
    assert shard_of(table_id) == shard


def test_tables_spread_over_the_shards():
    used = {shard_of(str(uuid.UUID(int=number << 64 | number))) for number in range(20_000)}
    assert len(used) == SHARD_COUNT


def test_all_keys_of_a_table_are_in_one_slot():
    assert all(key.startswith(shard_tag(7)) for key in table_keys(7, "a table"))
    assert shard_tag(7) == "{s0007}"
