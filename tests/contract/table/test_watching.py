"""WatchTable: snapshots, resuming, presence, heartbeats, slow viewers, the newest connection."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_engine.event import Discarded
from mahjong_table.wire.response import payload_of
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2, table_service_pb2
from tests.contract.table.test_playing import discard_of, east_to_discard
from tests.kit.wire import refused

Watch = table_service_pb2.WatchTableRequest


@pytest.fixture(params=["own stream", "shared stream"])
async def house(open_house, request):
    """A table service whose viewers watch by a stream each, and by one that they share at their gateway."""
    async with open_house() as opened:
        opened.is_shared = request.param == "shared stream"
        yield opened


async def test_a_new_viewer_gets_a_snapshot_and_then_the_status(house):
    east, south, *_ = await east_to_discard(house)
    await east.until(lambda: east.statuses)
    (snapshot,) = east.snapshots
    assert snapshot.table_id == east.table_id
    assert snapshot.seat == 0
    assert [occupant.player_id for occupant in snapshot.occupants][1] == south.player_id
    assert len(snapshot.commitment) == 32
    assert not snapshot.HasField("match_ended")


async def test_a_snapshot_shows_the_viewers_tiles_and_nobody_elses(house):
    seats = await east_to_discard(house)
    for seat in seats:
        seat.snapshots.clear()
        await seat.watch(after=0)
        await seat.until(lambda s=seat: s.snapshots)
        hand = seat.snapshots[-1].hand
        own = hand.seats[seat.snapshots[-1].seat]
        assert len(hand.concealed) == own.concealed_count
        assert bool(hand.drawn) == (own.seat == 0)
        assert seat.snapshots[-1].HasField("decision") == (own.seat == 0)


async def test_a_snapshot_and_the_events_tell_the_same(house):
    (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND)
    await seat.play_hand(0)
    told = seat.events_of("hand_ended")[0].hand_ended
    await seat.watch(after=0)
    await seat.until(lambda: len(seat.snapshots) == 2)
    assert seat.snapshots[-1].hand_ended == told
    assert seat.snapshots[-1].phase == event_pb2.TABLE_PHASE_RESULT
    assert [s.score for s in seat.snapshots[-1].hand.seats] == list(told.scores_after)


async def test_draws_of_others_are_shown_without_their_tile(house):
    seats = await house.seats(2)
    await asyncio.gather(*(seat.play_on() for seat in seats))
    for number, seat in enumerate(seats):
        draws = [event.drew for event in seat.events_of("drew")]
        assert draws
        assert all(bool(drew.tile) == (drew.seat == number) for drew in draws)


async def test_a_viewer_that_comes_back_gets_exactly_what_it_missed(house):
    east, south, *_ = await east_to_discard(house)
    await south.until(lambda: south.snapshots)
    await south.unwatch()
    missed_from = south.sequence
    await east.answer(discard_of(east))
    await east.until_event("discarded")
    await south.watch()
    event = await south.until_event("discarded")
    assert len(south.snapshots) == 1
    assert min(s for s in south.events if s > missed_from) == missed_from + 1
    assert event == east.events_of("discarded")[0]


async def test_events_that_memory_has_let_go_come_from_redis(open_house):
    async with open_house(recent_events_max=4) as house:
        (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND)
        await seat.until(lambda: seat.snapshots)
        first = seat.sequence
        await seat.play_hand(0)
        head, seen = seat.sequence, dict(seat.events)
        assert head - first > 20
        await seat.unwatch()
        await house.until_projected(seat.table_id)
        seat.sequence, seat.events = first, {}
        await seat.watch()
        await seat.until(lambda: seat.sequence >= head)
        assert len(seat.snapshots) == 1
        assert seat.events == seen


async def test_events_that_are_nowhere_any_more_are_replaced_by_a_snapshot(open_house):
    async with open_house(recent_events_max=4) as house:
        (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND)
        await seat.until(lambda: seat.snapshots)
        first = seat.sequence
        await seat.play_hand(0)
        await seat.unwatch()
        await house.until_projected(seat.table_id)
        await house.redis.flushall()
        await seat.watch(after=first)
        await seat.until(lambda: len(seat.snapshots) == 2)


@pytest.mark.parametrize("cursor", [{"after": 10_000}, {"epoch": 99}, {"after": 0}])
async def test_a_cursor_that_is_not_of_this_stream_gets_a_snapshot(house, cursor):
    east, *_ = await east_to_discard(house)
    await east.watch(**cursor)
    await east.until(lambda: len(east.snapshots) == 2)


@pytest.mark.parametrize("field", ["epoch", "after_sequence"])
async def test_a_negative_cursor_is_refused(house, field):
    east, *_ = await east_to_discard(house)
    with refused() as refusal:
        async for _ in house.stub.WatchTable(Watch(table_id=east.table_id, **{field: -1}), metadata=east.metadata):
            pass
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", field)


async def test_a_stranger_may_not_watch(house, issuer):
    east, *_ = await east_to_discard(house)
    with refused() as refusal:
        async for _ in house.stub.WatchTable(Watch(table_id=east.table_id), metadata=issuer.player()):
            pass
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_SEATED")


async def test_an_unknown_table_can_not_be_watched(house, issuer):
    with refused() as refusal:
        async for _ in house.stub.WatchTable(Watch(table_id=str(uuid.uuid4())), metadata=issuer.player()):
            pass
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND")


async def test_the_newest_connection_takes_the_seat(house):
    east, *_ = await east_to_discard(house)
    newer = house.client(east.player_id, east.table_id)
    await newer.watch()
    error = await east.until_ended()
    assert error.code() is grpc.StatusCode.ABORTED
    assert "SEAT_TAKEN_BY_NEWER_CONNECTION" in repr(error.trailing_metadata())
    await newer.until(lambda: newer.snapshots)
    assert await newer.answer(discard_of(newer), decision_id=newer.snapshots[0].decision.decision_id)


async def test_everybody_sees_who_is_connected(house):
    east, south, *_ = await east_to_discard(house)
    await east.until(lambda: east.statuses and all(east.statuses[-1].connected))
    await south.unwatch()
    await east.until(lambda: list(east.statuses[-1].connected) == [True, False, True, True])
    await south.watch()
    await east.until(lambda: all(east.statuses[-1].connected))


async def test_computers_are_always_present(house):
    (seat,) = await house.seats(1)
    await seat.until(lambda: seat.statuses)
    assert list(seat.statuses[-1].connected) == [True] * 4


async def test_the_clock_of_a_turn_is_public_and_of_a_claim_is_not(house):
    east, south, *_ = await east_to_discard(house)
    await south.until(lambda: south.statuses and south.statuses[-1].clocks[0].HasField("deadline_time"))
    clock = south.statuses[-1].clocks[0]
    assert clock.deadline_time == east.decision.deadline_time
    assert clock.base_end_time == east.decision.base_end_time
    assert clock.reserve_duration.seconds == 20
    assert not any(other.HasField("deadline_time") for other in south.statuses[-1].clocks[1:])


async def test_a_quiet_stream_has_heartbeats_with_the_head(open_house):
    async with open_house(heartbeat_s=0.2) as house:
        east, *_ = await east_to_discard(house)
        await east.until(lambda: len(east.heartbeats) >= 2)
        assert east.heartbeats[-1] == east.sequence


async def test_a_viewer_that_falls_behind_gets_a_resync_and_the_others_go_on(open_house):
    async with open_house(stream_queue_max=64) as house:
        (seat,) = await house.seats(1)
        await seat.until_asked()
        table = house.worker.keeper.find(seat.table_id)
        channel = table.audience.viewers[0].channel
        # The connection does not read while these are queued: nothing else runs in between.
        head = table.audience.viewers[0].head
        shown = event_pb2.TableEvent(discarded=event_pb2.Discarded(seat=1, tile="1b"))
        put = [channel.put(head + n, payload_of(event=shown)) for n in range(1, 80)]
        assert not all(put)
        assert await seat.until_ended() is True
        assert seat.resyncs == 1
        await seat.watch(after=0)
        await seat.until(lambda: len(seat.snapshots) == 2)


async def test_streams_end_when_the_match_is_over(house):
    seats = await house.seats(2)
    await asyncio.gather(*(seat.play_on() for seat in seats))
    for seat in seats:
        assert seat.ended is True
        ended = seat.events[max(seat.events)].match_ended
        assert len(ended.server_seed) == 80
        assert ended.standings[0].place == 1


async def test_a_late_viewer_still_sees_how_the_match_ended(house):
    (seat,) = await house.seats(1)
    await seat.play_on()
    await until_gone(house, seat.table_id)
    for _ in range(2):
        await seat.watch(after=0)
        assert await seat.until_ended() is True
        snapshot = seat.snapshots[-1]
        assert snapshot.phase == event_pb2.TABLE_PHASE_OVER
        assert snapshot.match_ended == seat.events[max(seat.events)].match_ended
        await house.restart()


async def until_gone(house, table_id):
    """Waits until the worker has let go of a table."""
    async with asyncio.timeout(60):
        while house.worker.keeper.find(table_id) is not None:
            await asyncio.sleep(0.02)


async def test_an_ended_table_leaves_nothing_in_memory_or_redis(house):
    (seat,) = await house.seats(1)
    await seat.play_on()
    await until_gone(house, seat.table_id)
    async with asyncio.timeout(60):
        while [key async for key in house.redis.scan_iter(f"*{seat.table_id}*")]:
            await asyncio.sleep(0.02)
    assert len(house.worker.keeper) == 0


async def test_a_draining_worker_ends_streams_so_that_clients_resume(open_house):
    async with open_house() as house:
        east, *_ = await east_to_discard(house)
        await asyncio.wait_for(house._stack.aclose(), 60)
        error = await east.until_ended()
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert "DRAINING" in repr(error.trailing_metadata())


async def test_a_snapshot_waits_while_something_is_held_back(open_house):
    async with open_house(floor_min_ms=400, floor_max_ms=400) as house:
        east, south, *_ = await east_to_discard(house)
        await east.answer(discard_of(east))
        await south.watch(after=0)
        await south.until(lambda: len(south.snapshots) == 2)
        table = house.worker.keeper.find(east.table_id)
        assert house.worker.env.clock.now() >= table.state.settled_at
        assert Discarded.__name__ not in [type(n.event).__name__ for n in table.audience._held]
