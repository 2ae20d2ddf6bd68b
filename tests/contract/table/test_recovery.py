"""Stores that fail under a table: nothing acknowledged is lost, nothing is doubled, play goes on."""

import asyncio
import uuid
from contextlib import asynccontextmanager

import grpc
import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from mahjong_kit.errors import internal_error
from mahjong_table.errors import lease_lost
from mahjong_table.keeper import Keeper
from mahjong_table.shards import SHARD_COUNT
from mahjong_table.store.shards import Shards
from mahjongplanet.game.v1 import terms_pb2 as game
from tests.contract.table.test_playing import discard_of, east_to_discard
from tests.kit.table_client import plain_answer
from tests.kit.waiting import until
from tests.kit.wire import refused


@asynccontextmanager
async def failing_commits(house, count, *, after_writing=False):
    """Makes the next commits fail, before they write or as if the answer of the database was lost."""
    log = house.worker.keeper._store
    commit, left = log.commit, [count]
    failed = asyncio.Event()

    async def failing(appends, now):
        if left[0] == 0:
            return await commit(appends, now)
        left[0] -= 1
        if after_writing:
            await commit(appends, now)
        failed.set()
        raise OperationalError("INSERT", {}, Exception("the connection was lost"))

    log.commit = failing
    try:
        yield failed
    finally:
        log.commit = commit


async def answer_until_taken(seat, action, decision_id, request_id):
    """Sends an answer as a client does: the same again as long as the store is said to be unreachable."""
    refusals = 0
    async with asyncio.timeout(60):
        while True:
            try:
                return await seat.answer(action, decision_id=decision_id, request_id=request_id), refusals
            except grpc.aio.AioRpcError as error:
                assert error.code() is grpc.StatusCode.UNAVAILABLE, error  # noqa: PT017 - the loop goes on
                refusals += 1
                await asyncio.sleep(0.02)


@pytest.mark.parametrize("after_writing", [False, True])
async def test_commits_that_fail_are_told_as_an_unreachable_store_and_lose_nothing(any_house, after_writing):
    east, *_ = await east_to_discard(any_house)
    decision_id, action, request_id = east.decision.decision_id, discard_of(east), str(uuid.uuid4())
    async with failing_commits(any_house, 2, after_writing=after_writing):
        with refused() as refusal:
            await east.answer(action, request_id=request_id)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNREACHABLE")
        assert refusal.metadata == {"store": "database"}
        sequence, _ = await answer_until_taken(east, action, decision_id, request_id)
    closed = await east.until(lambda: east.events.get(sequence))
    assert closed.decision_closed.decision_id == decision_id
    await east.until_event("discarded")
    await asyncio.sleep(0)
    assert len(east.events_of("discarded")) == 1


async def test_nothing_is_shown_of_an_answer_that_was_not_committed(house):
    east, south, *_ = await east_to_discard(house)
    async with failing_commits(house, 1) as failed:
        with refused():
            await east.answer(discard_of(east))
        assert failed.is_set()
    assert not south.events_of("discarded")


async def test_two_tables_of_one_failed_commit_both_go_on(open_house):
    async with open_house(commit_linger_ms=50) as house:
        tables = [await east_to_discard(house) for _ in range(2)]
        async with failing_commits(house, 1):
            answers = [
                answer_until_taken(east, discard_of(east), east.decision.decision_id, str(uuid.uuid4()))
                for east, *_ in tables
            ]
            assert all(refusals for _, refusals in await asyncio.gather(*answers))
        for east, *_ in tables:
            await east.until_event("discarded")


async def test_time_that_the_store_was_away_is_credited(house):
    east, *_ = await east_to_discard(house)
    before = east.decision.deadline_time.ToMilliseconds()
    async with failing_commits(house, 1):
        log = house.worker.keeper._store
        entries_after_each, back = log.entries_after_each, asyncio.Event()

        async def waiting(sequences):
            await back.wait()
            return await entries_after_each(sequences)

        log.entries_after_each = waiting
        head = east.sequence
        with refused():
            await east.answer(discard_of(east))
        await asyncio.sleep(0.3)
        with refused() as refusal:
            await east.answer(discard_of(east))
        assert refusal.reason == "STORE_UNREACHABLE"
        back.set()
        log.entries_after_each = entries_after_each
    again = await east.until_event("decision_opened", after=head)
    assert again.decision_opened.decision.deadline_time.ToMilliseconds() - before >= 300


async def test_a_restart_keeps_the_hand_the_streams_and_the_clocks(any_house):
    seats = await east_to_discard(any_house)
    east, south, *_ = seats
    answered = east.decision.decision_id
    await east.answer(discard_of(east))
    await south.until_event("discarded")
    heads = [seat.sequence for seat in seats]
    await any_house.restart()
    for seat in seats:
        await seat.watch()
    for seat, head in zip(seats, heads, strict=True):
        await seat.until(lambda s=seat, h=head: s.sequence >= h)
        assert len(seat.snapshots) == 1

    def open_to():  # The next in turn, or whoever may claim the discard: no turn starts then.
        return [seat for seat in seats if seat.decision and seat.decision.decision_id != answered]

    await until(open_to)
    asked = open_to()[0]
    decision = asked.decision
    assert await asked.answer(plain_answer(decision), decision_id=decision.decision_id)


async def test_a_restart_between_hands_keeps_the_result(house):
    (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND)
    await seat.play_hand(0)
    dealt = len(seat.events_of("hand_dealt"))  # None where the first snapshot had the first hand.
    await house.restart()
    await seat.watch()
    await seat.confirm(0)
    await seat.until(lambda: len(seat.events_of("hand_dealt")) > dealt)
    await seat.play_hand(1)


async def test_a_restart_while_nonces_are_taken_keeps_those_that_were_given(open_house):
    async with open_house(nonce_window_ms=60_000) as house:
        one, two = await house.seats(2)
        await one.give_nonce(b"1" * 32)
        await house.restart()
        await one.watch()
        with refused() as refusal:
            await one.give_nonce(b"9" * 32)
        assert refusal.reason == "NONCE_CLOSED"
        await two.give_nonce(b"2" * 32)
        await one.until_event("hand_dealt")


async def test_redis_may_be_wiped_in_the_middle_of_a_hand(house):
    seats = await east_to_discard(house)
    east = seats[0]
    await house.until_projected(east.table_id)
    await house.redis.flushall()
    await house.redis.script_flush()
    await east.answer(discard_of(east))
    table = house.worker.keeper.find(east.table_id)
    key = f"{{s{table.shard:04d}}}:table:{east.table_id}"
    async with asyncio.timeout(60):
        while await house.redis.hget(key, "sequence") != str(table.state.sequence).encode():
            await asyncio.sleep(0.02)
    clocks = await house.redis.hgetall(key)
    assert clocks[b"match_id"].decode() == table.state.terms.match_id
    assert house.metric("projections_total", outcome="lost") >= 1


async def test_the_projection_holds_clocks_deadline_and_owner(house):
    east, *_ = await east_to_discard(house)
    table = house.worker.keeper.find(east.table_id)
    tag = f"{{s{table.shard:04d}}}"
    async with asyncio.timeout(60):
        while await house.redis.hget(f"{tag}:table:{east.table_id}", "sequence") != str(table.state.sequence).encode():
            await asyncio.sleep(0.02)
        while not await house.redis.get(f"{tag}:owner"):
            await asyncio.sleep(0.02)

    def deadline():  # It moves while a slow commit is being credited.
        return east.decision.deadline_time.ToMilliseconds()

    async with asyncio.timeout(60):
        while await house.redis.zscore(f"{tag}:deadlines", east.table_id) != deadline():
            await asyncio.sleep(0.02)
    clock = await house.redis.hget(f"{tag}:table:{east.table_id}", "clock0")
    assert f'"deadline":{deadline()}'.encode() in clock
    assert b'"reserve_ms":20000' in clock
    assert int(await house.redis.get(f"{tag}:epoch")) == table.epoch


async def test_a_worker_that_was_replaced_writes_nothing_more(open_house, issuer):
    async with open_house() as old:
        east, *_ = await east_to_discard(old)
        async with open_house() as new:
            with refused() as refusal:
                await east.answer(discard_of(east))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "LEASE_LOST")
            error = await east.until_ended()
            assert "LEASE_LOST" in repr(error.trailing_metadata())
            newer = new.client(east.player_id, east.table_id)
            await newer.watch(after=east.sequence, epoch=east.epoch)
            await newer.until(lambda: newer.statuses)
            assert await newer.answer(discard_of(east), decision_id=east.decision.decision_id)


async def test_no_table_is_opened_by_a_worker_that_was_replaced(open_house):
    async with open_house() as old, open_house():
        with refused() as refusal:
            await old.open(str(uuid.uuid4()))
        assert refusal.reason in {"LEASE_LOST", "DRAINING"}, "before and after the old one has found out"


async def test_a_fault_in_one_table_halts_that_table_alone(house, monkeypatch):
    (broken,), (well,) = [await house.seats(1) for _ in range(2)]
    await broken.until_asked()
    await well.until_asked()
    table = house.worker.keeper.find(broken.table_id)
    table.state = None
    with refused() as refusal:
        await broken.answer(plain_answer(broken.decision))
    assert refusal.code is grpc.StatusCode.INTERNAL
    assert await well.answer(plain_answer(well.decision))


async def test_computers_answer_again_what_was_lost_with_a_commit(house):
    (seat,) = await house.seats(1, clock=game.CLOCK_UNTIMED, table_kind=game.TABLE_KIND_PRACTICE)
    await seat.until_asked()
    async with failing_commits(house, 25) as failed:
        playing = asyncio.create_task(seat.play_on())
        await failed.wait()
        async with asyncio.timeout(120):
            await playing
    assert seat.ended is True


async def test_a_computer_that_fails_is_answered_for_by_the_server(house, monkeypatch):
    def broken(level, seen):
        raise ZeroDivisionError(level)

    monkeypatch.setattr("mahjong_table.computers.decide", broken)
    (seat,) = await house.seats(1, clock=game.CLOCK_UNTIMED, table_kind=game.TABLE_KIND_PRACTICE)
    with capture_logs() as told:  # To write so many tracebacks takes longer than the hand.
        async with asyncio.timeout(120):
            await seat.play_on()
    assert seat.ended is True
    assert any(line["event"] == "computer.failed" for line in told)


async def test_a_halted_table_can_not_be_watched(house):
    (seat,) = await house.seats(1)
    await seat.until_asked()
    house.worker.keeper.find(seat.table_id).halt(internal_error("x"))
    assert (await seat.until_ended()).code() is grpc.StatusCode.INTERNAL
    await seat.watch()
    assert (await seat.until_ended()).code() is grpc.StatusCode.INTERNAL


async def test_a_worker_whose_take_over_outlasts_its_lease_keeps_what_it_has_taken(open_house, monkeypatch):
    claim = Shards.claim

    async def slow(*arguments, **named):
        await asyncio.sleep(0.65)
        return await claim(*arguments, **named)

    monkeypatch.setattr(Shards, "claim", slow)
    async with open_house(lease_s=6.0, lease_margin_s=0.5, alive_period_s=0.1, claims_max=SHARD_COUNT // 10) as house:
        epochs = house.worker.keeper.epochs
        assert len(epochs) == SHARD_COUNT, "it would have stopped, or been fenced, without heartbeats on the way"
        assert set(epochs.values()) == {1}


async def test_a_take_over_is_timed_from_its_claim_however_many_steps_it_takes(house, monkeypatch):
    load_all, pause_s = Keeper.load_all, 0.05

    async def slow(*arguments):
        await asyncio.sleep(pause_s)
        return await load_all(*arguments)

    shard = 0
    while shard < SHARD_COUNT // 2:
        (seat,) = await house.seats(1)
        shard = house.worker.keeper.find(seat.table_id).shard
    monkeypatch.setattr(Keeper, "load_all", slow)
    await house.restart()
    assert house.metric("take_over_seconds_sum") > pause_s * SHARD_COUNT / 2 / 64


async def test_a_table_that_has_come_back_stays_when_a_commit_from_before_is_refused(house):
    (seat,) = await house.seats(1)
    keeper = house.worker.keeper
    before = keeper.find(seat.table_id)
    before.halt(lease_lost())
    del keeper._live[seat.table_id]
    back = keeper.load(house.worker.env, await keeper._tables.load_table(seat.table_id), None)
    keeper.lost(before)
    assert keeper.find(seat.table_id) is back
