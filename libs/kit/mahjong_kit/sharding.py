"""Shards: the fixed parts that all tables are divided into. Table workers own them, gateways route by them."""

from hashlib import blake2b
from typing import Final

SHARD_COUNT: Final = 1024
"""Fixed for ever: stored rows and Redis keys carry shard numbers."""


def shard_of(table_id: str) -> int:
    """Returns the shard of a table, the same in every process and release."""
    return int.from_bytes(blake2b(table_id.encode(), digest_size=8).digest(), "big") % SHARD_COUNT
