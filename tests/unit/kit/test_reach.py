"""A server that is away is tried now and then, not by every caller."""

import pytest

from mahjong_kit.errors import UnavailableError
from mahjong_kit.reach import Reach


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def reach(clock):
    return Reach("database", clock)


def refusals(reach, count):
    """Lets callers come at the same moment; returns the errors of those who were refused."""
    refused = []
    for _ in range(count):
        try:
            reach.try_now()
        except UnavailableError as error:
            refused.append(error)
    return refused


def test_server_that_is_there_is_tried_by_everybody(reach):
    reach.found()
    assert refusals(reach, 100) == []


def test_server_that_was_missed_is_tried_by_one_caller_after_a_pause(reach, clock):
    reach.missed()
    assert len(refusals(reach, 100)) == 100
    clock.now_s += 0.05
    assert len(refusals(reach, 100)) == 99


def test_refused_caller_is_told_when_to_try_again(reach):
    reach.missed()
    (error,) = refusals(reach, 1)
    assert error.reason == "ERROR_REASON_STORE_UNREACHABLE"
    assert error.metadata == {"store": "database"}
    assert 0.025 <= error.retry_after_s <= 0.05


def test_pauses_grow_and_never_exceed_half_a_second(reach, clock):
    waits = []
    for _ in range(12):
        reach.missed()
        (error,) = refusals(reach, 1)
        waits.append(error.retry_after_s)
        clock.now_s += 1.0
        assert refusals(reach, 1) == []
    assert waits[0] <= 0.05 < 0.2 < waits[-1] <= 0.5


def test_server_that_is_found_again_is_tried_by_everybody(reach, clock):
    reach.missed()
    clock.now_s += 1.0
    assert refusals(reach, 1) == []
    reach.found()
    assert refusals(reach, 100) == []


def test_attempt_whose_outcome_is_not_known_yet_keeps_the_others_back(reach, clock):
    for _ in range(8):
        reach.missed()
    clock.now_s += 1.0
    assert len(refusals(reach, 3)) == 2
    clock.now_s += 0.2
    assert len(refusals(reach, 3)) == 3
