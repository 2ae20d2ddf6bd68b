"""What a worker does next about shards: claims and releases in bounded steps, from one reading of the store."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from mahjong_table.ownership.placement import placement
from mahjong_table.ownership.survey import ShardSeen, Survey


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one step does."""

    lease_ms: int = 4_000
    """A worker without a heartbeat for longer may be replaced."""
    silent_ms: int = 1_750
    """One without a heartbeat for longer may soon be: its successors get ready."""
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
    expected: tuple[int, ...] = ()
    """Shards that will be this worker's if those who have fallen silent stay so."""
    releases: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Shards to hand over, by the worker that ought to have them: all without tables, and some that have any."""


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
    expected = tuple(_expected(survey, worker_id, limits))
    releases = {owner: tuple(some) for owner, some in leaving.items()}
    return Plan(lost, tuple(claims[: limits.claims_max]), expected, releases)


def _expected(survey: Survey, worker_id: str, limits: Limits) -> Iterator[int]:
    """Yields what a worker gets if the silent stay so; nothing if it was not heard itself: the store is at fault."""
    heard = _candidates(survey, limits.silent_ms)
    if worker_id in heard:
        wanted = placement(heard)
        for row in survey.shards:
            is_silent = row.worker_id is not None and not survey.is_live(row.worker_id, limits.silent_ms)
            if is_silent and wanted[row.shard] == worker_id:
                yield row.shard


def _candidates(survey: Survey, lease_ms: int) -> frozenset[str]:
    """Returns who may own shards: live workers that do not drain."""
    return frozenset(
        worker_id
        for worker_id, worker in survey.workers.items()
        if not worker.is_draining and survey.is_live(worker_id, lease_ms)
    )


def _is_held(row: ShardSeen | None, worker_id: str, epoch: int) -> bool:
    return row is not None and row.worker_id == worker_id and row.epoch == epoch
