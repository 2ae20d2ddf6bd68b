"""From groups to tables: races, replicas, and a table service that fails."""

import asyncio
import uuid
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from mahjong_kit.errors import InternalError, InvalidRequestError, ThrottledError, UnavailableError
from mahjong_kit.redis import open_redis
from mahjong_matchmaker import keys, making
from mahjong_matchmaker.pool_store import LeaseLostError, PoolStore
from mahjong_matchmaker.pools import POOLS
from mahjong_matchmaker.seating import seat_group
from mahjong_matchmaker.ticket_store import Joining, TicketStore
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.contract.matchmaker.conftest import Person, replica

QUEUED, MATCHED = pb.TICKET_STATE_QUEUED, pb.TICKET_STATE_MATCHED
CANCELLED, EXPIRED = pb.TICKET_STATE_CANCELLED, pb.TICKET_STATE_EXPIRED
POOL = POOLS[0]


async def join_and_wait(one):
    return await one.end_of((await one.join()).ticket_id)


async def forming(hall):
    """Waits until the hall was asked for a table."""
    async with asyncio.timeout(60):
        while not hall.calls:
            await asyncio.sleep(0.01)


async def test_two_hundred_players_at_once_get_fifty_tables(person, hall):
    people = [person() for _ in range(200)]
    ends = await asyncio.gather(*map(join_and_wait, people))
    assert {end.state for end in ends} == {MATCHED}
    assert set(Counter(end.table_id for end in ends).values()) == {4}
    assert Counter(hall.people()) == Counter(one.player_id for one in people)
    assert len(hall.requests) == 50


async def test_cancelling_and_matching_never_both_happen(person, hall, clock):
    people = [person() for _ in range(60)]

    async def hesitate(one, *, cancels):
        ticket = await one.join()
        if cancels:
            await one.cancel(ticket.ticket_id)
        return ticket.ticket_id

    tickets = await asyncio.gather(*(hesitate(one, cancels=index % 3 == 0) for index, one in enumerate(people)))
    clock.move(15)  # Computers join those who are left.
    ends = await asyncio.gather(*(one.end_of(ticket) for one, ticket in zip(people, tickets, strict=True)))
    seated = Counter(hall.people())
    assert [seated[one.player_id] for one in people] == [1 if end.state == MATCHED else 0 for end in ends]
    assert {end.state for index, end in enumerate(ends) if index % 3} == {MATCHED}
    assert {end.state for end in ends} <= {MATCHED, CANCELLED}


async def test_replicas_share_the_pools_and_seat_nobody_twice(settings, clock, issuer, hall):
    async with AsyncExitStack() as stack:
        stubs = [await stack.enter_async_context(replica(settings, clock)) for _ in range(3)]
        people = [Person(stubs[index % 3], issuer) for index in range(60)]
        ends = await asyncio.gather(*map(join_and_wait, people))
    assert {end.state for end in ends} == {MATCHED}
    assert Counter(hall.people()) == Counter(one.player_id for one in people)


async def test_another_replica_leads_on_when_the_leader_has_gone(settings, clock, issuer):
    async with AsyncExitStack() as stack:
        first = replica(settings, clock)
        await first.__aenter__()
        second = await stack.enter_async_context(replica(settings, clock))
        await first.__aexit__(None, None, None)
        ends = await asyncio.gather(*(join_and_wait(Person(second, issuer)) for _ in range(4)))
    assert {end.state for end in ends} == {MATCHED}


async def test_stream_of_one_replica_tells_what_another_has_done(settings, clock, issuer):
    async with replica(settings, clock) as first, replica(settings, clock) as second:
        one = Person(first, issuer)
        ticket = await one.join()
        watching = asyncio.create_task(one.end_of(ticket.ticket_id))
        one.stub = second
        assert (await one.cancel(ticket.ticket_id)).state == CANCELLED
        assert (await watching).state == CANCELLED


async def test_table_that_cannot_be_made_yet_is_made_later_under_the_same_match(person, hall):
    hall.refusals += [UnavailableError(ErrorReason.ERROR_REASON_STORE_UNREACHABLE, store="sql") for _ in range(6)] + [
        InternalError(ErrorReason.ERROR_REASON_INTERNAL)
    ]
    ends = await asyncio.gather(*(join_and_wait(person()) for _ in range(4)))
    assert {end.state for end in ends} == {MATCHED}
    assert len(set(hall.calls)) == len(hall.requests) == 1
    assert len(hall.calls) > 7


async def test_table_whose_making_was_not_told_is_found_again(person, hall):
    def lose_the_answer():
        raise UnavailableError(ErrorReason.ERROR_REASON_DRAINING)

    hall.after_commit = lose_the_answer
    ends = await asyncio.gather(*(join_and_wait(person()) for _ in range(4)))
    assert {end.table_id for end in ends} == set(hall.tables.values())
    assert len(hall.tables) == 1


async def test_player_who_sits_elsewhere_is_dropped_and_the_others_go_back_to_the_front(person, hall):
    people = [person() for _ in range(3)]
    tickets = [await one.join() for one in people]
    hall.seats[people[1].player_id] = ("elsewhere", "other match")
    late = [person(), person()]
    newest = [await one.join() for one in late]
    first, dropped, third = await asyncio.gather(
        *(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True))
    )
    ends = await asyncio.gather(*(one.end_of(ticket.ticket_id) for one, ticket in zip(late, newest, strict=True)))
    assert dropped.state == CANCELLED
    assert {end.state for end in (first, third, *ends)} == {MATCHED}
    assert len({end.table_id for end in (first, third, *ends)}) == 1
    assert first.join_time == tickets[0].join_time


async def test_tickets_go_back_to_the_pool_while_there_is_no_capacity(person, hall, clock):
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=0.3)]
    people = [person() for _ in range(4)]
    tickets = [await one.join() for one in people]
    await forming(hall)
    ends = await asyncio.gather(*(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True)))
    assert {end.state for end in ends} == {MATCHED}
    assert len(hall.calls) == len(set(hall.calls)) == 2, "a match that was given up is not made again"


async def test_match_that_is_refused_for_good_ends_its_tickets(person, hall):
    hall.refusals += [InvalidRequestError(ErrorReason.ERROR_REASON_INVALID_FIELD, field="occupants", problem="odd")]
    ends = await asyncio.gather(*(join_and_wait(person()) for _ in range(4)))
    assert {end.state for end in ends} == {CANCELLED}
    assert len(hall.calls) == 1


async def test_match_that_the_table_service_fails_to_make_again_and_again_is_given_up(person, hall, monkeypatch):
    monkeypatch.setattr(making, "FAULTS_MAX", 3)
    hall.refusals += [InternalError(ErrorReason.ERROR_REASON_INTERNAL) for _ in range(3)]
    ends = await asyncio.gather(*(join_and_wait(person()) for _ in range(4)))
    assert {end.state for end in ends} == {CANCELLED}
    assert len(hall.calls) == 3


async def test_table_that_is_there_after_faults_is_found(person, hall, monkeypatch):
    monkeypatch.setattr(making, "FAULTS_MAX", 1)

    def fail():
        raise InternalError(ErrorReason.ERROR_REASON_INTERNAL)

    hall.after_commit = fail
    ends = await asyncio.gather(*(join_and_wait(person()) for _ in range(4)))
    assert {end.table_id for end in ends} == set(hall.tables.values())


async def test_cancelling_while_the_table_is_made_tells_that_it_was_matched(person, hall):
    hall.open.clear()
    people = [person() for _ in range(4)]
    tickets = [await one.join() for one in people]
    await forming(hall)
    cancelling = asyncio.create_task(people[0].cancel(tickets[0].ticket_id))
    await asyncio.sleep(0.1)
    hall.open.set()
    assert (await cancelling).state == MATCHED
    assert len(hall.people()) == 4


async def test_cancelling_while_the_table_cannot_be_made_takes_effect_when_it_is_given_up(person, hall):
    hall.open.clear()
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=0.1)]
    people = [person() for _ in range(4)]
    tickets = [await one.join() for one in people]
    await forming(hall)
    undecided = await people[0].cancel(tickets[0].ticket_id)
    assert (undecided.state, undecided.waiting_count, undecided.table_id) == (QUEUED, 0, "")
    hall.open.set()
    assert (await people[0].end_of(tickets[0].ticket_id)).state == CANCELLED
    assert (await people[1].mine()).state == QUEUED
    assert not hall.people()


async def test_half_made_match_outlives_its_process(redis_url, settings, clock, issuer, hall):
    people = [str(uuid.uuid4()) for _ in range(4)]
    async with open_redis(redis_url) as client:
        tickets = TicketStore(client, unwatched_after_ms=30_000)
        pools = PoolStore(client, lease_ms=60_000, unwatched_after_ms=30_000)
        now_ms = int(clock() * 1000)
        for player_id in people:
            await tickets.join(Joining(str(uuid.uuid4()), str(uuid.uuid4()), player_id, "Ann", POOL), now_ms)
        lease = await pools.take_lease(POOL)
        match = seat_group(POOL, tuple(await pools.waiting(POOL)))
        assert await pools.form(lease, match)
        assert await pools.form(lease, match), "a repeated step changes nothing"
        await client.pexpire(keys.lease(POOL), 1)  # The leader dies: its lease runs out, another finds the match.
        async with replica(settings, clock):
            async with asyncio.timeout(60):
                while not hall.requests:
                    await asyncio.sleep(0.02)
                while (await tickets.newest(people[0])).state != "matched":
                    await asyncio.sleep(0.02)
        assert hall.requests[0] == match.request
        assert Counter(hall.people()) == Counter(people)
        ended = await tickets.newest(people[0])
        assert (ended.table_id, ended.match_id) == (hall.tables[match.match_id], match.match_id)


async def test_old_leader_changes_nothing(redis_url, clock):
    async with open_redis(redis_url) as client:
        tickets = TicketStore(client, unwatched_after_ms=30_000)
        pools = PoolStore(client, lease_ms=50, unwatched_after_ms=30_000)
        now_ms = int(clock() * 1000)
        for player_id in "abcd":
            await tickets.join(Joining(str(uuid.uuid4()), player_id, player_id, "Ann", POOL), now_ms)
        old = await pools.take_lease(POOL)
        match = seat_group(POOL, tuple(await pools.waiting(POOL)))
        await asyncio.sleep(0.1)
        successor = PoolStore(client, lease_ms=60_000, unwatched_after_ms=30_000)
        new = await successor.take_lease(POOL)
        assert int(new.token) > int(old.token)
        for step in (
            pools.form(old, match),
            pools.complete(old, match, "table", now_ms),
            pools.drop(old, await pools.waiting(POOL)),
            pools.dissolve(old, match, frozenset(), now_ms),
            pools.expire(old, now_ms + 40_000),
            pools.keep_lease(old),
        ):
            with pytest.raises(LeaseLostError):
                await step
        await pools.release_lease(old)
        await successor.keep_lease(new)
        assert [ticket.player_id for ticket in await pools.waiting(POOL)] == list("abcd")


async def test_leader_of_a_store_that_was_emptied_changes_nothing_in_the_new_one(redis_url):
    async with open_redis(redis_url) as client:
        pools = PoolStore(client, lease_ms=60_000, unwatched_after_ms=30_000)
        old = await pools.take_lease(POOL)
        await client.flushall()
        new = await pools.take_lease(POOL)
        assert int(new.token) > int(old.token)
        with pytest.raises(LeaseLostError):
            await pools.keep_lease(old)
        again = await pools.take_lease(POOL)
        assert again is None
        await pools.release_lease(new)
        assert int((await pools.take_lease(POOL)).token) > int(new.token)


async def test_match_with_a_ticket_that_has_left_takes_nobody(redis_url, clock):
    async with open_redis(redis_url) as client:
        tickets = TicketStore(client, unwatched_after_ms=30_000)
        pools = PoolStore(client, lease_ms=60_000, unwatched_after_ms=30_000)
        for player_id in "abcd":
            joining = Joining(str(uuid.uuid4()), player_id, player_id, "Ann", POOL)
            await tickets.join(joining, int(clock() * 1000))
        lease = await pools.take_lease(POOL)
        match = seat_group(POOL, tuple(await pools.waiting(POOL)))
        await tickets.cancel(await tickets.newest("c"))
        assert not await pools.form(lease, match)
        assert [ticket.player_id for ticket in await pools.waiting(POOL)] == list("abd")
        assert await pools.matches(POOL) == []


async def test_nothing_is_left_behind_but_ended_tickets_that_expire(person, clock, redis_url):
    people = [person() for _ in range(4)]
    await asyncio.gather(*map(join_and_wait, people))
    one = person()
    await one.cancel((await one.join()).ticket_id)
    async with open_redis(redis_url) as client:
        lasting = [key.decode() async for key in client.scan_iter() if await client.ttl(key) < 0]
    assert {key.split(":")[-1] for key in lasting} <= {"sequence", "fence"}


async def test_join_without_the_table_service_is_let_in(settings, clock, issuer):
    alone = settings.model_copy(update={"table_address": "127.0.0.1:1"})
    async with replica(alone, clock) as stub:
        assert (await Person(stub, issuer).join()).state == QUEUED
