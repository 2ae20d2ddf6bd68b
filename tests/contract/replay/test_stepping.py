"""Hands are stepped through event by event, as a seat saw them or whole, and any position is reached at once."""

import json

import grpc
import pytest

from mahjong_engine.match import MatchLength
from mahjong_engine.referee import replay_record
from mahjong_engine.tile import CODES
from mahjong_engine.view import view
from mahjong_replay.codec import pack
from mahjong_replay.tables import HAND
from mahjong_wire.event import hand_event_to_proto
from mahjong_wire.hand import hand_to_proto
from mahjong_wire.mirror import HandMirror
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from mahjongplanet.table.v1 import event_pb2 as table
from tests.contract.replay.reported import new_id, reported
from tests.kit.wire import refused


def events_of(served, issuer, reader, match, **fields):
    request = pb.ListHandEventsRequest(match_id=match.match_id, **fields)
    return served.stub.ListHandEvents(request, metadata=issuer.player(reader))


def state_of(served, issuer, reader, match, **fields):
    request = pb.GetHandStateRequest(match_id=match.match_id, **fields)
    return served.stub.GetHandState(request, metadata=issuer.player(reader))


@pytest.mark.parametrize("rules", ["classical", "taiwanese"])
async def test_events_and_states_of_a_seat_are_what_it_saw(served, issuer, rules):
    match = reported(rules=rules)
    await match.store_all(served.stub, issuer)
    end, events = replay_record(match.match.records[0])
    for seat in (0, 3):
        told = await events_of(served, issuer, match.players[0], match, seat=seat)
        assert (told.seat, told.event_count) == (seat, len(events))
        assert [e.position for e in told.events] == list(range(len(events)))
        assert not any(e.dealt_hands for e in told.events)
        expected = [hand_event_to_proto(event, seat, MatchLength.ONE_HAND) for event in events]
        assert [e.event for e in told.events] == expected
        mirror = HandMirror(seat, table.HandSnapshot())
        for position, event in enumerate(expected):
            mirror.apply(event)
            if position % 7 == 0 or position + 2 > len(events):
                state = await state_of(served, issuer, match.players[0], match, seat=seat, position=position)
                assert state.hand == mirror.hand
                assert state.HasField("hand_ended") == (position + 1 == len(events))
        assert mirror.hand == hand_to_proto(view(end, seat))


async def test_whole_view_shows_everybodys_tiles_when_the_match_is_over(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    end, _ = replay_record(match.match.records[0])
    told = await events_of(served, issuer, match.players[0], match)
    assert not told.HasField("seat")
    assert [len(hand.concealed) for hand in told.events[0].dealt_hands] == [14, 13, 13, 13]
    assert all(e.event.drew.tile for e in told.events if e.event.HasField("drew"))
    last = await state_of(served, issuer, match.players[0], match, position=told.event_count - 1)
    assert [list(hand.concealed) for hand in last.hands] == [
        [CODES[t] for t in view(end, s).concealed] for s in range(4)
    ]
    assert list(last.hand_ended.changes) == match.match.records[0]["result"]["changes"]
    assert not last.hand.concealed


async def test_while_the_match_is_played_a_player_sees_a_finished_hand_from_the_own_seat_only(served, issuer):
    anna, bela = new_id(), new_id()
    match = reported([anna, bela], length=MatchLength.EAST_ROUND, kind=game.TABLE_KIND_RATED)
    await served.stub.StoreHand(match.hands[0], metadata=issuer.service("table"))
    _, events = replay_record(match.match.records[0])
    told = await events_of(served, issuer, bela, match)
    assert told.seat == 1
    assert [e.event for e in told.events] == [hand_event_to_proto(e, 1, MatchLength.EAST_ROUND) for e in events]
    state = await state_of(served, issuer, bela, match, seat=1, position=5)
    assert state.seat == 1
    assert not state.hands
    for call in (events_of, state_of):
        with refused() as refusal:
            await call(served, issuer, bela, match, seat=0)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_OVER")
        with refused() as refusal:
            await call(served, issuer, new_id(), match, seat=0)
        assert refusal.reason == "MATCH_NOT_FOUND"
        with refused() as refusal:
            await call(served, issuer, bela, match, hand_number=1)
        assert refusal.reason == "HAND_NOT_FOUND"


async def test_events_come_in_parts_that_join(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    whole = list((await events_of(served, issuer, match.players[0], match)).events)
    joined = []
    while len(joined) < len(whole):
        part = await events_of(served, issuer, match.players[0], match, position=len(joined), count=20)
        joined += part.events
    assert joined == whole


async def test_hand_is_opened_once_and_stepped_from_memory(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    count = (await events_of(served, issuer, match.players[0], match)).event_count
    for position in (count - 1, 0, count // 2):
        await state_of(served, issuer, match.players[0], match, position=position)
    assert served.count("hands_opened_total", source="record") == 1
    assert served.count("hands_opened_total", source="cache") == 3


async def test_position_seat_or_count_out_of_range_is_refused(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    me = match.players[0]
    count = (await events_of(served, issuer, me, match)).event_count
    for call in (events_of, state_of):
        for position in (-1, count, (1 << 31) - 1):
            with refused() as refusal:
                await call(served, issuer, me, match, position=position)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "POSITION_OUT_OF_RANGE")
            assert refusal.metadata == {"position": str(position), "event_count": str(count)}
        with refused() as refusal:
            await call(served, issuer, me, match, seat=4)
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "seat")
    for count in (-1, 1001):
        with refused() as refusal:
            await events_of(served, issuer, me, match, count=count)
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "count")


@pytest.mark.parametrize("record", [b"garbage", pack(b"no JSON"), pack(b'{"format": "mahjong-hand/1"}'), None])
async def test_hand_that_is_damaged_in_the_store_is_told_and_the_others_open(served, issuer, record):
    match = reported(length=MatchLength.EAST_ROUND)
    await match.store_all(served.stub, issuer)
    await served.until_checked(1)
    if record is None:  # Good bytes of half a hand.
        half = json.loads(match.hands[1].record_json)
        del half["decisions"][3:]
        record = pack(json.dumps(half).encode())
    async with served.database.engine.begin() as connection:
        await connection.execute(HAND.update().where(HAND.c.hand_number == 1).values(record=record))
    reader = match.players[0]
    for ask in (events_of, state_of):
        with refused() as refusal:
            await ask(served, issuer, reader, match, hand_number=1)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.DATA_LOSS, "RECORD_DAMAGED")
        assert refusal.metadata == {"match_id": match.match_id, "hand_number": "1"}
        assert (await ask(served, issuer, reader, match, hand_number=2)).event_count


async def test_bytes_that_are_damaged_are_given_to_nobody(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    await served.until_checked(1)
    async with served.database.engine.begin() as connection:
        await connection.execute(HAND.update().values(record=b"garbage"))
    with refused() as refusal:
        request = pb.GetHandRecordRequest(match_id=match.match_id)
        await served.stub.GetHandRecord(request, metadata=issuer.player(match.players[0]))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.DATA_LOSS, "RECORD_DAMAGED")


async def test_hand_of_a_later_release_is_to_be_asked_for_again(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    await served.until_checked(1)
    async with served.database.engine.begin() as connection:
        await connection.execute(HAND.update().values(packing=2))
    reader = issuer.player(match.players[0])
    calls = (
        lambda: served.stub.GetHandRecord(pb.GetHandRecordRequest(match_id=match.match_id), metadata=reader),
        lambda: served.stub.VerifyMatch(pb.VerifyMatchRequest(match_id=match.match_id), metadata=reader),
        lambda: events_of(served, issuer, match.players[0], match),
    )
    for ask in calls:
        with refused() as refusal:
            await ask()
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "RECORD_TOO_NEW")
        assert refusal.metadata == {"packing": "2"}
