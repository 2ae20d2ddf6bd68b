"""Parties: rooms that queue."""

import asyncio

import pytest

from mahjong_kit.errors import ThrottledError
from mahjong_matchmaker.rooms.changing import Rooms
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as tickets_pb
from mahjongplanet.matchmaker.v1 import room_service_pb2 as pb
from tests.contract.matchmaker.conftest import new_id
from tests.contract.matchmaker.test_rooms import party_of
from tests.kit.waiting import until
from tests.kit.wire import refused

OPEN, QUEUED, PLAYING = pb.ROOM_STATE_OPEN, pb.ROOM_STATE_QUEUED, pb.ROOM_STATE_PLAYING


async def queue(host, room, request_id=None):
    return await host.ask("QueueRoom", request_id=request_id or new_id(), room_id=room.room_id)


@pytest.mark.parametrize("count", [2, 3, 4])
async def test_party_sits_at_one_casual_table_with_strangers_on_the_other_seats(guest, person, hall, count):
    room, host, others = await party_of(guest, count)
    queued = await queue(host, room)
    assert queued.state == QUEUED or count == 4
    strangers = [person() for _ in range(4 - count)]
    for one in strangers:
        await one.join(rated=False, clock=terms.CLOCK_RELAXED)
    playing = await others[0].see(room, lambda seen: seen.state == PLAYING)
    (request,) = hall.requests
    assert {one.player_id for one in request.occupants} == {one.player_id for one in (host, *others, *strangers)}
    assert (request.table_kind, request.clock, request.length) == (
        terms.TABLE_KIND_CASUAL,
        terms.CLOCK_RELAXED,
        terms.MATCH_LENGTH_FULL,
    )
    assert (playing.table_id, playing.match_id) == (hall.tables[request.match_id], request.match_id)
    ticket = await others[0].mine()
    assert ticket.table_id == playing.table_id
    assert set(ticket.party_player_ids) == {one.player_id for one in (host, *others)}
    hall.seats.clear()  # The match is over.
    assert (await host.see(room, lambda seen: seen.state == OPEN)).match_count == 1


async def test_computers_join_a_party_that_nobody_else_comes_to(guest, hall, clock):
    room, host, others = await party_of(guest, 2)
    await queue(host, room)
    watching = asyncio.create_task(others[0].see(room, lambda seen: seen.state == PLAYING))
    for _ in range(4):
        clock.move(4)
        await asyncio.sleep(0.1)
        await host.my_room()
        await host.mine()
    await watching
    assert [one.WhichOneof("occupant") for one in hall.requests[0].occupants].count("computer") == 2


@pytest.mark.parametrize("how", ["cancel", "leave"])
async def test_one_who_goes_takes_the_party_out_of_the_queue(guest, person, hall, how):
    room, host, others = await party_of(guest, 3)
    await queue(host, room)
    if how == "cancel":
        await others[0].cancel((await others[0].mine()).ticket_id)
    else:
        await others[0].ask("LeaveRoom", room_id=room.room_id)
    again = await host.see(room, lambda seen: seen.state == OPEN)
    assert len([seat for seat in again.seats if seat.HasField("player")]) == (3 if how == "cancel" else 2)
    for one in (host, others[1]):
        async with asyncio.timeout(60):
            while (await one.mine()).state != tickets_pb.TICKET_STATE_CANCELLED:
                await asyncio.sleep(0.02)
    await person().join(rated=False, clock=terms.CLOCK_RELAXED)
    assert not hall.calls


async def test_one_who_cancels_takes_everybody_out_at_once_however_many_wait(guest, person, hall, monkeypatch):
    """Also out of a pool of which a wave sees only the oldest tickets."""
    monkeypatch.setattr("mahjong_matchmaker.leader.WAVE_TICKETS_MAX", 1)
    room, host, others = await party_of(guest, 3)
    await queue(host, room)
    await others[0].cancel((await others[0].mine()).ticket_id)
    for one in (host, *others):
        assert (await one.mine()).state == tickets_pb.TICKET_STATE_CANCELLED
        await one.join()


async def test_host_who_leaves_while_the_table_is_made_does_not_hide_it_from_the_others(guest, person, hall):
    hall.open.clear()
    room, host, others = await party_of(guest, 4)
    await queue(host, room)
    await until(lambda: hall.calls)
    await host.ask("LeaveRoom", room_id=room.room_id)
    hall.open.set()
    playing = await others[0].see(room, lambda seen: seen.state != QUEUED)
    assert (playing.state, playing.table_id) == (PLAYING, hall.tables[hall.calls[0]])


async def test_party_whose_member_has_closed_the_page_is_out_of_the_queue(guest, hall, clock):
    hall.refusals += [ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=3600)] * 9
    room, host, _ = await party_of(guest, 2)
    await queue(host, room)
    watching = asyncio.create_task(host.see(room, lambda seen: seen.state == OPEN))
    for _ in range(8):
        clock.move(5)
        await asyncio.sleep(0.3)
    async with asyncio.timeout(60):
        await watching


async def test_repeated_request_queues_once(guest):
    room, host, others = await party_of(guest, 2)
    request_id = new_id()
    await asyncio.gather(*(queue(host, room, request_id) for _ in range(5)))
    assert (await others[0].mine()).waiting_count == 2


async def test_nobody_can_queue_twice_or_play_elsewhere_meanwhile(guest):
    room, host, others = await party_of(guest, 2)
    ticket = await others[0].join()
    with refused() as refusal:
        await queue(host, room)
    assert (refusal.reason, refusal.metadata["player_ids"]) == ("PLAYER_BUSY", others[0].player_id)
    assert (await host.my_room()).state == OPEN
    await others[0].cancel(ticket.ticket_id)
    await queue(host, room)
    with refused() as refusal:
        await others[0].join()
    assert refusal.reason == "TICKET_ALREADY_QUEUED"
    for call in (host.start(room, fill=1), queue(host, room), others[0].ready(room), guest().enter(room)):
        with refused() as refusal:
            await call
        assert (refusal.reason, refusal.metadata["state"]) == ("ROOM_NOT_OPEN", "queued")


async def test_party_of_which_somebody_plays_elsewhere_is_refused_before_it_waits(guest, hall):
    room, host, others = await party_of(guest, 2)
    hall.seats[others[0].player_id] = ("elsewhere", "other match")
    with refused() as refusal:
        await queue(host, room)
    assert (refusal.reason, refusal.metadata["player_ids"]) == ("PLAYER_BUSY", others[0].player_id)
    assert (await host.my_room()).state == OPEN
    hall.seats.clear()
    assert (await queue(host, room)).state == QUEUED


async def test_party_of_one_and_untimed_party_are_refused(guest):
    room, host, _ = await party_of(guest, 1)
    with refused() as refusal:
        await queue(host, room)
    assert refusal.reason == "PARTY_TOO_SMALL"
    friend = guest()
    await friend.enter(room)
    await host.ask(
        "UpdateRoom",
        room_id=room.room_id,
        settings=pb.RoomSettings(rule_set=1, clock=terms.CLOCK_UNTIMED, length=1),
    )
    await friend.ready(room)
    with refused() as refusal:
        await queue(host, room)
    assert refusal.reason == "INVALID_FIELD"


async def test_party_meets_others_first_than_the_party_that_it_met_lately(guest, person, hall):
    parties = [await party_of(guest, 2) for _ in range(2)]
    for room, host, _ in parties:
        await queue(host, room)
    for room, host, _ in parties:
        await host.see(room, lambda seen: seen.state == PLAYING)
    hall.seats.clear()  # The match is over.
    for room, host, (other,) in parties:
        await host.see(room, lambda seen: seen.state == OPEN)
        await other.ready(room)
        await queue(host, room)
    new = [person() for _ in range(2)]
    for one in new:
        await one.join(rated=False, clock=terms.CLOCK_RELAXED)
    room, host, others = parties[0]
    await host.see(room, lambda seen: seen.state == PLAYING and seen.match_count == 2)
    expected = {one.player_id for one in (host, *others, *new)}
    assert {one.player_id for one in hall.requests[1].occupants} == expected


async def test_queueing_that_is_never_first_ends(guest, monkeypatch):
    async def stale(*_):
        return False

    monkeypatch.setattr(Rooms, "queue", stale)
    room, host, _ = await party_of(guest, 2)
    with refused() as refusal:
        await queue(host, room)
    assert refusal.reason == "STORE_UNREACHABLE"
