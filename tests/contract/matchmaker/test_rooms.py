"""Private tables: in by invite, ready, start, rematch, out."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_kit.errors import ThrottledError, reason_of
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import room_service_pb2 as pb
from tests.contract.matchmaker.conftest import Guest, new_id, replica_with_rooms
from tests.kit.waiting import until
from tests.kit.wire import refused

BASIC, STRONG = terms.COMPUTER_LEVEL_BASIC, terms.COMPUTER_LEVEL_STRONG


def people(room):
    return [seat.player.player_id for seat in room.seats if seat.WhichOneof("occupant") == "player"]


async def party_of(guest, count):
    """Returns a room, its host and its guests, all ready."""
    host, *others = (guest(f"Number {index}") for index in range(count))
    room = await host.open()
    for one in others:
        await one.enter(room)
        room = await one.ready(room)
    return room, host, others


async def test_four_people_meet_by_invite_and_play_at_one_private_table(guest, hall):
    room, host, others = await party_of(guest, 4)
    started = await host.start(room)
    assert (started.state, started.match_count) == (pb.ROOM_STATE_PLAYING, 1)
    (request,) = hall.requests
    assert request.match_id == started.match_id
    assert hall.tables[request.match_id] == started.table_id
    assert [one.player_id for one in request.occupants] == [one.player_id for one in (host, *others)]
    assert (request.table_kind, request.clock, request.length, request.rule_set) == (
        terms.TABLE_KIND_PRIVATE,
        terms.CLOCK_RELAXED,
        terms.MATCH_LENGTH_EAST_ROUND,
        terms.RULE_SET_CLASSICAL,
    )
    for one in others:
        assert (await one.my_room()).table_id == started.table_id


async def test_host_picks_everything_and_computers_play_on_the_seats_they_were_given(guest, hall):
    host = guest()
    room = await host.open(
        computers=[STRONG, 0, BASIC],
        rule_set=terms.RULE_SET_TAIWANESE,
        clock=terms.CLOCK_UNTIMED,
        length=terms.MATCH_LENGTH_ONE_HAND,
    )
    friend = guest()
    await friend.enter(room)
    await friend.ready(room)
    await host.start(room)
    (request,) = hall.requests
    assert [one.WhichOneof("occupant") for one in request.occupants] == [
        "player_id",
        "computer",
        "player_id",
        "computer",
    ]
    assert [one.computer for one in request.occupants] == [0, STRONG, 0, BASIC]
    assert all(one.display_name for one in request.occupants)
    assert (request.rule_set, request.clock, request.length) == (
        terms.RULE_SET_TAIWANESE,
        terms.CLOCK_UNTIMED,
        terms.MATCH_LENGTH_ONE_HAND,
    )


async def test_seats_may_be_drawn_by_lot(guest, hall):
    host = guest()
    room = await host.open(computers=[BASIC] * 3, seats_by_lot=True)
    seats = set()
    for _ in range(40):
        await host.start(room)
        hall.seats.clear()  # The match is over.
        seats.add(next(seat for seat, one in enumerate(hall.requests[-1].occupants) if one.player_id))
    assert len(seats) > 1


async def test_rematch_goes_to_another_table_once_the_match_is_over_and_all_are_ready_again(guest, hall):
    room, host, others = await party_of(guest, 4)
    first = await host.start(room)
    with refused() as refusal:
        await host.start(room)
    assert (refusal.reason, refusal.metadata["state"]) == ("ROOM_NOT_OPEN", "playing")
    hall.seats.clear()  # The match is over.
    again = await others[0].see(room, lambda seen: seen.state == pb.ROOM_STATE_OPEN)
    assert people(again) == people(room)
    with refused() as refusal:
        await host.start(room)
    assert refusal.reason == "PLAYERS_NOT_READY"
    for one in others:
        await one.ready(room)
    second = await host.start(room)
    assert (second.state, second.match_count) == (pb.ROOM_STATE_PLAYING, 2)
    assert second.table_id != first.table_id
    assert len(hall.requests) == 2


async def test_everybody_is_told_at_once_what_happens_in_the_room(guest):
    room, host, others = await party_of(guest, 2)
    stream = aiter(host.watch_room(room))
    await anext(stream)
    third = guest("Third")
    entering = await third.enter(room)
    async with asyncio.timeout(60):
        while (seen := (await anext(stream)).room).version < entering.version:
            pass
    assert people(seen) == [host.player_id, others[0].player_id, third.player_id]
    assert seen.seats[2].player.display_name == "Third"
    assert not seen.seats[2].player.ready
    assert seen.seats[0].player.ready, "the host always is"


async def test_who_watches_is_connected_and_who_has_gone_leaves_the_room(guest, clock):
    room, host, others = await party_of(guest, 2)
    away = others[0].player_id
    both = await host.see(room, lambda seen: seen.seats[1].player.connected)
    assert both.seats[0].player.connected
    clock.move(11)
    gone = await host.see(room, lambda seen: not seen.seats[1].player.connected)
    assert people(gone) == [host.player_id, away]
    clock.move(50)
    alone = await host.see(room, lambda seen: len(people(seen)) == 1)
    assert people(alone) == [host.player_id]
    with refused() as refusal:
        await others[0].my_room()
    assert refusal.reason == "ROOM_NOT_FOUND"


async def test_next_person_hosts_when_the_host_leaves_and_the_last_one_closes_the_room(guest):
    room, host, others = await party_of(guest, 3)
    await host.ask("LeaveRoom", room_id=room.room_id)
    await host.ask("LeaveRoom", room_id=room.room_id)
    after = await others[0].my_room()
    assert after.host_player_id == others[0].player_id
    stream = aiter(others[1].watch_room(room))
    await anext(stream)
    for one in others:
        await one.ask("LeaveRoom", room_id=room.room_id)
    with refused() as refusal:
        async for _ in stream:
            pass
    assert refusal.reason in {"NOT_IN_ROOM", "ROOM_NOT_FOUND"}
    with refused() as refusal:
        await guest().enter(room)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "INVITE_EXPIRED")


async def test_kicked_player_is_told_and_cannot_come_back(guest):
    room, host, others = await party_of(guest, 2)
    stream = aiter(others[0].watch_room(room))
    await anext(stream)
    await host.ask("KickFromRoom", room_id=room.room_id, player_id=others[0].player_id)
    with refused() as refusal:
        async for _ in stream:
            pass
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_IN_ROOM")
    with refused() as refusal:
        await others[0].enter(room)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROOM_REFUSED")
    assert (await others[0].open()).host_player_id == others[0].player_id, "other rooms are open to them"


async def test_host_cannot_be_removed(guest):
    room, host, _ = await party_of(guest, 1)
    with refused() as refusal:
        await host.ask("KickFromRoom", room_id=room.room_id, player_id=host.player_id)
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "player_id")


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("StartRoom", {"request_id": str(uuid.uuid4())}),
        ("QueueRoom", {"request_id": str(uuid.uuid4())}),
        ("KickFromRoom", {"player_id": str(uuid.uuid4())}),
        ("SetRoomSeat", {"seat": 3, "computer": BASIC}),
        ("UpdateRoom", {"settings": pb.RoomSettings(rule_set=1, clock=1, length=1)}),
        ("RenewInvite", {}),
    ],
)
async def test_only_the_host_may_and_strangers_may_nothing(guest, method, fields):
    room, _, others = await party_of(guest, 2)
    with refused() as refusal:
        await others[0].ask(method, room_id=room.room_id, **fields)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_THE_HOST")
    with refused() as refusal:
        await guest().ask(method, room_id=room.room_id, **fields)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_IN_ROOM")


async def test_start_waits_for_everybody_and_for_open_seats_to_be_filled(guest, hall):
    room, host, others = await party_of(guest, 2)
    await others[0].ready(room, ready=False)
    with refused() as refusal:
        await host.start(room)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "PLAYERS_NOT_READY")
    assert refusal.metadata == {"room_id": room.room_id, "player_ids": others[0].player_id}
    await others[0].ready(room)
    with refused() as refusal:
        await host.start(room)
    assert (refusal.reason, refusal.metadata["open_seats"]) == ("SEATS_OPEN", "2,3")
    started = await host.start(room, fill=STRONG)
    assert [one.computer for one in hall.requests[0].occupants] == [0, 0, STRONG, STRONG]
    assert started.seats[2].WhichOneof("occupant") is None, "for this match only"


async def test_changed_terms_have_to_be_agreed_to_anew(guest):
    room, host, others = await party_of(guest, 2)
    same = pb.RoomSettings(rule_set=room.settings.rule_set, clock=room.settings.clock, length=room.settings.length)
    kept = await host.ask("UpdateRoom", room_id=room.room_id, settings=same)
    assert kept.seats[1].player.ready
    same.clock = terms.CLOCK_BLITZ
    changed = await host.ask("UpdateRoom", room_id=room.room_id, settings=same)
    assert changed.settings.clock == terms.CLOCK_BLITZ
    assert not changed.seats[1].player.ready
    await others[0].ready(room)
    seated = await host.ask("SetRoomSeat", room_id=room.room_id, seat=3, computer=STRONG)
    assert seated.seats[3].computer == STRONG
    assert not seated.seats[1].player.ready
    with refused() as refusal:
        await host.ask("SetRoomSeat", room_id=room.room_id, seat=1, computer=STRONG)
    assert (refusal.reason, refusal.metadata["seat"]) == ("SEAT_TAKEN", "1")


async def test_people_may_change_seats(guest):
    room, host, others = await party_of(guest, 2)
    moved = await others[0].ask("MoveToSeat", room_id=room.room_id, seat=3)
    assert [one.player.player_id for one in moved.seats] == [host.player_id, "", "", others[0].player_id]
    assert moved.seats[3].player.ready
    with refused() as refusal:
        await others[0].ask("MoveToSeat", room_id=room.room_id, seat=0)
    assert refusal.reason == "SEAT_TAKEN"


async def test_full_room_refuses_a_fifth_person(guest):
    room, _, _ = await party_of(guest, 4)
    with refused() as refusal:
        await guest().enter(room)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ROOM_FULL")
    assert refusal.metadata == {"room_id": room.room_id}


async def test_many_at_once_get_the_seats_that_there_are(guest):
    host = guest()
    room = await host.open()
    crowd = [guest() for _ in range(20)]

    async def rush(one):
        try:
            return await one.enter(room)
        except grpc.aio.AioRpcError:
            return None

    inside = [one for one in await asyncio.gather(*map(rush, crowd)) if one is not None]
    assert len(inside) == 3
    assert len(set(people(await host.my_room()))) == 4


async def test_player_is_in_one_room_only(guest):
    room, _, others = await party_of(guest, 2)
    other = await guest().open()
    for call in (others[0].enter(other), others[0].open()):
        with refused() as refusal:
            await call
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ALREADY_IN_ROOM")
        assert refusal.metadata == {"room_id": room.room_id}
    assert (await others[0].enter(room)).version == room.version, "the own room is joined already"


async def test_repeated_requests_change_nothing(guest, hall):
    host, request_id = guest(), new_id()
    rooms = [await host.open(request_id=request_id, computers=[BASIC] * 3) for _ in range(3)]
    assert len({room.room_id for room in rooms}) == 1
    request_id = new_id()
    starts = await asyncio.gather(*(host.start(rooms[0], request_id=request_id) for _ in range(5)))
    assert len(hall.requests) == 1
    assert {one.match_count for one in starts} <= {0, 1}
    assert (await host.start(rooms[0], request_id=request_id)).table_id == hall.tables[hall.requests[0].match_id]


async def test_request_id_of_a_start_that_comes_again_with_another_wish_is_refused(guest, hall):
    host, request_id = guest(), new_id()
    room = await host.open()
    started = await host.start(room, request_id=request_id, fill=BASIC)
    for ask in (
        lambda: host.start(room, request_id=request_id, fill=STRONG),
        lambda: host.ask("QueueRoom", request_id=request_id, room_id=room.room_id),
    ):
        with refused() as refusal:
            await ask()
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
        assert refusal.metadata == {"request_id": request_id}
    assert (await host.start(room, request_id=request_id, fill=BASIC)).table_id == started.table_id
    assert len(hall.requests) == 1


@pytest.mark.parametrize("changed", [{"public": True}, {"clock": terms.CLOCK_BLITZ}, {"computers": [BASIC]}])
async def test_request_id_that_comes_again_for_another_room_is_refused(guest, changed):
    host, request_id = guest(), new_id()
    room = await host.open(request_id=request_id)
    with refused() as refusal:
        await host.open(request_id=request_id, **changed)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
    assert refusal.metadata == {"request_id": request_id}
    assert (await host.open(request_id=request_id)).room_id == room.room_id


async def test_of_two_starts_at_once_one_makes_the_table(guest, hall):
    room, host, _ = await party_of(guest, 2)
    hall.open.clear()
    starts = [asyncio.ensure_future(host.start(room, fill=BASIC)) for _ in range(2)]
    await asyncio.wait(starts, return_when=asyncio.FIRST_COMPLETED)
    hall.open.set()
    answers = await asyncio.gather(*starts, return_exceptions=True)
    (playing,) = [answer for answer in answers if not isinstance(answer, Exception)]
    (lost,) = [answer for answer in answers if isinstance(answer, Exception)]
    assert isinstance(lost, grpc.aio.AioRpcError)
    assert reason_of(lost) == "ERROR_REASON_ROOM_NOT_OPEN"
    assert [playing.table_id] == list(hall.tables.values())


@pytest.mark.parametrize("leaver", ["host", "other"])
async def test_who_leaves_while_the_table_is_made_has_a_seat_at_it_and_the_others_play_on(guest, hall, leaver):
    room, host, (other,) = await party_of(guest, 2)
    gone, stays = (host, other) if leaver == "host" else (other, host)
    hall.open.clear()
    starting = asyncio.ensure_future(host.start(room, fill=BASIC))
    await until(lambda: hall.calls)
    for call in (
        host.ask("KickFromRoom", room_id=room.room_id, player_id=other.player_id),
        guest().enter(room),
        other.ready(room, ready=False),
    ):
        with refused() as refusal:
            await call
        assert (refusal.reason, refusal.metadata["state"]) == ("ROOM_NOT_OPEN", "starting")
    await gone.ask("LeaveRoom", room_id=room.room_id)
    hall.open.set()
    assert (await starting).state == pb.ROOM_STATE_PLAYING
    playing = await stays.my_room()
    assert (playing.state, playing.host_player_id) == (pb.ROOM_STATE_PLAYING, stays.player_id)
    assert hall.seats[gone.player_id] == hall.seats[stays.player_id] == (playing.table_id, playing.match_id)


async def test_start_is_refused_while_somebody_queues_or_plays_elsewhere(guest, hall):
    room, host, others = await party_of(guest, 2)
    ticket = await others[0].join()
    with refused() as refusal:
        await host.start(room, fill=BASIC)
    assert (refusal.reason, refusal.metadata["player_ids"]) == ("PLAYER_BUSY", others[0].player_id)
    await others[0].cancel(ticket.ticket_id)
    hall.seats[others[0].player_id] = ("elsewhere", "other match")
    with refused() as refusal:
        await host.start(room, fill=BASIC)
    assert (refusal.reason, refusal.metadata["player_ids"]) == ("PLAYER_BUSY", others[0].player_id)
    assert (await host.my_room()).state == pb.ROOM_STATE_OPEN
    del hall.seats[others[0].player_id]
    assert (await host.start(room, fill=BASIC)).state == pb.ROOM_STATE_PLAYING


async def test_room_is_open_again_when_there_is_no_capacity(guest, hall):
    room, host, _ = await party_of(guest, 2)
    hall.refusals.append(ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=3))
    request_id = new_id()
    with refused() as refusal:
        await host.start(room, request_id=request_id, fill=BASIC)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "NO_TABLE_CAPACITY")
    assert (await host.start(room, request_id=request_id, fill=BASIC)).state == pb.ROOM_STATE_PLAYING


async def test_start_that_a_replica_left_half_done_is_taken_up_by_another(settings, clock, issuer, hall):
    hall.open.clear()
    async with replica_with_rooms(settings, clock) as first:
        host = Guest(*first, issuer)
        room = await host.open(computers=[BASIC] * 3)
        starting = asyncio.create_task(host.start(room))
        async with asyncio.timeout(60):
            while not hall.calls:
                await asyncio.sleep(0.01)
        assert (await host.my_room()).state == pb.ROOM_STATE_STARTING
        starting.cancel()
    hall.open.set()
    async with replica_with_rooms(settings, clock) as (_, host.rooms):
        clock.move(6)
        playing = await host.see(room, lambda seen: seen.state == pb.ROOM_STATE_PLAYING)
    assert {playing.table_id} == set(hall.tables.values())
    assert set(hall.calls) == {playing.match_id}


async def test_public_rooms_are_listed_by_pages_newest_first(guest, clock):
    made = []
    for number in range(7):
        clock.move(0.01)
        rule_set = terms.RULE_SET_TAIWANESE if number == 3 else terms.RULE_SET_CLASSICAL
        made.append(await guest(f"Host {number}").open(public=True, rule_set=rule_set))
    await guest().open()
    full, _, _ = await party_of(guest, 4)
    reader, seen, token = guest(), [], ""
    for pages in range(1, 10):  # noqa: B007 - counted
        page = await reader.ask("ListRooms", page_size=3, page_token=token)
        seen += [room.room_id for room in page.rooms]
        token = page.next_page_token
        if not token:
            break
    assert seen == [room.room_id for room in reversed(made)]
    assert pages == 3
    first = await reader.ask("ListRooms", page_size=2)
    with refused() as refusal:
        await reader.ask("ListRooms", rule_set=terms.RULE_SET_TAIWANESE, page_token=first.next_page_token)
    assert refusal.reason == "MALFORMED_PAGE_TOKEN", "a token belongs to its list"
    only = await reader.ask("ListRooms", rule_set=terms.RULE_SET_TAIWANESE)
    assert [(room.host_display_name, room.open_seat_count) for room in only.rooms] == [("Host 3", 3)]
    assert people(await reader.ask("JoinRoom", room_id=made[0].room_id))[1] == reader.player_id
    with refused() as refusal:
        await guest().ask("JoinRoom", room_id=full.room_id)
    assert refusal.reason == "ROOM_NOT_FOUND", "only public rooms are joined by their id"


async def test_rooms_that_nobody_watches_are_not_listed(guest, clock):
    await guest().open(public=True)
    clock.move(61)
    assert not (await guest().ask("ListRooms")).rooms


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"page_size": 101}, "PAGE_SIZE_OUT_OF_RANGE"),
        ({"page_size": -1}, "PAGE_SIZE_OUT_OF_RANGE"),
        ({"page_token": "what"}, "MALFORMED_PAGE_TOKEN"),
        ({"page_token": "Zm9v"}, "MALFORMED_PAGE_TOKEN"),
        ({"rule_set": 99}, "INVALID_FIELD"),
    ],
)
async def test_malformed_list_request_is_refused(guest, fields, reason):
    with refused() as refusal:
        await guest().ask("ListRooms", **fields)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)


@pytest.mark.parametrize(
    ("method", "fields", "field"),
    [
        ("CreateRoom", {"request_id": "x"}, "request_id"),
        ("CreateRoom", {"request_id": new_id()}, "settings.rule_set"),
        ("CreateRoom", {"request_id": new_id(), "settings": {"rule_set": 1, "clock": 99}}, "settings.clock"),
        ("CreateRoom", {"request_id": new_id(), "settings": {"rule_set": 1, "clock": 1}}, "settings.length"),
        (
            "CreateRoom",
            {"request_id": new_id(), "settings": {"rule_set": 1, "clock": 1, "length": 1}, "computers": [1] * 4},
            "computers",
        ),
        ("JoinRoom", {}, "invite"),
        ("JoinRoom", {"code": "1" * 33}, "code"),
        ("JoinRoom", {"link_token": ""}, "link_token"),
        ("JoinRoom", {"room_id": "x"}, "room_id"),
        ("SetRoomSeat", {"room_id": new_id(), "seat": 4}, "seat"),
        ("SetRoomSeat", {"room_id": new_id(), "seat": 1, "computer": 9}, "computer"),
        ("MoveToSeat", {"room_id": new_id(), "seat": -1}, "seat"),
        ("KickFromRoom", {"room_id": new_id(), "player_id": "x"}, "player_id"),
        ("StartRoom", {"request_id": "x", "room_id": new_id()}, "request_id"),
    ],
)
async def test_malformed_request_names_the_field(guest, method, fields, field):
    with refused() as refusal:
        await guest().ask(method, **fields)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.metadata["field"] == field


async def test_stranger_cannot_open_a_room(rooms):
    with refused() as refusal:
        await rooms.CreateRoom(pb.CreateRoomRequest(request_id=new_id()))
    assert refusal.reason == "NOT_SIGNED_IN"
