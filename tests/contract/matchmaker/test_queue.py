"""Joining, watching, cancelling, expiring."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_kit.errors import ThrottledError, reason_of
from mahjong_kit.redis import open_redis
from mahjong_matchmaker.ticket_store import TicketStore
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.game.v1.terms_pb2 import (
    CLOCK_BLITZ,
    CLOCK_STANDARD,
    COMPUTER_LEVEL_BASIC,
    MATCH_LENGTH_FULL,
    RULE_SET_TAIWANESE,
    RULE_SET_UNSPECIFIED,
    TABLE_KIND_CASUAL,
    TABLE_KIND_RATED,
)
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.kit.wire import refused

QUEUED, MATCHED = pb.TICKET_STATE_QUEUED, pb.TICKET_STATE_MATCHED
CANCELLED, EXPIRED = pb.TICKET_STATE_CANCELLED, pb.TICKET_STATE_EXPIRED


async def test_four_players_of_a_pool_get_one_table(person, hall):
    people = [person(f"Player {number}") for number in range(4)]
    tickets = [await one.join() for one in people]
    ends = await asyncio.gather(*(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True)))
    (request,) = hall.requests
    assert {end.state for end in ends} == {MATCHED}
    assert {end.table_id for end in ends} == {hall.tables[request.match_id]}
    assert {end.match_id for end in ends} == {request.match_id}
    assert sorted(hall.people()) == sorted(one.player_id for one in people)
    assert {occupant.display_name for occupant in request.occupants} == {f"Player {number}" for number in range(4)}
    assert (request.clock, request.length) == (CLOCK_STANDARD, MATCH_LENGTH_FULL)
    assert request.table_kind == TABLE_KIND_RATED


async def test_pools_do_not_mix(person, hall):
    wishes = [{"rated": True}, {"rated": False}, {"rule_set": RULE_SET_TAIWANESE}, {}]
    people = [person() for _ in wishes]
    tickets = [await one.join(**wish) for one, wish in zip(people, wishes, strict=True)]
    assert [ticket.waiting_count for ticket in tickets] == [1, 1, 1, 2]
    await asyncio.sleep(0.2)
    assert not hall.calls


async def test_queued_ticket_tells_its_pool_its_place_and_its_wait(person, clock):
    ticket = await person().join(rated=False, rule_set=RULE_SET_TAIWANESE)
    assert (ticket.state, ticket.rule_set, ticket.rated) == (QUEUED, RULE_SET_TAIWANESE, False)
    assert ticket.join_time.ToMilliseconds() == int(clock() * 1000)
    assert (ticket.waiting_count, ticket.expected_wait_duration.ToMilliseconds()) == (1, 15_000)
    assert not ticket.table_id
    clock.move(5)
    second = await person().join(rated=False, rule_set=RULE_SET_TAIWANESE)
    assert (second.waiting_count, second.expected_wait_duration.ToMilliseconds()) == (2, 10_000)


async def test_repeated_request_gets_the_same_ticket(person):
    one, request_id = person(), str(uuid.uuid4())
    first = await one.join(request_id=request_id)
    assert (await one.join(request_id=request_id)).ticket_id == first.ticket_id


async def test_twenty_copies_of_a_request_make_one_ticket(person):
    one, request_id = person(), str(uuid.uuid4())
    tickets = await asyncio.gather(*(one.join(request_id=request_id) for _ in range(20)))
    assert len({ticket.ticket_id for ticket in tickets}) == 1
    assert (await one.mine()).waiting_count == 1


@pytest.mark.parametrize("changed", [{"rated": False}, {"clock": CLOCK_BLITZ}, {"rule_set": RULE_SET_TAIWANESE}])
async def test_request_id_that_comes_again_for_another_pool_is_refused(person, changed):
    one, request_id = person(), str(uuid.uuid4())
    first = await one.join(request_id=request_id)
    with refused() as refusal:
        await one.join(request_id=request_id, **changed)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
    assert refusal.metadata == {"request_id": request_id}
    assert (await one.join(request_id=request_id)).ticket_id == first.ticket_id


async def test_of_two_devices_that_join_other_pools_at_once_one_gets_a_ticket(person):
    one = person()
    wishes = [{"rated": True}, {"rated": False}, {"clock": CLOCK_BLITZ}, {"rule_set": RULE_SET_TAIWANESE}]
    answers = await asyncio.gather(*(one.join(**wish) for wish in wishes), return_exceptions=True)
    (ticket,) = [answer for answer in answers if not isinstance(answer, Exception)]
    for answer in answers:
        if isinstance(answer, Exception):
            assert isinstance(answer, grpc.aio.AioRpcError)
            assert reason_of(answer) == "ERROR_REASON_TICKET_ALREADY_QUEUED"
    assert (await one.mine()).ticket_id == ticket.ticket_id


async def test_second_request_of_a_queued_player_is_refused_with_the_ticket(person):
    one = person()
    ticket = await one.join()
    with refused() as refusal:
        await one.join(rated=False)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "TICKET_ALREADY_QUEUED")
    assert refusal.metadata == {"ticket_id": ticket.ticket_id}


async def test_copy_of_an_old_request_makes_no_new_ticket(person):
    one, request_id = person(), str(uuid.uuid4())
    old = await one.join(request_id=request_id)
    await one.cancel(old.ticket_id)
    assert (await one.join(request_id=request_id)).state == CANCELLED
    await one.cancel((await one.join()).ticket_id)
    with refused() as refusal:
        await one.join(request_id=request_id)
    assert refusal.reason == "TICKET_NOT_FOUND"
    assert (await one.mine()).waiting_count == 0


async def test_seated_player_cannot_join(person, hall):
    one = person()
    hall.seats[one.player_id] = ("table-1", "match-1")
    with refused() as refusal:
        await one.join()
    assert (refusal.reason, refusal.metadata) == ("ALREADY_SEATED", {"table_id": "table-1"})


async def test_repeated_request_of_a_matched_player_gets_the_matched_ticket(person, clock):
    one, request_id = person(), str(uuid.uuid4())
    ticket = await one.join(request_id=request_id)
    clock.move(15)
    end = await one.end_of(ticket.ticket_id)
    again = await one.join(request_id=request_id)
    assert (again.state, again.table_id) == (MATCHED, end.table_id)


async def test_oldest_ticket_waits_fifteen_seconds_for_computers(person, hall, clock):
    one = person("Lonely")
    ticket = await one.join(rated=False)
    clock.move(14.9)
    await asyncio.sleep(0.2)
    assert not hall.calls
    clock.move(0.1)
    end = await one.end_of(ticket.ticket_id)
    (request,) = hall.requests
    assert end.table_id == hall.tables[request.match_id]
    assert request.table_kind == TABLE_KIND_CASUAL
    assert sorted(occupant.computer for occupant in request.occupants) == [0] + [COMPUTER_LEVEL_BASIC] * 3
    assert len({occupant.display_name for occupant in request.occupants}) == 4


async def test_watch_tells_at_once_and_every_few_seconds(person):
    one = person()
    ticket = await one.join()
    stream = one.watch(ticket.ticket_id)
    async with asyncio.timeout(60):
        updates = [(await stream.read()).ticket for _ in range(4)]
    stream.cancel()
    assert [update.ticket_id for update in updates] == [ticket.ticket_id] * 4
    assert {update.state for update in updates} == {QUEUED}


async def test_watch_tells_when_others_join(person):
    one = person()
    ticket = await one.join()
    stream = one.watch(ticket.ticket_id)
    assert (await stream.read()).ticket.waiting_count == 1
    await person().join()
    async with asyncio.timeout(60):
        while (await stream.read()).ticket.waiting_count != 2:
            pass
    stream.cancel()


async def test_cancelled_ticket_leaves_the_pool_and_ends_its_streams(person, clock, hall):
    one = person()
    ticket = await one.join()
    watching = asyncio.create_task(one.end_of(ticket.ticket_id))
    assert (await one.cancel(ticket.ticket_id)).state == CANCELLED
    assert (await watching).state == CANCELLED
    assert (await one.cancel(ticket.ticket_id)).state == CANCELLED
    clock.move(20)
    await asyncio.sleep(0.2)
    assert not hall.calls
    assert (await one.join()).state == QUEUED


async def test_tickets_of_others_cannot_be_seen_or_cancelled(person):
    ticket = await person().join()
    other = person()
    for call in (other.cancel(ticket.ticket_id), other.end_of(ticket.ticket_id), other.mine()):
        with refused() as refusal:
            await call
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "TICKET_NOT_FOUND")


async def test_ticket_that_nobody_watches_expires_after_thirty_seconds(person, clock, hall, redis_url):
    one = person()
    ticket = await one.join()
    async with open_redis(redis_url) as client:
        store = TicketStore(client, unwatched_after_ms=30_000)
        clock.move(29.9)
        await asyncio.sleep(0.2)
        assert (await store.newest(one.player_id)).state == "queued"
        clock.move(0.1)
        async with asyncio.timeout(60):
            while (await store.newest(one.player_id)).state != "expired":
                await asyncio.sleep(0.02)
    assert (await one.end_of(ticket.ticket_id)).state == EXPIRED
    assert not hall.calls, "nobody is seated who has left the page"
    assert (await one.join()).state == QUEUED


async def test_asking_for_the_own_ticket_keeps_it(person, clock, hall):
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=60)]
    one = person()
    await one.join()
    for _ in range(4):
        clock.move(20)
        await asyncio.sleep(0.15)
        assert (await one.mine()).state == QUEUED


async def test_watched_ticket_does_not_expire(person, clock, hall):
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=60)]
    one = person()
    ticket = await one.join()
    stream = one.watch(ticket.ticket_id)
    await stream.read()
    for _ in range(8):
        clock.move(9)
        for _ in range(3):
            assert (await stream.read()).ticket.state == QUEUED
    assert len(hall.calls) == 1
    stream.cancel()


@pytest.mark.parametrize(
    ("request_id", "rule_set", "field"),
    [
        ("", 1, "request_id"),
        ("x" * 36, 1, "request_id"),
        (str(uuid.uuid4()), RULE_SET_UNSPECIFIED, "rule_set"),
        (str(uuid.uuid4()), 99, "rule_set"),
    ],
)
async def test_malformed_join_names_the_field(matchmaker, issuer, request_id, rule_set, field):
    with refused() as refusal:
        await matchmaker.JoinQueue(
            pb.JoinQueueRequest(request_id=request_id, rule_set=rule_set), metadata=issuer.player()
        )
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.metadata["field"] == field


async def test_stranger_cannot_join(matchmaker):
    with refused() as refusal:
        await matchmaker.JoinQueue(pb.JoinQueueRequest(request_id=str(uuid.uuid4()), rule_set=1))
    assert refusal.reason == "NOT_SIGNED_IN"


async def test_malformed_ticket_id_is_refused(matchmaker, issuer):
    for call in (
        matchmaker.CancelTicket(pb.CancelTicketRequest(ticket_id="x"), metadata=issuer.player()),
        matchmaker.WatchTicket(pb.WatchTicketRequest(), metadata=issuer.player()).read(),
    ):
        with refused() as refusal:
            await call
        assert (refusal.code, refusal.metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, "ticket_id")
