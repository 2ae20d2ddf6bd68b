"""Hands that are open: what takes long is done beside the event loop."""

import threading
from concurrent.futures import ThreadPoolExecutor

from typing_extensions import override

from mahjong_engine.match import MatchLength
from mahjong_engine.referee import replay_record
from mahjong_kit.metrics import ServiceMetrics
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.opened import OpenHands
from mahjong_replay.timeline import Timeline
from tests.kit.matches import play_match


class WatchedTimeline(Timeline):
    """Notes which thread prepares it, and for whom."""

    def __init__(self, events, length):
        super().__init__(events, length)
        self.prepared = []

    @override
    def prepare(self, seat):
        self.prepared.append((seat, threading.current_thread().name))
        super().prepare(seat)


class NoStore:
    """The hands of this test are open already."""


async def test_checkpoints_are_made_once_a_seat_and_beside_the_event_loop():
    match = play_match("6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11", "classical", MatchLength.ONE_HAND)
    _, events = replay_record(match.records[0])
    timeline = WatchedTimeline(events, MatchLength.ONE_HAND)
    with ThreadPoolExecutor(1, "opener") as thread:
        hands = OpenHands(NoStore(), thread, ReplayMetrics(ServiceMetrics("replay")), 1)
        for position in (0, timeline.event_count - 1):
            assert (await hands.moment(timeline, 2, position)).hand.seats
        assert timeline.prepared == [(2, "opener_0")]
        assert len((await hands.moment(timeline, None, 0)).shown) == 4
        await hands.moment(timeline, 0, 0)
    assert timeline.prepared == [(2, "opener_0"), (None, "opener_0")]
