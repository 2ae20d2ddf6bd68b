"""Two workers in one process: tables move between them, and one that cannot be heard of stops by itself."""

import asyncio
import uuid
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import update

from mahjong_cli.serve.supervisor import free_ports
from mahjong_table import errors
from mahjong_table.core.entry import TimeCredited
from mahjong_table.ownership.placement import placement
from mahjong_table.shards import shard_of
from mahjong_table.store.connection import writing
from mahjong_table.store.log import Log
from mahjong_table.store.shards import WORKERS
from tests.contract.table.test_recovery import failing_commits
from tests.kit.table_client import plain_answer
from tests.kit.table_log import log_of
from tests.kit.waiting import until
from tests.kit.wire import refused


@pytest.fixture
def open_worker(open_house, database_dsn):
    """Opens a worker at an address of its own, over the same database."""

    @asynccontextmanager
    async def opened(**changed):
        (port,) = free_ports(1)
        async with open_house(database_dsn=database_dsn, port=port, round_s=0.1, **changed) as house:
            yield house

    return opened


async def settled(*houses):
    """Waits until each worker holds just the shards that it ought to have."""
    wanted = placement(frozenset(house.worker.worker_id for house in houses))

    def is_settled():
        return all(
            {shard for shard, owner in enumerate(wanted) if owner == house.worker.worker_id}
            == set(house.worker.keeper.epochs)
            for house in houses
        )

    await until(is_settled)


async def one_table(house):
    """Seats one person, who is asked something; returns its client."""
    (client,) = await house.seats(1)
    await client.until_asked()
    return client


async def test_a_table_moves_to_a_prepared_worker_and_its_player_misses_nothing(open_worker):
    async with open_worker() as first, open_worker() as second:
        await settled(first, second)
        client = await one_table(first)
        decision = client.decision
        sent = {"decision_id": decision.decision_id, "request_id": str(uuid.uuid4())}
        sequence = await client.answer(plain_answer(decision), **sent)
        await client.until(lambda: client.events.get(sequence))

        await first.worker.holder.drain(20)
        assert not first.worker.keeper.epochs
        ended = await client.until_ended()
        assert "DRAINING" in repr(ended.trailing_metadata())
        with refused() as refusal:
            await client.answer(plain_answer(decision), **sent)
        assert refusal.reason == "LEASE_LOST"

        snapshots = len(client.snapshots)
        client.stub = second.stub
        await client.watch()
        assert await client.answer(plain_answer(decision), **sent) == sequence, "the first answer stands"
        await client.until(lambda: client.decision and client.decision.decision_id != decision.decision_id)
        await client.answer(plain_answer(client.decision))
        assert len(client.snapshots) == snapshots, "the stream resumed where it was"
        await client.unwatch()


async def test_a_worker_that_drains_opens_no_table_but_its_successor_does(open_worker, issuer):
    async with open_worker() as first, open_worker() as second:
        await first.worker.holder.drain(20)
        with refused() as refusal:
            await first.open(str(uuid.uuid4()))
        assert refusal.reason == "DRAINING"
        table_id = await second.open(str(uuid.uuid4()))
        assert shard_of(table_id) in second.worker.keeper.epochs


async def test_a_worker_whose_heartbeats_fail_stops_by_itself_and_comes_back(open_worker, monkeypatch):
    async with open_worker(lease_s=6.0, lease_margin_s=1.0) as house:
        client = await one_table(house)
        shards = house.worker.holder._shards
        heartbeat, clock, failed_at = shards.heartbeat, house.worker.env.clock, []

        async def fail(worker):
            failed_at.append(clock.now())
            raise ConnectionError("the database does not answer")

        shards.heartbeat = fail
        ended = await client.until_ended()
        ended_at = clock.now()
        assert "LEASE_LOST" in repr(ended.trailing_metadata())
        assert not house.worker.keeper.epochs
        assert house.metric("fenced_total") == 1
        with refused() as refusal:
            await client.answer(plain_answer(client.decision))
        assert refusal.reason == "LEASE_LOST"

        shards.heartbeat = heartbeat
        await until(lambda: house.worker.keeper.find(client.table_id))
        await client.watch()
        await client.answer(plain_answer(client.decision))
        entries = await log_of(Log(house.database), client.table_id)
        alone_since = max(failed_at[0], *(entry.at for entry in entries if entry.at <= ended_at))
        afterwards = [entry.what for entry in entries if entry.at > ended_at]
        credited = sum(what.shift_ms for what in afterwards if isinstance(what, TimeCredited))
        assert credited >= ended_at - alone_since, "the time without a worker is nobody's loss"
        await client.unwatch()


async def test_the_tables_of_a_worker_that_falls_silent_are_built_before_they_come(open_worker):
    async with open_worker(lease_s=60.0) as first, open_worker(lease_s=60.0) as second:
        await settled(first, second)
        client = await one_table(first)
        decision, keeper = client.decision, second.worker.keeper
        for task in first.worker._holding:
            task.cancel()
        await until(lambda: client.table_id in keeper._ahead)
        assert keeper.find(client.table_id) is None
        sequence = await client.answer(plain_answer(decision))
        await client.until(lambda: client.events.get(sequence))
        async with writing(second.database) as connection:
            silent = WORKERS.c.worker_id == first.worker.worker_id
            await connection.execute(update(WORKERS).where(silent).values(seen_at=0))
        await until(lambda: keeper.find(client.table_id))
        await until(lambda: not keeper._ahead)
        client.stub = second.stub
        await client.watch()
        await client.until(lambda: client.decision and client.decision.decision_id != decision.decision_id)
        await client.answer(plain_answer(client.decision))
        assert len(client.snapshots) == 1, "the stream resumed where it was"


async def test_what_was_built_of_a_worker_that_is_heard_again_is_dropped(open_worker, monkeypatch):
    async with open_worker(lease_s=60.0) as first, open_worker(lease_s=60.0) as second:
        await settled(first, second)
        client = await one_table(first)

        async def fail(worker):
            raise ConnectionError("the database does not answer")

        with monkeypatch.context() as patched:
            patched.setattr(first.worker.holder._shards, "heartbeat", fail)
            await until(lambda: client.table_id in second.worker.keeper._ahead)
        await until(lambda: not second.worker.keeper._ahead)
        await client.answer(plain_answer(client.decision))


async def test_tables_of_a_worker_that_was_not_stopped_in_order_are_taken_after_its_lease(open_worker):
    async with (
        open_worker(lease_s=6.0, lease_margin_s=1.0) as first,
        open_worker(lease_s=6.0, lease_margin_s=1.0) as second,
    ):
        await settled(first, second)
        client = await one_table(first)
        for task in first.worker._holding:
            task.cancel()
        await until(lambda: second.worker.keeper.find(client.table_id))
        with refused() as refusal:
            await client.answer(plain_answer(client.decision))
        assert refusal.reason == "LEASE_LOST", "the old owner's commit is refused, whatever it believes"
        client.stub = second.stub
        await client.watch()
        await client.answer(plain_answer(await client.until_asked()))
        await client.unwatch()


async def test_a_hand_over_whose_release_is_lost_releases_again(open_worker):
    async with open_worker() as house:
        client, holder = await one_table(house), house.worker.holder
        shard = shard_of(client.table_id)
        epoch = house.worker.keeper.epochs[shard]
        async with failing_releases(house, 3):
            await hand_over_to_itself(holder, shard)
        assert (await holder.survey()).shards[shard].epoch > epoch, "it was released"
        await until(lambda: house.worker.keeper.find(client.table_id))


async def test_a_hand_over_that_can_not_release_charges_its_pause_to_nobody(open_worker, monkeypatch):
    """Whoever takes the table next, the same worker or another after its lease, counts from when the table stopped."""
    monkeypatch.setattr("mahjong_table.moves._RELEASE_MAX_S", 0)
    async with open_worker() as house:
        client, holder = await one_table(house), house.worker.holder
        house.worker._holding[-1].cancel()  # Its rounds would take the table back at once.
        async with failing_releases(house, -1):
            with pytest.raises(ConnectionError):
                await hand_over_to_itself(holder, shard_of(client.table_id))
        stopped_at = house.worker.env.clock.now()
        assert house.worker.keeper.find(client.table_id) is None

        async def noted():
            return (await holder.survey()).workers[holder.worker_id]

        async with asyncio.timeout(60):
            while (worker := await noted()).seen_at < stopped_at + 1_000:
                await asyncio.sleep(0.1)
        assert worker.noted_at <= stopped_at, "another worker would count from this heartbeat"

        taken_at = house.worker.env.clock.now()
        await holder._act()
        assert house.worker.keeper.find(client.table_id)
        log, credited = Log(house.database), 0
        async with asyncio.timeout(60):
            while not credited:
                since = [entry for entry in await log_of(log, client.table_id) if entry.at >= stopped_at]
                credited = sum(entry.what.shift_ms for entry in since if isinstance(entry.what, TimeCredited))
        assert credited >= taken_at - stopped_at


async def test_a_take_over_whose_end_could_not_be_noted_plays_on_and_is_noted_by_the_next_round(open_worker):
    async with open_worker() as house:
        holder = house.worker.holder
        house.worker._holding[-1].cancel()
        shards = holder._shards
        settle = shards.settle

        async def unheard(*args):
            raise ConnectionError("the database does not answer")

        client = await one_table(house)
        shard = shard_of(client.table_id)
        holder._moves.let_go([shard], errors.draining())
        await client.until_ended()
        shards.settle = unheard

        async def act_on():  # It is noted once the log has the credit.
            while True:
                await holder._act()

        with pytest.raises(ConnectionError):
            await asyncio.wait_for(act_on(), 60)
        shards.settle = settle
        await client.watch()
        await client.answer(plain_answer(await client.until_asked()))
        assert house.worker.keeper.find(client.table_id)
        await until(lambda: house.worker.keeper.find(client.table_id).is_credited)
        await holder._act()
        assert (await holder.survey()).shards[shard].stopped_at is None
        await client.unwatch()


async def test_the_database_knows_when_tables_stopped_until_their_log_has_the_credit(open_worker):
    """A worker that fails before that must leave the whole outage to the next one, not what came after its claim."""
    async with open_worker() as house:
        client, holder = await one_table(house), house.worker.holder
        house.worker._holding[-1].cancel()
        shard = shard_of(client.table_id)
        stopped_at = house.worker.env.clock.now()
        holder._moves.let_go([shard], errors.draining())
        holder._moves.stops[shard] = stopped_at

        async def noted():
            return (await holder.survey()).shards[shard].stopped_at

        async with failing_commits(house, -1) as failed:
            await holder._act()
            await asyncio.wait_for(failed.wait(), 60)
            await holder._act()
            assert await noted() == stopped_at
            assert holder._me().noted_at <= stopped_at
        async with asyncio.timeout(60):
            while await noted() is not None:
                await holder._act()
        assert house.worker.keeper.find(client.table_id).is_credited
        assert holder._me().noted_at > stopped_at


async def test_heartbeats_say_since_when_a_table_waits_for_a_commit_that_failed(open_worker):
    async with open_worker() as house:
        client, holder = await one_table(house), house.worker.holder
        log = house.worker.keeper._store
        read, back = log.entries_after_each, asyncio.Event()

        async def waiting(*args):
            await back.wait()
            return await read(*args)

        log.entries_after_each = waiting
        before = house.worker.env.clock.now()
        async with failing_commits(house, 1):
            answering = asyncio.create_task(client.answer(plain_answer(client.decision)))
            table = house.worker.keeper.find(client.table_id)
            await until(lambda: table.is_stalled)
            stalled_at = house.worker.env.clock.now()
        await until(lambda: house.worker.env.clock.now() > stalled_at + 300)
        assert before <= holder._me().noted_at <= stalled_at
        back.set()
        await until(lambda: holder._me().noted_at > stalled_at)
        await asyncio.wait([answering])
        answering.exception()


async def test_a_shard_that_is_made_over_runs_at_its_new_owner_under_that_very_epoch(open_worker):
    async with open_worker() as first, open_worker() as second:
        await settled(first, second)
        client = await one_table(first)
        shard = shard_of(client.table_id)
        epoch = first.worker.keeper.epochs[shard]
        second.worker._holding[-1].cancel()  # Its rounds: one that meets the offer would claim the shard anew.
        await first.worker.holder.drain(20)
        assert second.worker.keeper.epochs[shard] == epoch + 1
        assert second.worker.keeper.find(client.table_id)


async def test_what_is_left_when_the_time_for_a_drain_is_over_is_free_at_once(open_worker):
    async with open_worker(releases_max=1) as first, open_worker() as second:
        await settled(first, second)
        for house in (first, second):
            house.worker._holding[-1].cancel()
        clients = [await one_table(first) for _ in range(3)]
        await first.worker.holder.drain(0)
        assert not first.worker.keeper.epochs
        survey = await second.worker.holder.survey()
        left = {shard_of(client.table_id) for client in clients} - set(second.worker.keeper.epochs)
        assert left
        assert {survey.shards[shard].worker_id for shard in left} == {None}


async def hand_over_to_itself(holder, shard):
    """Hands a shard over; the worker that is offered it is the same one."""
    await holder._hand_over({holder.worker_id: [shard]}, await holder.survey())


@asynccontextmanager
async def failing_releases(house, count):
    """Makes the next releases fail; all of them if `count` is negative."""
    shards, left = house.worker.holder._shards, [count]
    release = shards.release

    async def failing(*args):
        if left[0] == 0:
            return await release(*args)
        left[0] -= 1
        raise ConnectionError("the database does not answer")

    shards.release = failing
    try:
        yield
    finally:
        shards.release = release
