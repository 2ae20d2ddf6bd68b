"""Who owns which shard, in virtual time: several workers, one store, clocks that step, heartbeats that get lost."""

from dataclasses import replace

import pytest

from mahjong_table.ownership.lease import Lease, Silence
from mahjong_table.ownership.placement import desired_owner, placement
from mahjong_table.ownership.plan import Limits, Plan, plan_round
from mahjong_table.ownership.survey import ShardSeen, Survey, WorkerSeen
from mahjong_table.shards import SHARD_COUNT

LIMITS = Limits(lease_ms=6_000, silent_ms=2_000, claims_max=64, releases_max=16)


class Store:
    """The two tables of the database, judged as the database does."""

    def __init__(self):
        self.now = 1_000_000
        self.workers = {}
        self.shards = [ShardSeen(shard, 0, None) for shard in range(SHARD_COUNT)]

    def survey(self):
        return Survey(self.now, dict(self.workers), tuple(self.shards))

    def beat(self, worker_id, *, draining=False):
        self.workers[worker_id] = WorkerSeen(worker_id, f"{worker_id}:1", self.now, self.now, draining)

    def claim(self, worker_id, shards):
        survey, taken = self.survey(), {}
        for shard in shards:
            row = self.shards[shard]
            if survey.may_claim(row, worker_id, LIMITS.lease_ms):
                self.shards[shard] = replace(row, epoch=row.epoch + 1, worker_id=worker_id)
                taken[shard] = row.epoch + 1
        return taken

    def release(self, worker_id, shards):
        for shard in shards:
            row = self.shards[shard]
            if row.worker_id == worker_id:
                self.shards[shard] = replace(row, epoch=row.epoch + 1, worker_id=None, stopped_at=self.now)


class Worker:
    """The loop of a worker around the plan."""

    def __init__(self, store, worker_id):
        self.store, self.worker_id, self.held = store, worker_id, {}
        self.with_tables = range(SHARD_COUNT)

    def step(self):
        plan = plan_round(self.store.survey(), self.worker_id, self.held, LIMITS, self.with_tables)
        for shard in plan.lost:
            del self.held[shard]
        self.held |= self.store.claim(self.worker_id, plan.claims)
        for shards in plan.releases.values():
            self.store.release(self.worker_id, shards)
            for shard in shards:
                del self.held[shard]
        return plan


def settle(store, *workers, draining=()):
    """Lets all workers act in turn until nothing is left to do; returns how many turns it took."""
    for turn in range(200):
        for worker in workers:
            store.beat(worker.worker_id, draining=worker.worker_id in draining)
        plans = [worker.step() for worker in workers]
        if all(plan == Plan() for plan in plans):
            return turn
    raise AssertionError("never at rest")


def started(store, *names):
    workers = [Worker(store, name) for name in names]
    settle(store, *workers)
    return workers


def test_every_shard_is_owned_once_and_all_get_about_the_same():
    store = Store()
    workers = started(store, "a", "b", "c")
    assert sorted(shard for worker in workers for shard in worker.held) == list(range(SHARD_COUNT))
    assert all(280 < len(worker.held) < 400 for worker in workers)


def test_a_worker_that_comes_takes_only_its_own_share_from_the_others():
    before = placement(frozenset({"a", "b"}))
    after = placement(frozenset({"a", "b", "c"}))
    moved = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert {new for _, new in moved} == {"c"}
    assert {old for old, _ in moved} == {"a", "b"}


def test_nobody_ought_to_own_a_shard_where_there_are_no_workers():
    assert desired_owner(7, ()) is None


def test_epochs_grow_with_every_change_and_never_fall():
    store = Store()
    a, b = started(store, "a", "b")
    epochs = [row.epoch for row in store.shards]
    settle(store, a, b, draining={"a"})
    assert all(row.epoch >= before for row, before in zip(store.shards, epochs, strict=True))
    assert all(store.shards[shard].epoch == epoch for shard, epoch in b.held.items())
    assert len(b.held) == SHARD_COUNT


def test_a_draining_worker_hands_over_in_bounded_steps():
    store = Store()
    a, _ = started(store, "a", "b")
    store.beat("a", draining=True)
    held = len(a.held)
    plan = a.step()
    assert sum(map(len, plan.releases.values())) == LIMITS.releases_max == held - len(a.held)
    assert set(plan.releases) == {"b"}


def test_shards_without_tables_are_handed_over_all_at_once_and_some_of_the_others():
    store = Store()
    a, _ = started(store, "a", "b")
    a.with_tables = range(0, SHARD_COUNT, 2)
    busy = sum(shard in a.with_tables for shard in a.held)
    store.beat("a", draining=True)
    (given,) = a.step().releases.values()
    assert sum(shard in a.with_tables for shard in given) == LIMITS.releases_max
    assert len(a.held) == busy - LIMITS.releases_max


def test_the_last_worker_keeps_its_shards_even_if_it_drains():
    store = Store()
    (a,) = started(store, "a")
    store.beat("a", draining=True)
    assert a.step() == Plan()


def test_a_dead_worker_is_replaced_after_its_lease_and_not_before():
    store = Store()
    a, b = started(store, "a", "b")
    store.now += LIMITS.lease_ms
    store.beat("b")
    assert not b.step().claims, "the lease has not run out yet"
    store.now += 1
    steps = settle(store, b)
    assert len(b.held) == SHARD_COUNT
    assert steps <= len(a.held) / LIMITS.claims_max + 1


def test_what_comes_from_a_worker_that_falls_silent_is_foreseen_by_its_successors():
    store = Store()
    a, b, c = started(store, "a", "b", "c")
    store.now += LIMITS.silent_ms
    store.beat("b")
    store.beat("c")
    assert b.step() == Plan(), "a heartbeat may be late"
    store.now += 1
    foreseen = [worker.step() for worker in (b, c)]
    assert sorted([*foreseen[0].expected, *foreseen[1].expected]) == sorted(a.held)
    assert [replace(plan, expected=()) for plan in foreseen] == [Plan(), Plan()], "the lease has not run out yet"
    store.now += LIMITS.lease_ms
    store.beat("b")
    store.beat("c")
    settle(store, b, c)
    assert set(foreseen[0].expected) < set(b.held)
    store.beat("a")
    assert b.step().expected == ()


def test_a_worker_that_was_not_heard_itself_foresees_nothing():
    store = Store()
    _, b = started(store, "a", "b")
    store.now += LIMITS.silent_ms + 1
    assert b.step() == Plan(), "the store heard nobody"


def test_a_worker_that_was_replaced_finds_out_and_lets_go():
    store = Store()
    a, b = started(store, "a", "b")
    store.now += LIMITS.lease_ms + 1
    settle(store, b)
    store.beat("a")
    lost = a.step().lost
    assert lost
    assert not set(a.held) & set(lost)
    settle(store, a, b)
    assert not set(a.held) & set(b.held)
    assert len(a.held) + len(b.held) == SHARD_COUNT


def test_a_worker_that_fenced_itself_off_takes_its_shards_again_and_hands_over_what_others_ought_to_have():
    store = Store()
    (first,) = started(store, "a")
    store.beat("b")
    second = Worker(store, "b")
    first.held.clear()  # Its heartbeat was late by its own clock; by the store's it lived all the time.
    settle(store, first, second)
    assert sorted([*first.held, *second.held]) == list(range(SHARD_COUNT))
    assert len(second.held) > 400


def test_a_store_clock_that_is_set_forward_costs_epochs_and_never_gives_a_shard_twice():
    store = Store()
    a, b = started(store, "a", "b")
    store.now += 3_600_000
    store.beat("a")
    a.step()
    owners = {row.shard: (row.worker_id, row.epoch) for row in store.shards}
    stale = [shard for shard, epoch in b.held.items() if owners[shard] != ("b", epoch)]
    assert stale, "the clock's step took shards from a live worker"
    assert not [shard for shard, epoch in a.held.items() if owners[shard] != ("a", epoch)]
    settle(store, a, b)
    assert len(a.held) + len(b.held) == SHARD_COUNT


def test_a_store_clock_that_is_set_back_delays_a_take_over_until_the_lease_is_over_by_it():
    store = Store()
    _, b = started(store, "a", "b")
    store.now -= 10_000
    store.beat("b")
    assert b.step() == Plan()
    store.now += 10_000 + LIMITS.lease_ms + 1
    settle(store, b)
    assert len(b.held) == SHARD_COUNT


def test_an_owner_that_the_store_no_longer_knows_has_no_lease():
    survey = Survey(5, {}, (ShardSeen(0, 3, "gone"),))
    assert survey.may_claim(survey.shards[0], "b", 6_000)
    assert survey.stopped_at(survey.shards[0]) is None


def test_an_outage_is_counted_from_the_dead_owners_last_note_or_from_the_release():
    dead = WorkerSeen("a", "a:1", seen_at=100, noted_at=107)
    survey = Survey(9_000, {"a": dead}, (ShardSeen(0, 3, "a"), ShardSeen(1, 4, None, 55), ShardSeen(2, 9, "a", 40)))
    assert [survey.stopped_at(row) for row in survey.shards] == [107, 55, 40]


@pytest.mark.parametrize(("now", "held"), [(10.0, True), (14.0, True), (14.001, False), (100.0, False)])
def test_a_lease_counts_from_when_its_heartbeat_was_sent(now, held):
    lease = Lease(6.0, 2.0)
    lease.renew(10.0)
    assert lease.is_held(now) is held


def test_a_lease_is_not_shortened_by_an_answer_that_comes_late():
    lease = Lease(6.0, 2.0)
    lease.renew(10.0)
    lease.renew(8.0)
    assert lease.is_held(14.0)


def test_no_lease_is_held_before_the_first_heartbeat_or_after_it_was_given_up():
    lease = Lease(6.0, 2.0)
    assert not lease.is_held(0.0)
    lease.renew(1.0)
    lease.drop()
    assert not lease.is_held(1.0)


def test_a_worker_that_could_not_reach_the_store_bears_with_the_others_until_they_had_time_to_be_heard():
    silence = Silence(lease_s=4.0, usual_s=1.0)
    assert not silence.broken(100.0)
    assert not silence.broken(100.5)
    assert silence.patience_ms(100.5) == 0
    assert silence.broken(107.5)
    assert silence.patience_ms(107.6) == silence.patience_ms(111.5) == 7_000
    assert silence.patience_ms(111.6) == 0


def test_heartbeats_as_usual_after_a_silence_do_not_end_the_patience():
    silence = Silence(lease_s=4.0, usual_s=1.0)
    silence.broken(100.0)
    silence.broken(105.0)
    assert not silence.broken(105.5)
    assert silence.patience_ms(106.0) == 5_000
