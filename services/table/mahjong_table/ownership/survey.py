"""What the store says of workers and shards, and what follows from it. Times in ms of the store's clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    """A worker as its heartbeats tell it."""

    worker_id: str
    address: str
    seen_at: int
    """When the store took its last heartbeat, by the store's clock."""
    noted_at: int
    """The worker's own clock when it sent that heartbeat: outages are counted from then."""
    is_draining: bool = False


@dataclass(frozen=True, slots=True)
class ShardSeen:
    """A shard and who owns it."""

    shard: int
    epoch: int
    """Grows with every change of the owner."""
    worker_id: str | None
    """The owner; None if it was released."""
    stopped_at: int | None = None
    """When its tables stopped, by the clock of the worker that had them; None while they run."""
    stopped_epoch: int | None = None
    """Epoch of that worker."""


@dataclass(frozen=True, slots=True)
class Survey:
    """One reading of the store."""

    now: int
    """The store's clock."""
    workers: Mapping[str, WorkerSeen]
    shards: Sequence[ShardSeen]

    def is_live(self, worker_id: str | None, lease_ms: int) -> bool:
        """Whether a worker's lease holds; one that the store does not know has none."""
        worker = None if worker_id is None else self.workers.get(worker_id)
        return worker is not None and self.now - worker.seen_at <= lease_ms

    def may_claim(self, shard: ShardSeen, claimer: str, lease_ms: int) -> bool:
        """Whether a worker may take a shard: nobody's, its own, or one whose owner's lease has run out."""
        return shard.worker_id in {None, claimer} or not self.is_live(shard.worker_id, lease_ms)

    def stopped_at(self, shard: ShardSeen) -> int | None:
        """Returns when the tables of a shard stopped, if its owner is gone; None if nobody ever had them."""
        if shard.stopped_at is not None or shard.worker_id is None:
            return shard.stopped_at
        owner = self.workers.get(shard.worker_id)
        return None if owner is None else owner.noted_at
