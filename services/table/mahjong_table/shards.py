"""Shards: the fixed parts that all tables are divided into, each owned by one worker at a time."""

from hashlib import blake2b
from typing import Final

SHARD_COUNT: Final = 1024
"""Fixed for ever: stored rows and Redis keys carry shard numbers."""


def shard_of(table_id: str) -> int:
    """Returns the shard of a table, the same in every process and release."""
    return int.from_bytes(blake2b(table_id.encode(), digest_size=8).digest(), "big") % SHARD_COUNT


def shard_tag(shard: int) -> str:
    """Returns the hash tag that keeps all Redis keys of a shard in one slot of a cluster."""
    return f"{{s{shard:04d}}}"
