"""WatchTables: many players' watches over one stream, each as safe and as bounded as one of its own."""

import asyncio
import time
import uuid

import grpc
import pytest

from mahjong_kit.errors import reason_of
from mahjong_table import errors
from mahjong_table.wire.response import payload_of
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1 import worker_service_pb2 as workers_pb
from tests.contract.table.test_playing import discard_of, east_to_discard
from tests.kit.table_client import plain_answer
from tests.kit.waiting import until
from tests.kit.wire import refused


def watch_of(seat):
    """Returns what opens a new watch of a player."""
    return dict(seat.metadata)["authorization"], pb.WatchTableRequest(table_id=seat.table_id)


async def unwatched(*seats):
    """Cuts the players' own streams."""
    for seat in seats:
        await seat.unwatch()
    return seats


async def test_each_watch_shows_its_own_players_view_and_nobody_elses(house):
    seats = await unwatched(*await house.seats(4), *await house.seats(2))
    with house.shared_stream() as stream:
        ids = await stream.open(*map(watch_of, seats))
        stream.read()
        await stream.until(lambda: all(stream.watches[i].of("snapshot") for i in ids))
        clients = dict(zip(ids, seats, strict=True))
        await play_a_hand(stream, clients)
    for number, watch_id in enumerate(ids):
        seat = number if number < 4 else number - 4
        watch = stream.watches[watch_id]
        (snapshot,) = watch.of("snapshot")
        assert (snapshot.snapshot.table_id, snapshot.snapshot.seat) == (clients[watch_id].table_id, seat)
        events = watch.of("event")
        assert [e.sequence for e in events] == list(range(snapshot.sequence + 1, snapshot.sequence + 1 + len(events)))
        draws = [e.event.drew for e in events if e.event.HasField("drew")]
        assert draws
        assert all(bool(drew.tile) == (drew.seat == seat) for drew in draws)
        assert watch.end is not None
        assert (watch.end.status, watch.end.fell_behind) == (b"", False)
    dealt = [tuple(tiles_of(stream.watches[watch_id])) for watch_id in ids[:4]]
    assert len(set(dealt)) == 4
    assert len(stream.messages) < sum(len(stream.watches[i].responses) for i in ids), "messages are shared"


def tiles_of(watch):
    """Returns the first concealed tiles that a viewer was shown."""
    for response in watch.responses:
        if response.snapshot.hand.concealed:
            return list(response.snapshot.hand.concealed)
        if response.event.hand_dealt.concealed:
            return list(response.event.hand_dealt.concealed)
    return []


async def play_a_hand(stream, clients):
    """Answers every decision plainly until all watches have ended with their matches."""
    answered = set()
    async with asyncio.timeout(60):
        while not all(stream.watches[i].end for i in clients):
            for watch_id, seat in clients.items():
                for decision in decisions_of(stream.watches[watch_id]):
                    key = seat.player_id, decision.decision_id
                    if key not in answered:
                        answered.add(key)
                        seat.decision = decision
                        await answer(seat, plain_answer(decision))
            await asyncio.sleep(0.005)


def decisions_of(watch):
    opened = [r.event.decision_opened.decision for r in watch.of("event") if r.event.HasField("decision_opened")]
    return [r.snapshot.decision for r in watch.of("snapshot") if r.snapshot.HasField("decision")] + opened


async def answer(seat, action):
    try:
        await seat.answer(action)
    except grpc.aio.AioRpcError as error:
        if reason_of(error) not in {"ERROR_REASON_DECISION_CLOSED", "ERROR_REASON_MATCH_OVER"}:
            raise  # Else another seat was first.


@pytest.mark.parametrize(
    ("authorization", "reason"),
    [
        (lambda issuer: "", "NOT_SIGNED_IN"),
        (lambda issuer: "Bearer nonsense", "TOKEN_INVALID"),
        (lambda issuer: dict(issuer.service("gateway"))["authorization"], "CALLER_NOT_ALLOWED"),
        (
            lambda issuer: f"Bearer {issuer.access_token(str(uuid.uuid4()), issued_at=int(time.time()) - 9_000)}",
            "SESSION_EXPIRED",
        ),
        (lambda issuer: dict(issuer.player())["authorization"], "NOT_SEATED"),
    ],
)
async def test_a_watch_is_opened_by_the_players_own_token_alone(house, issuer, authorization, reason):
    (seat,) = await unwatched(*await house.seats(1))
    token, request = watch_of(seat)
    with house.shared_stream() as stream:
        stranger, own = await stream.open((authorization(issuer), request), (token, request))
        stream.read()
        assert (await stream.until_ended(stranger)).reason == reason
        await stream.until(lambda: stream.watches[own].of("snapshot"))
        assert stream.watches[stranger].responses == []


@pytest.mark.parametrize(
    ("request_bytes", "reason"),
    [
        (pb.WatchTableRequest(table_id=str(uuid.uuid4())).SerializeToString(), "TABLE_NOT_FOUND"),
        (pb.WatchTableRequest(table_id="x").SerializeToString(), "TABLE_NOT_FOUND"),
        (pb.WatchTableRequest(epoch=-1).SerializeToString(), "INVALID_FIELD"),
        (b"\xff", "MALFORMED_MESSAGE"),
    ],
)
async def test_a_bad_request_ends_its_watch_alone(house, request_bytes, reason):
    (seat,) = await unwatched(*await house.seats(1))
    token, request = watch_of(seat)
    with house.shared_stream() as stream:
        bad = workers_pb.WatchOpening(watch_id=100, authorization=token, request=request_bytes)
        await stream.call.write(workers_pb.WatchTablesRequest(openings=[bad]))
        (good,) = await stream.open((token, request))
        stream.read()
        assert (await stream.until_ended(100)).reason == reason
        await stream.until(lambda: stream.watches[good].of("snapshot"))


async def test_only_services_open_shared_streams(house, issuer):
    with house.shared_stream(issuer.player()) as stream, refused() as refusal:
        await stream.call.read()
    assert refusal.reason == "CALLER_NOT_ALLOWED"


@pytest.mark.parametrize("watch_id", [0, -1, 1])
async def test_an_id_that_is_in_use_or_not_positive_ends_the_stream(house, watch_id):
    (seat,) = await unwatched(*await house.seats(1))
    token, request = watch_of(seat)
    with house.shared_stream() as stream:
        await stream.open((token, request))
        again = workers_pb.WatchOpening(watch_id=watch_id, authorization=token, request=request.SerializeToString())
        await stream.call.write(workers_pb.WatchTablesRequest(openings=[again]))
        with refused() as refusal:
            async for _ in stream.call:
                pass
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "watch_id")
    await until(lambda: not present(house, seat))


def present(house, seat):
    return house.worker.keeper.find(seat.table_id).audience.present


async def test_the_newest_watch_of_a_player_takes_the_seat(house):
    (seat,) = await unwatched(*await house.seats(1))
    with house.shared_stream() as stream:
        stream.read()
        (older,) = await stream.open(watch_of(seat))
        await stream.until(lambda: stream.watches[older].of("snapshot"))
        (newer,) = await stream.open(watch_of(seat))
        assert (await stream.until_ended(older)).reason == "SEAT_TAKEN_BY_NEWER_CONNECTION"
        await stream.until(lambda: stream.watches[newer].of("snapshot"))
        await stream.close(older)
        await seat.watch()
        assert (await stream.until_ended(newer)).reason == "SEAT_TAKEN_BY_NEWER_CONNECTION"


async def test_a_watch_resumes_with_what_it_missed(house):
    east, south, *_ = await east_to_discard(house)
    await south.until(lambda: south.snapshots)
    await unwatched(south)
    token, request = watch_of(south)
    request.epoch, request.after_sequence = south.epoch, south.sequence
    await east.answer(discard_of(east))
    await east.until_event("discarded")
    with house.shared_stream() as stream:
        (watch_id,) = await stream.open((token, request))
        stream.read()
        await stream.until(lambda: stream.watches[watch_id].of("event"))
        watch = stream.watches[watch_id]
        assert watch.responses[0].sequence == south.sequence + 1
        assert not watch.of("snapshot")


async def test_a_watch_that_is_closed_leaves_the_seat_and_the_others_stay(house):
    east, south, *_ = await unwatched(*await house.seats(4))
    with house.shared_stream() as stream:
        stream.read()
        first, second = await stream.open(watch_of(east), watch_of(south))
        await stream.until(lambda: all(stream.watches[i].of("status") for i in (first, second)))
        await stream.close(first)
        await stream.until(lambda: not stream.watches[second].of("status")[-1].status.connected[0])
        assert present(house, south) == {1}
        assert stream.watches[first].end is None


async def test_watches_that_are_closed_by_the_message_that_opens_them_leave_room_for_others(house):
    (seat,) = await unwatched(*await house.seats(1))
    token, request = watch_of(seat)
    opened = {"authorization": token, "request": request.SerializeToString()}
    with house.shared_stream() as stream:
        stream.read()
        ids = range(1_000, 1_256)  # As many as are opened at a time.
        openings = [workers_pb.WatchOpening(watch_id=watch_id, **opened) for watch_id in ids]
        closings = [workers_pb.WatchClosing(watch_id=watch_id) for watch_id in ids]
        await stream.call.write(workers_pb.WatchTablesRequest(openings=openings, closings=closings))
        (watch_id,) = await stream.open((token, request))
        await stream.until(lambda: stream.watches[watch_id].of("snapshot"))


async def test_a_gateway_that_is_gone_leaves_all_its_seats(house):
    seats = await unwatched(*await house.seats(4), *await house.seats(4))
    with house.shared_stream() as stream:
        stream.read()
        ids = await stream.open(*map(watch_of, seats))
        await stream.until(lambda: all(stream.watches[i].of("snapshot") for i in ids))
        assert house.metric("shared_streams") == 1
    await until(lambda: not present(house, seats[0]) and not present(house, seats[4]))
    await until(lambda: house.metric("shared_streams") == 0)


async def test_a_gateway_that_ends_its_side_ends_the_stream_in_order(house):
    (seat,) = await unwatched(*await house.seats(1))
    with house.shared_stream() as stream:
        (watch_id,) = await stream.open(watch_of(seat))
        stream.read()
        await stream.until(lambda: stream.watches[watch_id].of("snapshot"))
        await stream.call.done_writing()
        await until(lambda: not present(house, seat))
        assert (await stream.call.code()).name == "OK"


async def test_a_client_that_fell_behind_at_its_gateway_gets_a_resync_and_is_let_go(house):
    east, south, *_ = await unwatched(*await house.seats(4))
    with house.shared_stream() as stream:
        stream.read()
        slow, quick = await stream.open(watch_of(east), watch_of(south))
        await stream.until(lambda: all(stream.watches[i].of("snapshot") for i in (slow, quick)))
        await stream.close(slow, 999, fell_behind=True)
        watch = await stream.until_ended(slow)
        assert (watch.end.fell_behind, watch.end.status) == (True, b"")
        assert watch.responses[-1].HasField("resync")
        await until(lambda: house.metric("resyncs_total") == 1 and present(house, south) == {1})


async def test_a_gateway_that_does_not_read_costs_resyncs_and_holds_up_no_table(open_house):
    async with open_house(stream_queue_max=32) as house:
        east, *others = await east_to_discard(house)
        (other,) = await house.seats(1)
        await unwatched(others[0])
        with house.shared_stream() as stream:
            slow, patient = await stream.open(watch_of(others[0]), watch_of((await unwatched(other))[0]))
            await until(lambda: present(house, east) == {0, 1, 2, 3} and present(house, other))
            viewer = house.worker.keeper.find(east.table_id).audience.viewers[1]
            await until(lambda: viewer.channel.is_ready)
            large = event_pb2.TableEvent(discarded=event_pb2.Discarded(seat=1, tile="1b" * 2_000))
            payload, sequence = payload_of(event=large), viewer.head
            async with asyncio.timeout(60):
                while viewer.channel.put(sequence := sequence + 1, payload):
                    await asyncio.sleep(0)
            await east.answer(discard_of(east))
            await east.until_event("discarded")
            stream.read()
            watch = await stream.until_ended(slow)
            assert watch.end.fell_behind
            assert [response.WhichOneof("payload") for response in watch.responses][-1] == "resync"
            await stream.until(lambda: stream.watches[patient].of("snapshot"))
            assert stream.watches[patient].end is None


async def test_views_of_a_gateway_share_a_bounded_backlog(open_house):
    async with open_house(shared_queue_max=200, stream_queue_max=150) as house:
        seats = await unwatched(*await house.seats(4))
        with house.shared_stream() as stream:
            stream.read()
            ids = await stream.open(*map(watch_of, seats))
            await stream.until(lambda: all(stream.watches[i].of("snapshot") for i in ids))
            viewers = house.worker.keeper.find(seats[0].table_id).audience.viewers
            payload = payload_of(event=event_pb2.TableEvent(discarded=event_pb2.Discarded(seat=1, tile="1b")))
            await until(lambda: viewers[0].channel._outlet.backlog.waiting == 0)
            # Nothing runs in between: neither does the table go on, nor does the connection take anything.
            put = [viewers[number % 2].channel.put(viewers[0].head + number, payload) for number in range(201)]
            assert put == [True] * 200 + [False]
            assert (await stream.until_ended(ids[0])).end.fell_behind
            await stream.until(lambda: len(stream.watches[ids[1]].of("event")) >= 100)
            assert not any(stream.watches[i].end for i in ids[1:])


async def test_tables_that_go_to_another_worker_end_their_watches_alone(house):
    (moved,), (kept,) = await unwatched(*await house.seats(1)), await unwatched(*await house.seats(1))
    with house.shared_stream() as stream:
        stream.read()
        ids = await stream.open(watch_of(moved), watch_of(kept))
        await stream.until(lambda: all(stream.watches[i].of("snapshot") for i in ids))
        house.worker.keeper.find(moved.table_id).halt(errors.lease_lost())
        assert (await stream.until_ended(ids[0])).reason == "LEASE_LOST"
        assert stream.watches[ids[1]].end is None


async def test_a_draining_worker_ends_the_stream_so_that_clients_resume(open_house):
    async with open_house() as house:
        (seat,) = await unwatched(*await house.seats(1))
        with house.shared_stream() as stream:
            (watch_id,) = await stream.open(watch_of(seat))
            stream.read()
            await stream.until(lambda: stream.watches[watch_id].of("snapshot"))
            going_down = asyncio.create_task(house._stack.aclose())
            await stream.until(lambda: stream.error)
            await going_down
        assert "DRAINING" in repr(stream.error.trailing_metadata())


async def test_quiet_watches_have_heartbeats_with_their_heads(open_house):
    async with open_house(heartbeat_s=0.2) as house:
        east, *_ = await east_to_discard(house)
        with house.shared_stream() as stream:
            (watch_id,) = await stream.open(watch_of(east))
            stream.read()
            watch = stream.watches[watch_id]
            await stream.until(lambda: len(watch.of("heartbeat")) >= 2)
            assert watch.of("heartbeat")[-1].sequence == watch.of("snapshot")[0].sequence


async def test_watches_that_open_and_close_a_thousand_times_leave_nothing(house):
    seats = await unwatched(*await house.seats(4), *await house.seats(4))
    with house.shared_stream() as stream:
        stream.read()
        for _ in range(20):
            ids = await stream.open(*map(watch_of, seats * 8))
            await stream.close(*ids[: len(ids) // 2])
            await stream.close(*ids[len(ids) // 2 :])
        (last,) = await stream.open(watch_of(seats[0]))
        await stream.until(lambda: stream.watches[last].of("snapshot"))
        await until(lambda: (present(house, seats[0]), present(house, seats[4])) == ({0}, set()))
        assert house.metric("rpc_in_flight", rpc="WorkerService/OpenWatch") == 0
