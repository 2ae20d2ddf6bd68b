"""Which worker ought to own which shard: rendezvous hashing, so that a change moves only what it must."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from mahjong_table.shards import SHARD_COUNT


def desired_owner(shard: int, workers: Iterable[str]) -> str | None:
    """Returns the worker with the greatest weight for a shard, the same in every process; None if there are none."""
    return max(workers, key=lambda worker_id: (_weight(shard, worker_id), worker_id), default=None)


@lru_cache(maxsize=8)
def placement(workers: frozenset[str]) -> tuple[str | None, ...]:
    """Returns the desired owner of every shard, by shard."""
    return tuple(desired_owner(shard, workers) for shard in range(SHARD_COUNT))


def _weight(shard: int, worker_id: str) -> bytes:
    return blake2b(f"{shard}:{worker_id}".encode(), digest_size=8).digest()
