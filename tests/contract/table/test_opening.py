"""CreateTable, GetPlayerTable and GetMyTable."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_kit.errors import reason_of, store_unreachable
from mahjong_kit.sql_errors import STORE
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import table_service_pb2 as pb
from tests.kit.table_client import people, table_request
from tests.kit.wire import refused


def new_id():
    return str(uuid.uuid4())


async def test_a_player_finds_its_table_and_services_find_it_too(any_house, issuer, service):
    player, match_id = new_id(), new_id()
    table_id = await any_house.open(player, match_id=match_id)
    mine = await any_house.stub.GetMyTable(pb.GetMyTableRequest(), metadata=issuer.player(player))
    theirs = await any_house.stub.GetPlayerTable(pb.GetPlayerTableRequest(player_id=player), metadata=service)
    assert (mine.table_id, mine.match_id) == (theirs.table_id, theirs.match_id) == (table_id, match_id)


async def test_a_player_without_a_table_is_told_so(house, issuer, service):
    with refused() as mine:
        await house.stub.GetMyTable(pb.GetMyTableRequest(), metadata=issuer.player())
    with refused() as theirs:
        await house.stub.GetPlayerTable(pb.GetPlayerTableRequest(player_id=new_id()), metadata=service)
    for refusal in (mine, theirs):
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND")


async def test_a_match_gets_one_table_however_often_it_is_asked_for(any_house, service):
    request = table_request(new_id())
    responses = await asyncio.gather(*(any_house.stub.CreateTable(request, metadata=service) for _ in range(5)))
    assert len({response.table_id for response in responses}) == 1
    assert len(any_house.worker.keeper) == 1


async def test_a_match_keeps_its_table_over_a_restart_and_its_end(house, issuer, service):
    player = new_id()
    request = table_request(player, table_kind=game.TABLE_KIND_PRACTICE)
    first = await house.stub.CreateTable(request, metadata=service)
    await house.restart()
    again = await house.stub.CreateTable(request, metadata=service)
    await house.stub.LeavePractice(pb.LeavePracticeRequest(table_id=first.table_id), metadata=issuer.player(player))
    ended = await house.stub.CreateTable(request, metadata=service)
    assert first.table_id == again.table_id == ended.table_id


async def test_a_table_whose_opening_nobody_learned_of_is_served_at_the_first_call(any_house, issuer, service):
    tables, player = any_house.worker.service._tables, new_id()
    open_tables = tables.open_tables

    async def unheard(*args, **named):
        await open_tables(*args, **named)
        raise store_unreachable(STORE)

    tables.open_tables = unheard
    with refused() as refusal:
        await any_house.open(player)
    tables.open_tables = open_tables
    assert refusal.reason == "STORE_UNREACHABLE"
    mine = await any_house.stub.GetMyTable(pb.GetMyTableRequest(), metadata=issuer.player(player))
    assert any_house.worker.keeper.find(mine.table_id) is None
    seat = await any_house.client(player, mine.table_id).watch()
    await seat.until_asked()


async def test_more_openings_than_a_worker_takes_at_a_time_are_refused_for_a_while(open_house, service):
    async with open_house(openings_per_s=5) as house:
        requests = [table_request(new_id()) for _ in range(30)]
        outcomes = await asyncio.gather(
            *(house.stub.CreateTable(request, metadata=service) for request in requests), return_exceptions=True
        )
        opened = [outcome for outcome in outcomes if isinstance(outcome, pb.CreateTableResponse)]
        late = [request for request, o in zip(requests, outcomes, strict=True) if isinstance(o, Exception)]
        assert opened
        assert late
        assert {reason_of(o) for o in outcomes if isinstance(o, Exception)} == {"ERROR_REASON_NO_TABLE_CAPACITY"}
        async with asyncio.timeout(60):
            while not isinstance(await outcome_of(house, late[0], service), pb.CreateTableResponse):
                await asyncio.sleep(0.2)


async def outcome_of(house, request, service):
    """Returns the response to an opening or what it was refused with."""
    (outcome,) = await asyncio.gather(house.stub.CreateTable(request, metadata=service), return_exceptions=True)
    return outcome


@pytest.mark.parametrize(
    "changed",
    [
        {"rule_set": game.RULE_SET_TAIWANESE},
        {"clock": game.CLOCK_BULLET},
        {"length": game.MATCH_LENGTH_FULL},
        {"table_kind": game.TABLE_KIND_PRACTICE},
        {"occupants": people("00000000-0000-0000-0000-000000000000")},
    ],
)
async def test_a_match_id_with_other_terms_is_refused(house, service, changed):
    player, match_id = new_id(), new_id()
    await house.open(player, match_id=match_id)
    with refused() as refusal:
        await house.stub.CreateTable(table_request(player, **{"match_id": match_id} | changed), metadata=service)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "MATCH_ID_REUSED")
    assert refusal.metadata == {"match_id": match_id}


async def test_a_player_sits_at_one_live_table_only(any_house, service):
    player = new_id()
    table_id = await any_house.open(player)
    with refused() as refusal:
        await any_house.stub.CreateTable(table_request(new_id(), player), metadata=service)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ALREADY_SEATED")
    assert refusal.metadata == {"table_id": table_id}


async def test_of_two_matches_at_once_a_player_gets_one(any_house, service):
    player = new_id()
    requests = [table_request(player) for _ in range(4)]
    outcomes = await asyncio.gather(
        *(any_house.stub.CreateTable(request, metadata=service) for request in requests), return_exceptions=True
    )
    assert sum(isinstance(outcome, pb.CreateTableResponse) for outcome in outcomes) == 1


async def test_a_player_may_sit_again_when_its_match_is_over(house, issuer):
    player = new_id()
    table_id = await house.open(player, table_kind=game.TABLE_KIND_PRACTICE)
    await house.stub.LeavePractice(pb.LeavePracticeRequest(table_id=table_id), metadata=issuer.player(player))
    assert await house.open(player) != table_id


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"match_id": "no id"}, "match_id"),
        ({"match_id": ""}, "match_id"),
        ({"rule_set": 0}, "rule_set"),
        ({"rule_set": 9}, "rule_set"),
        ({"clock": 0}, "clock"),
        ({"length": 0}, "length"),
        ({"table_kind": 0}, "table_kind"),
        ({"occupants": []}, "occupants"),
        ({"occupants": people()}, "occupants"),
        ({"occupants": people(*["00000000-0000-0000-0000-000000000000"] * 2)}, "occupants"),
        ({"occupants": [*people(), game.Occupant(computer=1, display_name="C")]}, "occupants"),
        ({"occupants": people("no id")}, "occupants[0].player_id"),
        ({"occupants": [game.Occupant(display_name="Nobody"), *people()[1:]]}, "occupants[0].occupant"),
        ({"occupants": [game.Occupant(computer=0, display_name="C"), *people()[1:]]}, "occupants[0].computer"),
        ({"occupants": [game.Occupant(computer=1), *people()[1:]]}, "occupants[0].display_name"),
        ({"occupants": [game.Occupant(computer=1, display_name="x" * 25), *people()[1:]]}, "occupants[0].display_name"),
        ({"table_kind": game.TABLE_KIND_RATED}, "length"),
        ({"table_kind": game.TABLE_KIND_CASUAL}, "length"),
        (
            {"table_kind": game.TABLE_KIND_RATED, "length": game.MATCH_LENGTH_FULL, "clock": game.CLOCK_UNTIMED},
            "clock",
        ),
    ],
)
async def test_terms_that_make_no_match_are_refused(house, service, changed, field):
    with refused() as refusal:
        await house.stub.CreateTable(table_request(new_id(), **changed), metadata=service)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.metadata["field"] == field


async def test_a_practice_table_is_for_one_person(house, service):
    with refused() as refusal:
        request = table_request(new_id(), new_id(), table_kind=game.TABLE_KIND_PRACTICE)
        await house.stub.CreateTable(request, metadata=service)
    assert refusal.metadata["field"] == "occupants"


async def test_a_full_worker_takes_no_further_table_but_knows_its_own(open_house, service):
    async with open_house(tables_max=1) as house:
        request = table_request(new_id())
        first = await house.stub.CreateTable(request, metadata=service)
        with refused() as refusal:
            await house.stub.CreateTable(table_request(new_id()), metadata=service)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "NO_TABLE_CAPACITY")
        assert (await house.stub.CreateTable(request, metadata=service)).table_id == first.table_id


async def test_only_services_open_tables(house, issuer):
    with refused() as refusal:
        await house.stub.CreateTable(table_request(new_id()), metadata=issuer.player())
    assert refusal.reason == "CALLER_NOT_ALLOWED"
