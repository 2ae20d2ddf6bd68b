"""Payments after Taiwanese wins (T61)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.settlement import WinClaim, WinSource
from mahjong_engine.taiwanese.payment import changes
from mahjong_engine.tile import Seat, Tile

TILE = Tile(5)


def claim(seat: int, source: WinSource, from_seat: int | None = None) -> WinClaim:
    return WinClaim(Seat(seat), TILE, source, None if from_seat is None else Seat(from_seat))


@pytest.mark.parametrize(
    ("source", "from_seat", "total", "paid"),
    [
        (WinSource.DISCARD, 3, 12, (0, 12, 0, -12)),
        (WinSource.ROBBED_PROMOTED_KONG, 0, 12, (-12, 12, 0, 0)),
        (WinSource.LIVE_WALL, None, 12, (-12, 36, -12, -12)),
        (WinSource.KONG_REPLACEMENT, None, 7, (-7, 21, -7, -7)),
        (WinSource.FLOWER_REPLACEMENT, None, 7, (-7, 21, -7, -7)),
        (WinSource.DEALT, None, 50, (-50, 150, -50, -50)),
        (WinSource.EIGHT_FLOWERS, None, 30, (-30, 90, -30, -30)),
        (WinSource.SEVEN_FLOWERS_ROB_EIGHTH, 2, 20, (0, 20, -20, 0)),
    ],
)
def test_t61_who_pays_the_winner(source, from_seat, total, paid):
    assert changes([claim(1, source, from_seat)], (0, total, 0, 0)) == paid


def test_t61_every_winner_of_a_discard_is_paid_in_full_by_the_discarder():
    wins = [claim(1, WinSource.DISCARD, 0), claim(2, WinSource.DISCARD, 0)]
    assert changes(wins, (0, 12, 18, 0)) == (-30, 12, 18, 0)


def test_t61_three_robbers_are_paid_by_the_owner_of_the_kong():
    wins = [claim(seat, WinSource.ROBBED_PROMOTED_KONG, 3) for seat in (0, 1, 2)]
    assert changes(wins, (5, 6, 7, 0)) == (5, 6, 7, -18)


@given(st.sets(st.integers(0, 2), min_size=1), st.tuples(*[st.integers(1, 200)] * 3))
def test_t61_changes_sum_to_zero_and_losers_do_not_pay_one_another(winners, totals):
    values = tuple(total if seat in winners else 0 for seat, total in enumerate((*totals, 0)))
    wins = [claim(seat, WinSource.DISCARD, 3) for seat in winners]
    assert changes(wins, values) == (*values[:3], -sum(values))
