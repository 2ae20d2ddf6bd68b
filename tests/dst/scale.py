"""The simulation has fewer shards than the platform: rounds of 1,024 cost much time and tell no more."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from mahjong_kit import sharding
from mahjong_table import shards
from mahjong_table.ownership import placement

SHARDS = 16


@contextmanager
def fewer_shards() -> Iterator[None]:
    """Divides the tables into fewer shards."""
    with ExitStack() as stack:
        for module in (sharding, shards, placement):
            stack.enter_context(patch.object(module, "SHARD_COUNT", SHARDS))
        placement.placement.cache_clear()
        yield
        placement.placement.cache_clear()
