"""What a connection's measured round trips are worth, and what a client could gain by cheating."""

from random import Random

import pytest

from mahjong_table.core.clock import RoundTrips
from mahjong_table.echoes import Echoes

MAX_MS = 250


def trips(*measured_ms):
    measured = RoundTrips()
    for trip_ms in measured_ms:
        measured = measured.added(trip_ms)
    return measured


def test_a_connection_without_a_measured_trip_has_no_credit():
    assert trips().credit_ms(MAX_MS) == 0


@pytest.mark.parametrize(
    ("measured_ms", "credit_ms"),
    [((80,), 80), ((80, 90), 80), ((90, 80, 100), 90), ((80, 80, 4_000, 80, 80), 80), ((200, 5, 210, 190, 220), 200)],
)
def test_the_credit_is_the_median_so_that_one_slow_or_lucky_trip_moves_nothing(measured_ms, credit_ms):
    assert trips(*measured_ms).credit_ms(MAX_MS) == credit_ms


def test_only_the_five_newest_trips_count():
    assert trips(200, 200, 200, 30, 30, 30, 30, 30).credit_ms(MAX_MS) == 30


@pytest.mark.parametrize("stalled_ms", [251, 1_000, 60_000])
def test_a_client_that_stalls_its_echoes_gains_the_greatest_credit_at_most(stalled_ms):
    assert trips(*[stalled_ms] * 9).credit_ms(MAX_MS) == MAX_MS


def test_a_clock_that_stepped_back_takes_nothing_away():
    assert trips(-40, -40, -40).credit_ms(MAX_MS) == 0


def asked_at(echoes, times):
    return [now for now in times if echoes.ask(now) is not None]


def test_a_connection_is_measured_three_times_soon_and_then_now_and_then():
    echoes = Echoes(60_000, Random(1))
    assert asked_at(echoes, range(0, 200_000, 500)) == [0, 2_000, 4_000, 64_000, 124_000, 184_000]


def test_an_echo_counts_once_and_only_for_what_was_asked_last():
    echoes = Echoes(60_000, Random(1))
    first, second = echoes.ask(0), echoes.ask(2_000)
    echoes.take(first, 2_001)
    assert echoes.credit_ms(MAX_MS) == 0
    echoes.take(second, 2_090)
    echoes.take(second, 9_000)
    echoes.take(second, 9_000)
    assert echoes.credit_ms(MAX_MS) == 90


def test_nobody_guesses_what_is_to_be_echoed():
    echoes = Echoes(1, Random(1))
    asked = {echoes.ask(now) for now in range(1_000)}
    assert len(asked) == 1_000
    assert {len(echo_id) for echo_id in asked} == {16}
