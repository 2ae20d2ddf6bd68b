"""What a viewer is kept ready for, and what its open stream is sent."""

import pytest

from mahjong_engine.event import TURN_STARTED
from mahjong_engine.match import MatchLength
from mahjong_engine.tile import Seat
from mahjong_table import errors
from mahjong_table.channel import Backlog, Channel, Outlet
from mahjong_table.clock import WallClock
from mahjong_table.core.notice import Notice
from mahjong_table.viewer import Viewer
from mahjong_table.watch import Watch
from mahjong_table.wire.event import EventEncoder
from mahjong_table.wire.response import event_payload, payload_of, response_of
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb


def turn(seat):
    return event_pb2.TableEvent(turn_started=event_pb2.TurnStarted(seat=seat)).SerializeToString()


def viewer(shown=0, *, recent_max=4, behind_max=10, projected=0):
    made = Viewer(Seat(0), "player", 0, MatchLength.FULL, recent_max=recent_max, behind_max=behind_max)
    made.projected = projected
    for sequence in range(1, shown + 1):
        show(made, sequence)
    return made


def show(viewer, sequence):
    event = TURN_STARTED[sequence % 4]
    return viewer.show(Notice(Seat(0), sequence, 0, event), EventEncoder(MatchLength.FULL))


def numbers(recorded):
    return None if recorded is None else [sequence for sequence, _ in recorded]


def opened(size, backlog_size=100):
    """Returns a channel, and how often its connection was woken."""
    woken = []
    channel = Channel(WallClock(), size, Outlet(lambda: woken.append(1), Backlog(backlog_size)))
    channel.is_ready = True
    return channel, woken


def put(channel, *sequences):
    return [channel.put(sequence, event_payload(turn(0))) for sequence in sequences]


def taken(channel):
    return [pb.WatchTableResponse.FromString(response) for response in channel.take()]


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


def test_what_was_shown_before_the_viewer_came_is_what_it_is_shown_now():
    seen = viewer(3)
    seen.channel, _ = opened(8)
    assert show(seen, 4)
    missed = seen.missed_after(1)
    assert missed == [(n, turn(n % 4)) for n in (2, 3, 4)]
    assert [response.event.turn_started.seat for response in taken(seen.channel)] == [0]


def test_a_channel_sends_in_order_and_the_newest_status_last():
    channel, woken = opened(8)
    put(channel, 1)
    channel.put_status(payload_of(status=pb.TableStatus(phase=event_pb2.TABLE_PHASE_HAND)))
    put(channel, 2)
    channel.put_status(payload_of(status=pb.TableStatus(phase=event_pb2.TABLE_PHASE_RESULT)))
    assert len(woken) == 4
    sent = taken(channel)
    assert [response.sequence for response in sent] == [1, 2, 2]
    assert sent[0].event.turn_started.seat == 0
    assert sent[2].status.phase == event_pb2.TABLE_PHASE_RESULT
    assert all(response.HasField("server_time") and response.epoch == 1 for response in sent)
    assert taken(channel) == []


def test_a_channel_that_is_full_ends_in_a_resync():
    channel, _ = opened(3)
    assert put(channel, 1, 2, 3, 4) == [True, True, True, False]
    (resync,) = taken(channel)
    assert resync.HasField("resync")
    assert (channel.is_ended, channel.fell_behind, channel.error) == (True, True, None)
    assert put(channel, 5) == [False]


def test_channels_that_share_a_connection_share_its_backlog():
    backlog = Backlog(4)
    one, other = (Channel(WallClock(), 3, Outlet(lambda: None, backlog)) for _ in range(2))
    assert put(one, 1, 2, 3) + put(other, 1, 2) == [True, True, True, True, False]
    assert [response.WhichOneof("payload") for response in taken(other)] == ["resync"]
    assert len(taken(one)) == 3
    assert (backlog.waiting, put(one, 4)) == (0, [True])


def test_a_view_that_is_given_up_leaves_nothing_in_the_backlog():
    backlog = Backlog(4)
    channel, other = (Channel(WallClock(), 8, Outlet(lambda: None, backlog)) for _ in range(2))
    put(channel, 1, 2, 3)
    Watch(channel, lambda: None).close()
    assert (backlog.waiting, taken(channel)) == (0, [])
    assert put(other, 1, 2, 3, 4) == [True] * 4


def test_what_a_viewer_missed_does_not_count_as_falling_behind():
    channel, _ = opened(3, backlog_size=2)
    channel.preload([(n, event_payload(turn(0))) for n in range(1, 11)])
    assert put(channel, 11, 12, 13) == [True, True, False]


def test_a_channel_that_ends_in_order_sends_what_is_queued_first():
    channel, woken = opened(3)
    put(channel, 1)
    channel.end()
    channel.put_status(b"")
    assert (len(taken(channel)), len(woken), channel.is_ended) == (1, 2, True)


def test_a_channel_that_ends_with_an_error_sends_nothing_more():
    channel, _ = opened(3)
    put(channel, 1)
    channel.end(errors.seat_taken())
    channel.end()
    assert taken(channel) == []
    assert isinstance(channel.error, errors.StaleStateError)


def test_a_heartbeat_carries_the_head():
    channel, _ = opened(3)
    channel.is_ready = False
    channel.beat()
    channel.is_ready, channel.sequence = True, 7
    channel.beat()
    channel.beat()
    (heartbeat,) = taken(channel)
    assert (heartbeat.WhichOneof("payload"), heartbeat.sequence) == ("heartbeat", 7)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 300, 20_000])
def test_an_event_of_any_size_is_read_back_as_it_was(size):
    event = event_pb2.TableEvent(drew=event_pb2.Drew(tile="x" * size))
    response = pb.WatchTableResponse.FromString(response_of(3, 1_234, event_payload(event.SerializeToString())))
    assert (response.epoch, response.sequence, response.server_time.ToMilliseconds()) == (1, 3, 1_234)
    assert response.event == event
