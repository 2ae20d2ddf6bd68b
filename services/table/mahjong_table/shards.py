"""Shards as the table service names them."""

from mahjong_kit.sharding import SHARD_COUNT, shard_of

__all__ = ["SHARD_COUNT", "shard_of", "shard_tag"]


def shard_tag(shard: int) -> str:
    """Returns the hash tag that keeps all Redis keys of a shard in one slot of a cluster."""
    return f"{{s{shard:04d}}}"
