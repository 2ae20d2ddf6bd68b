"""Practice tables."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_kit.errors import ThrottledError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.game.v1.terms_pb2 import (
    CLOCK_BLITZ,
    CLOCK_UNTIMED,
    COMPUTER_LEVEL_BASIC,
    COMPUTER_LEVEL_STRONG,
    MATCH_LENGTH_FULL,
    MATCH_LENGTH_ONE_HAND,
    RULE_SET_CLASSICAL,
    RULE_SET_TAIWANESE,
    TABLE_KIND_PRACTICE,
)
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.kit.wire import refused

LEVELS = [COMPUTER_LEVEL_BASIC, COMPUTER_LEVEL_STRONG, COMPUTER_LEVEL_BASIC]


def wish(**changed):
    fields = {
        "request_id": str(uuid.uuid4()),
        "rule_set": RULE_SET_TAIWANESE,
        "clock": CLOCK_UNTIMED,
        "length": MATCH_LENGTH_ONE_HAND,
        "computers": LEVELS,
    }
    return pb.StartPracticeRequest(**(fields | changed))


async def test_practice_opens_a_table_of_the_wished_terms(matchmaker, person, hall):
    one = person("Ann")
    started = await matchmaker.StartPractice(wish(), metadata=one.token)
    (request,) = hall.requests
    assert (started.table_id, started.match_id) == (hall.tables[request.match_id], request.match_id)
    assert (request.rule_set, request.clock, request.length) == (
        RULE_SET_TAIWANESE,
        CLOCK_UNTIMED,
        MATCH_LENGTH_ONE_HAND,
    )
    assert request.table_kind == TABLE_KIND_PRACTICE
    seat = next(index for index, occupant in enumerate(request.occupants) if occupant.player_id == one.player_id)
    assert request.occupants[seat].display_name == "Ann"
    assert [request.occupants[(seat + turn) % 4].computer for turn in (1, 2, 3)] == LEVELS


async def test_copies_of_a_request_open_one_table(matchmaker, person, hall):
    one, request = person(), wish()
    started = await asyncio.gather(*(matchmaker.StartPractice(request, metadata=one.token) for _ in range(10)))
    assert len({response.table_id for response in started}) == len(hall.requests) == 1


async def test_request_id_of_another_player_is_another_request(matchmaker, person, hall):
    request = wish()
    for one in (person(), person()):
        await matchmaker.StartPractice(request, metadata=one.token)
    assert len(hall.requests) == 2


async def test_seated_player_is_refused_with_the_table(matchmaker, person, hall):
    one = person()
    first = await matchmaker.StartPractice(wish(), metadata=one.token)
    with refused() as refusal:
        await matchmaker.StartPractice(wish(), metadata=one.token)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ALREADY_SEATED")
    assert refusal.metadata == {"table_id": first.table_id}


async def test_queued_player_is_refused_with_the_ticket(matchmaker, person, hall):
    one = person()
    ticket = await one.join()
    with refused() as refusal:
        await matchmaker.StartPractice(wish(), metadata=one.token)
    assert (refusal.reason, refusal.metadata) == ("TICKET_ALREADY_QUEUED", {"ticket_id": ticket.ticket_id})
    assert not hall.requests


async def test_refusal_of_the_table_service_is_told_on(matchmaker, person, hall):
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=2)]
    with refused() as refusal:
        await matchmaker.StartPractice(wish(), metadata=person().token)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "NO_TABLE_CAPACITY")


async def test_repeated_request_after_a_refusal_opens_the_table(matchmaker, person, hall):
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=2)]
    one, request = person(), wish()
    with refused():
        await matchmaker.StartPractice(request, metadata=one.token)
    started = await matchmaker.StartPractice(request, metadata=one.token)
    assert hall.calls == [started.match_id] * 2


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"request_id": "1"}, "request_id"),
        ({"rule_set": 0}, "rule_set"),
        ({"clock": 0}, "clock"),
        ({"length": 9}, "length"),
        ({"computers": LEVELS[:2]}, "computers"),
        ({"computers": [*LEVELS, 1]}, "computers"),
        ({"computers": [1, 0, 1]}, "computers[1]"),
    ],
)
async def test_malformed_wish_names_the_field(matchmaker, person, hall, changed, field):
    with refused() as refusal:
        await matchmaker.StartPractice(wish(**changed), metadata=person().token)
    assert (refusal.code, refusal.reason, refusal.metadata["field"]) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "INVALID_FIELD",
        field,
    )
    assert not hall.calls


@pytest.mark.parametrize(
    "changed",
    [
        {"rule_set": RULE_SET_CLASSICAL},
        {"clock": CLOCK_BLITZ},
        {"length": MATCH_LENGTH_FULL},
        {"computers": [COMPUTER_LEVEL_STRONG, COMPUTER_LEVEL_BASIC, COMPUTER_LEVEL_BASIC]},
    ],
)
async def test_request_id_that_comes_again_with_other_terms_is_refused(matchmaker, person, hall, changed):
    one, request = person(), wish()
    first = await matchmaker.StartPractice(request, metadata=one.token)
    with refused() as refusal:
        await matchmaker.StartPractice(wish(request_id=request.request_id, **changed), metadata=one.token)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
    assert refusal.metadata == {"request_id": request.request_id}
    assert await matchmaker.StartPractice(request, metadata=one.token) == first
