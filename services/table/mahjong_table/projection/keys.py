"""Names of the keys in Redis, all of a shard in one slot of a cluster."""

from functools import lru_cache

from mahjong_engine.state import SEATS
from mahjong_table.core.state import EPOCH
from mahjong_table.shards import SHARD_COUNT, shard_tag


@lru_cache(maxsize=SHARD_COUNT)
def epoch_key(shard: int) -> str:
    """Returns the key of the newest epoch that has written to a shard: a string."""
    return f"{shard_tag(shard)}:epoch"


@lru_cache(maxsize=SHARD_COUNT)
def owner_key(shard: int) -> str:
    """Returns the key of the address of the worker that owns a shard: a string."""
    return f"{shard_tag(shard)}:owner"


@lru_cache(maxsize=SHARD_COUNT)
def deadlines_key(shard: int) -> str:
    """Returns the key of the deadlines of a shard: a sorted set of table ids by ms."""
    return f"{shard_tag(shard)}:deadlines"


def table_key(shard: int, table_id: str) -> str:
    """Returns the key of a table's clocks: a hash."""
    return f"{shard_tag(shard)}:table:{table_id}"


def events_key(shard: int, table_id: str, seat: int) -> str:
    """Returns the key of the newest events of one viewer: a stream with their sequences as ids."""
    return f"{table_key(shard, table_id)}:events:{EPOCH}:{seat}"


def table_keys(shard: int, table_id: str) -> list[str]:
    """Returns all keys of a table."""
    return [table_key(shard, table_id), *(events_key(shard, table_id, seat) for seat in SEATS)]
