"""Who owns a shard, on both databases: races, leases by the database's clock, the fence against a batch in flight."""

import asyncio
import threading
from dataclasses import replace

import pytest
from sqlalchemy import text, update

from mahjong_kit.sql import open_database
from mahjong_table import migrations
from mahjong_table.ownership.survey import WorkerSeen
from mahjong_table.shards import SHARD_COUNT
from mahjong_table.store.append import Append
from mahjong_table.store.connection import writing
from mahjong_table.store.group_commit import GroupCommit
from mahjong_table.store.shards import WORKERS, ReplacedError, Shards

LEASE_MS = 6_000


def worker(name, noted_at=1_000, **more):
    return WorkerSeen(name, f"{name}:7003", 0, noted_at, **more)


@pytest.fixture
async def database(database_dsn):
    async with open_database(database_dsn, migrations) as opened:
        yield opened


@pytest.fixture
async def shards(database):
    opened = Shards(database)
    await opened.join(worker("a"))
    await opened.join(worker("b"))
    return opened


async def silence(database, name):
    """Lets a worker's last heartbeat be longer ago than its lease."""
    async with writing(database) as connection:
        older = update(WORKERS).where(WORKERS.c.worker_id == name)
        await connection.execute(older.values(seen_at=WORKERS.c.seen_at - LEASE_MS - 1))


async def test_of_two_claims_at_once_each_shard_goes_to_one(shards):
    both = await asyncio.gather(*(shards.claim(name, range(100), LEASE_MS) for name in "ab"))
    taken = [claim.shard for claims in both for claim in claims]
    assert sorted(taken) == list(range(100))
    owners = {row.shard: row.worker_id for row in (await shards.survey()).shards}
    for name, claims in zip("ab", both, strict=True):
        assert {owners[claim.shard] for claim in claims} <= {name}


async def test_a_live_owner_keeps_its_shards(shards):
    await shards.claim("a", [1, 2], LEASE_MS)
    assert await shards.claim("b", [1, 2], LEASE_MS) == []


async def test_an_owner_whose_lease_has_run_out_is_replaced_and_its_last_note_is_when_tables_stopped(shards, database):
    (first,) = await shards.claim("a", [1], LEASE_MS)
    await shards.heartbeat(worker("a", noted_at=4_321))
    await silence(database, "a")
    (second,) = await shards.claim("b", [1], LEASE_MS)
    assert (second.epoch, second.stopped_at) == (first.epoch + 1, 4_321)


async def test_a_take_over_that_was_not_finished_forgets_nothing_of_the_outage(shards, database):
    await shards.claim("a", [1, 2], LEASE_MS)
    await silence(database, "a")
    await shards.claim("b", [1, 2], LEASE_MS)
    await shards.settle("b", [2])
    await shards.heartbeat(worker("b", noted_at=9_000))
    await silence(database, "b")
    await shards.join(worker("c"))
    claimed = await shards.claim("c", [1, 2], LEASE_MS)
    assert [claim.stopped_at for claim in claimed] == [1_000, 9_000]


async def test_what_a_take_over_wrote_that_was_not_finished_tells_better_when_its_table_stopped(shards, database):
    """The stop is a time of the first owner's clock, what came after it one of another's: they do not compare."""
    (first,) = await shards.claim("a", [1], LEASE_MS)
    await shards.settle("a", [1])
    await shards.release("a", {1: first.epoch}, stopped_at=7_000)
    (second,) = await shards.claim("b", [1], LEASE_MS)
    assert second.stop_of(first.epoch) == 7_000
    await shards.release("b", {1: second.epoch}, stopped_at=20)
    (third,) = await shards.claim("a", [1], LEASE_MS)
    await silence(database, "a")
    (fourth,) = await shards.claim("b", [1], LEASE_MS)
    for claim in (third, fourth):
        assert claim.stop_of(first.epoch) == 7_000, "a table that nobody has run since"
        assert claim.stop_of(second.epoch) is None
    await shards.settle("b", [1])
    await shards.release("b", {1: fourth.epoch}, stopped_at=50, to="a")
    (given,) = await shards.given("a", [1])
    assert given.stop_of(fourth.epoch) == 50


async def test_a_released_shard_is_free_at_once_under_a_later_epoch(shards):
    (first,) = await shards.claim("a", [1], LEASE_MS)
    await shards.settle("a", [1])
    await shards.release("a", {1: first.epoch}, stopped_at=7_000)
    (second,) = await shards.claim("b", [1], LEASE_MS)
    assert second.epoch > first.epoch + 1, "a commit of the old owner is fenced from the release on"
    assert second.stopped_at == 7_000


async def test_a_release_under_an_old_epoch_takes_nothing_from_the_new_owner(shards, database):
    (first,) = await shards.claim("a", [1], LEASE_MS)
    await silence(database, "a")
    await shards.claim("b", [1], LEASE_MS)
    await shards.release("a", {1: first.epoch}, stopped_at=7_000)
    assert (await shards.survey()).shards[1].worker_id == "b"


class HeldBatch:
    """A commit of nothing that stays open after the fence until it is let go."""

    def __init__(self, epoch):
        self._commit = GroupCommit([Append("", None, 1, epoch, ())], 0)
        self.held, self.let_go = threading.Event(), threading.Event()

    def on_sqlite(self, connection):
        epochs = self._commit.on_sqlite(connection)
        self.held.set()
        assert self.let_go.wait(60)
        return epochs

    async def on_postgresql(self, connection):
        epochs = await self._commit.on_postgresql(connection)
        self.held.set()
        assert await asyncio.to_thread(self.let_go.wait, 60)
        return epochs


async def test_a_claim_waits_for_a_batch_that_is_being_written_and_fences_the_next_one(shards, database_dsn):
    (first,) = await shards.claim("a", [1], LEASE_MS)
    async with open_database(database_dsn, migrations) as zombie:  # Another process: connections of its own.
        await silence(zombie, "a")
        batch, late = HeldBatch(first.epoch), HeldBatch(first.epoch)
        writing_it = asyncio.create_task(zombie.transact(batch))
        assert await asyncio.to_thread(batch.held.wait, 60)
        claiming = asyncio.create_task(shards.claim("b", [1], LEASE_MS))
        await asyncio.sleep(0.3)
        assert not claiming.done(), "the batch holds its shards until it is written"
        batch.let_go.set()
        assert await writing_it == {1: first.epoch}
        (second,) = await claiming
        late.let_go.set()
        assert await zombie.transact(late) == {1: second.epoch}


async def test_a_worker_at_the_same_address_replaces_the_one_that_was_there(shards):
    await shards.claim("a", [1], LEASE_MS)
    await shards.join(replace(worker("a2"), address="a:7003"))
    (claimed,) = await shards.claim("b", [1], LEASE_MS)
    assert claimed.stopped_at == 1_000
    with pytest.raises(ReplacedError):
        await shards.heartbeat(worker("a"))


async def test_a_worker_that_was_forgotten_makes_itself_known_again(shards, database):
    async with writing(database) as connection:
        await connection.execute(text("DELETE FROM worker"))
    await shards.heartbeat(worker("a", is_draining=True))
    survey = await shards.survey()
    assert survey.workers["a"].is_draining
    assert survey.is_live("a", LEASE_MS)
    assert len(survey.shards) == SHARD_COUNT


async def test_a_worker_that_leaves_is_forgotten_and_what_it_still_has_is_free(shards):
    (first,) = await shards.claim("a", [1], LEASE_MS)
    await shards.settle("a", [1])
    await shards.leave("a", stopped_at=5_000)
    assert "a" not in (await shards.survey()).workers
    (second,) = await shards.claim("b", [1], LEASE_MS)
    assert second.epoch > first.epoch + 1
    assert second.stopped_at == 5_000


async def test_shards_that_are_made_over_belong_to_their_new_owner_and_to_nobody_else(shards):
    (first, _) = await shards.claim("a", [1, 2], LEASE_MS)
    await shards.settle("a", [1, 2])
    await shards.release("a", {1: first.epoch}, stopped_at=7_000, to="b")
    (given,) = await shards.given("b", [1, 2, 3])
    assert (given.shard, given.epoch, given.stopped_at) == (1, first.epoch + 1, 7_000)
    assert [each.shard for each in await shards.given("a", [1, 2, 3])] == [2]
    assert await shards.claim("a", [1], LEASE_MS) == []


async def test_shards_that_were_made_over_to_a_worker_that_died_are_taken_after_its_lease(shards, database):
    (first,) = await shards.claim("a", [1], LEASE_MS)
    await shards.settle("a", [1])
    await shards.release("a", {1: first.epoch}, stopped_at=7_000, to="b")
    await silence(database, "b")
    (second,) = await shards.claim("a", [1], LEASE_MS)
    assert second.stopped_at == 7_000, "nobody has played since"
