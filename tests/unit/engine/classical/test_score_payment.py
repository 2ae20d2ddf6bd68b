"""Payments after a classical win (C59)."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.classical.payment import changes
from mahjong_engine.tile import Seat

values = st.tuples(*[st.integers(0, 1_000)] * 4)
seats = st.integers(0, 3).map(Seat)


def test_ec12_a_non_winner_can_gain_more_than_the_winner():
    assert changes((64, 136, 320, 8), Seat(1), Seat(0)) == (-672, 544, 688, -560)


def test_c59_the_example_of_the_clause():
    assert changes((2, 46, 12, 192), Seat(3), Seat(0)) == (-492, -70, -206, 768)


def test_c59_everyone_pays_the_winner_its_value_even_with_a_higher_one():
    assert changes((0, 10, 10, 10), Seat(1), Seat(0)) == (-60, 40, 10, 10)


def test_c59_payments_of_east_and_to_east_are_doubled():
    assert changes((5, 5, 5, 5), Seat(0), Seat(0)) == (30, -10, -10, -10)
    assert changes((5, 5, 5, 5), Seat(0), Seat(1)) == (20, -10, -5, -5)


@given(values, seats, seats)
def test_c59_changes_sum_to_zero(values, winner, dealer):
    assert sum(changes(values, winner, dealer)) == 0


@given(values, seats, seats)
def test_c59_changes_follow_the_seats_when_they_are_renamed(values, winner, dealer):
    plain = changes(values, winner, dealer)
    for order in permutations(range(4)):
        renamed = tuple(values[seat] for seat in order)
        assert changes(renamed, Seat(order.index(winner)), Seat(order.index(dealer))) == tuple(plain[s] for s in order)
