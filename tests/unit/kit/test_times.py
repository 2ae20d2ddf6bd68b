"""Times and durations as messages."""

import pytest

from mahjong_kit.times import duration, timestamp, timestamp_or_none


@pytest.mark.parametrize("ms", [0, 1, 999, 1_000, 1_796_092_396_123])
def test_milliseconds_come_back_as_they_were(ms):
    assert timestamp(ms).ToMilliseconds() == duration(ms).ToMilliseconds() == ms
    assert timestamp_or_none(ms) == timestamp(ms)


def test_time_that_is_absent_stays_absent():
    assert timestamp_or_none(None) is None
