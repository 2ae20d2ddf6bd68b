"""Players who did not come to their tables: cool-downs, and when nobody is blamed."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_kit.errors import retry_after_s
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.kit.wire import refused

RATED, CASUAL = terms.TABLE_KIND_RATED, terms.TABLE_KIND_CASUAL


@pytest.fixture
def report(matchmaker, issuer):
    async def send(*people, match_id=None, kind=RATED, token=None):
        request = pb.ReportNoShowsRequest(
            match_id=match_id or str(uuid.uuid4()), table_kind=kind, player_ids=[one.player_id for one in people]
        )
        await matchmaker.ReportNoShows(request, metadata=token or issuer.service("table"))

    return send


async def cool_down_s(one, clock):
    pools = await one.stub.ListPools(pb.ListPoolsRequest(), metadata=one.token)
    if not pools.HasField("cool_down_end_time"):
        return 0
    return round(pools.cool_down_end_time.ToMilliseconds() / 1000 - clock())


async def test_no_show_keeps_a_player_from_rated_pools_for_a_while(person, report, clock):
    one = person()
    await report(one)
    with refused() as refusal:
        await one.join()
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "COOLING_DOWN")
    assert refusal.metadata["end_time"].endswith("Z")
    assert round(retry_after_s(refusal.error)) == 120
    ticket = await one.join(rated=False)
    await one.cancel(ticket.ticket_id)
    clock.move(121)
    assert (await one.join()).rated


async def test_each_further_no_show_of_the_day_costs_twice_as_long_up_to_an_hour(person, report, clock):
    one, lengths = person(), []
    for _ in range(7):
        clock.move(700)  # Whatever was counted of others is over.
        await report(one)
        lengths.append(await cool_down_s(one, clock))
    assert lengths == [120, 240, 480, 960, 1920, 3600, 3600]


async def test_repeated_report_counts_once(person, report, clock):
    one, match_id = person(), str(uuid.uuid4())
    for _ in range(3):
        await report(one, match_id=match_id)
    assert await cool_down_s(one, clock) == 120


async def test_casual_no_show_costs_nothing(person, report, clock):
    one = person()
    await report(one, kind=CASUAL)
    assert await cool_down_s(one, clock) == 0


async def test_nobody_is_blamed_when_many_do_not_come_at_once(person, report, clock):
    crowd = [person() for _ in range(12)]
    for one in crowd:
        await report(one)
    lengths = [await cool_down_s(one, clock) for one in crowd]
    assert lengths == [120] * 5 + [0] * 7, "from the sixth on it seems to be our fault"
    clock.move(601)
    late = person()
    await report(late)
    assert await cool_down_s(late, clock) == 120


async def test_many_who_come_show_that_it_is_not_our_fault(person, report, clock, hall):
    async def seated(people):
        tickets = [await one.join() for one in people]
        await asyncio.gather(*(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True)))

    people = [person() for _ in range(40)]
    await seated(people)
    for one in people[:8]:
        await report(one)
    assert [await cool_down_s(one, clock) for one in people[:8]] == [120] * 8


async def test_players_cannot_report_each_other(person, report):
    one, other = person(), person()
    with refused() as refusal:
        await report(other, token=one.token)
    assert refusal.reason == "CALLER_NOT_ALLOWED"


async def test_malformed_report_names_the_field(report, person):
    for call, field in (
        (report(person(), match_id="x"), "match_id"),
        (report(person(), kind=0), "table_kind"),
        (report(), "player_ids"),
        (report(*(person() for _ in range(5))), "player_ids"),
    ):
        with refused() as refusal:
            await call
        assert refusal.metadata["field"] == field
