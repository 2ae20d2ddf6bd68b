"""Pools: clocks, ratings, expected waits, those who met before, those who must not meet."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_kit.auth import InternalTokens, Service
from mahjong_kit.errors import ThrottledError
from mahjong_matchmaker.blocks import BlockList
from mahjong_matchmaker.planning import plan_wave
from mahjong_matchmaker.ticket import WaitingTicket
from mahjong_matchmaker.waves import WaveRules
from mahjongplanet.account.v1.friend_service_pb2 import BlockedPair, ListBlockedPairsResponse
from mahjongplanet.account.v1.friend_service_pb2_grpc import FriendServiceStub
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.contract.matchmaker.conftest import Person, replica
from tests.contract.matchmaker.ledger import Feuds
from tests.kit.serving import served
from tests.kit.tokens import SERVICE_KEY
from tests.kit.wire import refused

MATCHED = pb.TICKET_STATE_MATCHED


async def seated(people, **wish):
    tickets = [await one.join(**wish) for one in people]
    return await asyncio.gather(*(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True)))


async def pools_of(one):
    return (await one.stub.ListPools(pb.ListPoolsRequest(), metadata=one.token)).pools


@pytest.mark.parametrize("preset", [terms.CLOCK_BULLET, terms.CLOCK_BLITZ, terms.CLOCK_STANDARD, terms.CLOCK_RELAXED])
async def test_each_clock_has_a_pool_of_its_own(person, hall, preset):
    ends = await seated([person() for _ in range(4)], clock=preset)
    assert {end.state for end in ends} == {MATCHED}
    assert {end.clock for end in ends} == {preset}
    assert [(one.clock, one.table_kind, one.length) for one in hall.requests] == [
        (preset, terms.TABLE_KIND_RATED, terms.MATCH_LENGTH_FULL)
    ]


async def test_queue_is_never_untimed(person):
    with refused() as refusal:
        await person().join(clock=terms.CLOCK_UNTIMED)
    assert (refusal.code, refusal.metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, "clock")


async def test_pools_tell_how_busy_they_are_and_how_long_they_take(person, clock):
    one = person()
    await one.join(rated=False, clock=terms.CLOCK_BLITZ)
    clock.move(5)
    pools = await pools_of(person())
    assert len({(pool.rule_set, pool.clock, pool.rated) for pool in pools}) == len(pools) == 16
    busy = [pool for pool in pools if pool.waiting_count]
    assert [(pool.rule_set, pool.clock, pool.rated, pool.waiting_count) for pool in busy] == [
        (terms.RULE_SET_CLASSICAL, terms.CLOCK_BLITZ, False, 1)
    ]
    assert busy[0].expected_wait_duration.ToMilliseconds() == 10_000, "computers come then"
    assert {pool.fill_duration.ToMilliseconds() for pool in pools} == {15_000}
    assert {pool.expected_wait_duration.ToMilliseconds() for pool in pools if not pool.waiting_count} == {15_000}


async def test_expected_wait_goes_by_how_long_others_have_waited(person, clock, hall):
    people = [person() for _ in range(4)]
    tickets = [await one.join() for one in people[:3]]
    clock.move(4)
    tickets.append(await people[3].join())
    await asyncio.gather(*(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True)))
    (pool,) = [one for one in await pools_of(people[0]) if one.rated and one.clock == 3 and one.rule_set == 1]
    assert pool.expected_wait_duration.ToMilliseconds() == 3000, "three have waited for 4 s, one for none"
    next_one = person()
    assert (await next_one.join()).expected_wait_duration.ToMilliseconds() == 3000
    clock.move(2)
    assert (await next_one.mine()).expected_wait_duration.ToMilliseconds() == 1000
    clock.move(2)
    assert (await next_one.mine()).expected_wait_duration.ToMilliseconds() == 11_000, "until computers come"


async def test_ratings_are_read_by_the_server_and_decide_who_meets(person, hall, ledger):
    weak, strong = [person() for _ in range(4)], [person() for _ in range(4)]
    ledger.ratings |= {one.player_id: 1300 for one in weak} | {one.player_id: 1900 for one in strong}
    mixed = [one for pair in zip(weak, strong, strict=True) for one in pair]
    ends = await seated(mixed)
    assert {end.state for end in ends} == {MATCHED}
    tables = [{one.player_id for one in request.occupants} for request in hall.requests]
    assert sorted(map(sorted, tables)) == sorted(sorted(one.player_id for one in group) for group in (weak, strong))
    assert set(ledger.callers) == {one.player_id for one in mixed}, "each by their own token"


async def test_window_widens_until_those_who_wait_meet(person, hall, ledger, clock):
    people = [person() for _ in range(4)]
    ledger.ratings |= {one.player_id: rating for one, rating in zip(people, (1200, 1500, 1500, 1500), strict=True)}
    tickets = [await one.join() for one in people]
    await asyncio.sleep(0.3)
    assert not hall.calls
    clock.move(8)
    ends = await asyncio.gather(*(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True)))
    assert len({end.table_id for end in ends}) == 1


async def test_those_who_met_lately_meet_others_first(person, hall, clock):
    old = [person() for _ in range(4)]
    await seated(old)
    hall.seats.clear()  # The match is over.
    new = [person() for _ in range(3)]
    tickets = [await one.join() for one in (*old[:3], *new)]
    end = await old[0].end_of(tickets[0].ticket_id)
    assert end.state == MATCHED
    assert {one.player_id for one in hall.requests[1].occupants} == {old[0].player_id, *(one.player_id for one in new)}
    clock.move(15)
    assert (await old[1].end_of(tickets[1].ticket_id)).state == MATCHED


async def test_joining_works_while_the_rating_service_is_away(settings, clock, issuer, hall):
    own = settings.model_copy(update={"rating_address": "127.0.0.1:1"})
    async with replica(own, clock) as stub:
        ends = await seated([Person(stub, issuer) for _ in range(4)])
    assert {end.state for end in ends} == {MATCHED}


def ticket(player_id):
    return WaitingTicket(str(uuid.uuid4()), player_id, "", 0, 0)


async def test_wave_asks_who_must_not_meet_and_keeps_them_apart(issuer, clock):
    feuds = Feuds()
    tickets = [ticket(str(uuid.uuid4())) for _ in range(8)]
    feuds.add(tickets[0].player_id, tickets[1].player_id)
    tokens = InternalTokens(Service("matchmaker"), SERVICE_KEY)
    async with served(feuds, FriendServiceStub, issuer.authenticator()) as plain:

        class WithToken:
            async def ListBlockedPairs(self, request, **options):
                metadata = (("authorization", f"Bearer {tokens.token()}"),)
                return await plain.ListBlockedPairs(request, metadata=metadata, **options)

        rules = WaveRules(fill_after_ms=15_000)
        wave = await plan_wave(tickets, 0, rules, BlockList(WithToken(), clock), are_all=True)
    assert sorted(map(len, wave.groups)) == [4, 4]
    first = next(group for group in wave.groups if tickets[0] in group)
    assert tickets[1] not in first


async def test_blocks_that_were_named_count_on_while_the_account_service_is_away():
    class Stub:
        is_away = False

        async def ListBlockedPairs(self, request, **options):
            if self.is_away:
                raise grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata())
            return ListBlockedPairsResponse(pairs=[BlockedPair(first_player_id="a", second_player_id="b")])

    stub, now = Stub(), [0.0]
    blocks = BlockList(stub, lambda: now[0])
    assert await blocks.learn(["a", "b"])
    stub.is_away = True
    now[0] += 300
    assert not await blocks.learn(["a", "b"])
    assert blocks.known == {"a": {"b"}, "b": {"a"}}


async def test_nobody_is_kept_apart_while_the_account_service_does_not_know_of_blocks(issuer, clock, person, hall):
    ends = await seated([person() for _ in range(4)])
    assert {end.state for end in ends} == {MATCHED}


async def test_pool_may_have_a_fill_of_its_own(settings, clock, issuer, hall):
    own = settings.model_copy(update={"pool_fill_s": {"classical-rated": 40.0}})
    async with replica(own, clock) as stub:
        one = Person(stub, issuer)
        ticket = await one.join()
        watching = asyncio.create_task(one.end_of(ticket.ticket_id))
        clock.move(20)
        assert (await one.mine()).state == pb.TICKET_STATE_QUEUED
        await asyncio.sleep(0.3)
        assert not hall.calls
        clock.move(20)
        assert (await watching).state == MATCHED


async def test_capacity_pause_of_one_pool_leaves_the_others_alone(person, hall, clock):
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=3600)]
    for one in [person() for _ in range(4)]:
        await one.join()
    async with asyncio.timeout(60):
        while hall.refusals:
            await asyncio.sleep(0.01)
    ends = await seated([person() for _ in range(4)], clock=terms.CLOCK_BLITZ)
    assert {end.state for end in ends} == {MATCHED}
