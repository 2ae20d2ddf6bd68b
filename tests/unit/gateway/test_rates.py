"""How often somebody may do something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_gateway import rates
from mahjong_gateway.rates import OpenLimit, Rate, RateLimit
from tests.kit.clock import SetClock


def limit(burst: int, per_s: float) -> tuple[RateLimit, SetClock]:
    clock = SetClock(1000.0)
    return RateLimit(Rate(burst, per_s), clock), clock


def test_burst_passes_and_the_next_call_is_told_how_long_to_wait():
    calls, clock = limit(3, 2.0)
    assert [calls.take("a") for _ in range(3)] == [0.0] * 3
    assert calls.take("a") == pytest.approx(0.5)
    clock.move(0.5)
    assert calls.take("a") == 0.0
    assert calls.take("a") == pytest.approx(0.5)


def test_callers_do_not_share_a_bucket():
    calls, _ = limit(1, 1.0)
    assert [calls.take("a"), calls.take("b")] == [0.0, 0.0]
    assert calls.take("a") > 0


def test_refused_calls_do_not_make_the_wait_longer():
    calls, clock = limit(1, 1.0)
    calls.take("a")
    for _ in range(100):
        calls.take("a")
    clock.move(1.0)
    assert calls.take("a") == 0.0


def test_looking_takes_nothing():
    calls, _ = limit(1, 1.0)
    assert calls.wait_s("a") == 0.0
    assert calls.take("a") == 0.0
    assert calls.wait_s("a") == pytest.approx(1.0)


@given(st.integers(1, 20), st.floats(0.1, 50), st.lists(st.floats(0, 2), max_size=80))
def test_never_more_than_the_burst_and_the_rate_pass(burst, per_s, pauses):
    calls, clock = limit(burst, per_s)
    started, passed = clock.now, 0
    for pause in pauses:
        clock.move(pause)
        passed += calls.take("a") == 0.0
        assert passed <= burst + (clock.now - started) * per_s + 1e-6


def test_number_of_remembered_callers_is_bounded(monkeypatch):
    monkeypatch.setattr(rates, "KEYS_MAX", 100)
    calls, clock = limit(1, 0.001)
    for number in range(1000):
        clock.move(0.001)
        assert calls.take(f"caller {number}") == 0.0
    assert len(calls._full_at) <= 100
    assert calls.take("caller 999") > 0, "those seen last are remembered"


def test_open_things_are_counted_by_key():
    streams = OpenLimit(2)
    assert [streams.enter("a"), streams.enter("a"), streams.enter("a"), streams.enter("b")] == [True, True, False, True]
    streams.leave("a")
    assert streams.enter("a")
    for _ in range(2):
        streams.leave("a")
    streams.leave("b")
    assert not streams._open
