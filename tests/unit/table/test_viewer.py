"""What a viewer is kept ready for, and what its open stream is sent."""

import pytest

from mahjong_engine.tile import Seat
from mahjong_table import errors
from mahjong_table.channel import Channel
from mahjong_table.clock import WallClock
from mahjong_table.viewer import Viewer
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb


def turn(seat):
    return event_pb2.TableEvent(turn_started=event_pb2.TurnStarted(seat=seat))


def viewer(shown=0, *, recent_max=4, behind_max=10, projected=0):
    made = Viewer(Seat(0), "player", 0, recent_max=recent_max, behind_max=behind_max)
    made.projected = projected
    for sequence in range(1, shown + 1):
        made.show(sequence, turn(sequence % 4))
    return made


def numbers(recorded):
    return None if recorded is None else [sequence for sequence, _ in recorded]


def event(sequence):
    return pb.WatchTableResponse(epoch=1, sequence=sequence, event=turn(0))


async def received(channel):
    return [response async for response in channel.responses()]


def test_a_viewer_gets_what_it_missed():
    assert numbers(viewer(8, projected=8).missed_after(5)) == [6, 7, 8]


def test_a_viewer_that_has_everything_missed_nothing():
    assert numbers(viewer(8).missed_after(8)) == []


def test_a_gap_is_told():
    assert viewer(8, projected=8).missed_after(2) is None


def test_a_gap_is_filled_from_elsewhere():
    older = [(3, b""), (4, b""), (5, b"")]
    assert numbers(viewer(8, projected=8).missed_after(2, older)) == [3, 4, 5, 6, 7, 8]
    assert viewer(8, projected=8).missed_after(1, older) is None


@pytest.mark.parametrize("sequence", [0, 9, -1])
def test_a_cursor_outside_of_the_stream_is_no_cursor(sequence):
    assert viewer(8).missed_after(sequence) is None


def test_events_that_redis_has_not_stay_in_memory_for_a_while():
    assert numbers(viewer(8, projected=2).recent_after(0)) == [3, 4, 5, 6, 7, 8]
    assert len(viewer(50).recent_after(0)) == 10


async def test_a_channel_sends_in_order_and_the_newest_status_last():
    channel = Channel(WallClock(), 8)
    channel.is_ready = True
    channel.put(event(1))
    channel.put_status(pb.TableStatus(phase=event_pb2.TABLE_PHASE_HAND))
    channel.put(event(2))
    channel.put_status(pb.TableStatus(phase=event_pb2.TABLE_PHASE_RESULT))
    responses = channel.responses()
    sent = [await anext(responses) for _ in range(3)]
    assert [response.sequence for response in sent] == [1, 2, 2]
    assert sent[2].status.phase == event_pb2.TABLE_PHASE_RESULT
    assert all(response.HasField("server_time") for response in sent)


async def test_a_channel_that_is_full_ends_in_a_resync():
    channel = Channel(WallClock(), 3)
    assert [channel.put(event(n)) for n in range(1, 5)] == [True, True, True, False]
    (resync,) = await received(channel)
    assert resync.HasField("resync")
    assert not channel.put(event(5))


async def test_what_a_viewer_missed_does_not_count_as_falling_behind():
    channel = Channel(WallClock(), 3)
    channel.preload([event(n) for n in range(1, 11)])
    assert channel.put(event(11))
    channel.end()
    assert [response.sequence for response in await received(channel)] == list(range(1, 12))


async def test_a_channel_that_ends_in_order_sends_what_is_queued_first():
    channel = Channel(WallClock(), 3)
    channel.put(event(1))
    channel.end()
    assert len(await received(channel)) == 1


async def test_a_channel_that_ends_with_an_error_sends_nothing_more():
    channel = Channel(WallClock(), 3)
    channel.put(event(1))
    channel.end(errors.seat_taken())
    channel.end()
    with pytest.raises(errors.StaleStateError):
        await received(channel)


async def test_a_heartbeat_carries_the_head():
    channel = Channel(WallClock(), 3)
    channel.beat()
    channel.is_ready, channel.sequence = True, 7
    channel.beat()
    channel.beat()
    channel.end()
    (heartbeat,) = await received(channel)
    assert (heartbeat.WhichOneof("payload"), heartbeat.sequence) == ("heartbeat", 7)
