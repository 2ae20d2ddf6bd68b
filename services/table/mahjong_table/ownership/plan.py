"""What a worker does next about shards: claims and releases in bounded steps, from one reading of the store."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from mahjong_table.ownership.placement import placement
from mahjong_table.ownership.survey import ShardSeen, Survey


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one step does."""

    lease_ms: int = 4_000
    """A worker without a heartbeat for longer may be replaced."""
    claims_max: int = 1_024
    """Shards claimed in one step."""
    releases_max: int = 16
    """Shards with tables handed over in one step: their tables pause together."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do now. All empty: nothing until the next round."""

    lost: tuple[int, ...] = ()
    """Shards that the worker holds and the store gives to another, or has under a later epoch: to be let go at once."""
    claims: tuple[int, ...] = ()
    """Shards to take; the store judges again in the claim's transaction."""
    releases: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Shards to hand over, by the worker that ought to have them: all without tables, and some that have any."""

    @property
    def is_idle(self) -> bool:
        """Whether everything is as it ought to be."""
        return not (self.lost or self.claims or self.releases)


def plan_round(
    survey: Survey, worker_id: str, held: Mapping[int, int], limits: Limits, with_tables: Collection[int]
) -> Plan:
    """Returns what a worker does next.

    Args:
        survey: what the store says.
        worker_id: the worker.
        held: epochs of the shards whose tables it runs.
        limits: how much one step does.
        with_tables: shards whose tables pause when they are handed over.
    """
    rows = {row.shard: row for row in survey.shards}
    lost = tuple(shard for shard, epoch in held.items() if not _is_held(rows.get(shard), worker_id, epoch))
    wanted = placement(_candidates(survey, limits.lease_ms))
    # Its own that it fenced itself off from are taken again even if others ought to have them: nobody else may take
    # them while it lives, and it can only hand over what it holds.
    claims = [
        row.shard
        for row in survey.shards
        if worker_id in {wanted[row.shard], row.worker_id}
        and row.shard not in held
        and survey.may_claim(row, worker_id, limits.lease_ms)
    ]
    leaving: dict[str, list[int]] = defaultdict(list)
    pausing = 0
    for shard in sorted(held):
        owner = wanted[shard]
        if owner in {None, worker_id} or shard in lost:
            continue
        pausing += shard in with_tables
        if owner is not None and (shard not in with_tables or pausing <= limits.releases_max):
            leaving[owner].append(shard)
    return Plan(lost, tuple(claims[: limits.claims_max]), {owner: tuple(some) for owner, some in leaving.items()})


def _candidates(survey: Survey, lease_ms: int) -> frozenset[str]:
    """Returns who may own shards: live workers that do not drain."""
    return frozenset(
        worker_id
        for worker_id, worker in survey.workers.items()
        if not worker.is_draining and survey.is_live(worker_id, lease_ms)
    )


def _is_held(row: ShardSeen | None, worker_id: str, epoch: int) -> bool:
    return row is not None and row.worker_id == worker_id and row.epoch == epoch
