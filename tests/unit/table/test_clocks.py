"""Times of decisions (C43-C46, T46-T49)."""

import pytest

from mahjong_table.core.clock import Clock
from mahjong_table.core.notice import DecisionClosed, DecisionOpened
from mahjong_table.core.terms import TableKind

CLAIMED = ("2*5b", "4b 6b", "2*5b")
"""East discards 5b: South may chow, West may pung."""
READY_13 = "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d"


@pytest.mark.parametrize(
    ("clock", "base", "reserve"),
    [
        (Clock.BULLET, 2_000, 5_000),
        (Clock.BLITZ, 3_000, 10_000),
        (Clock.STANDARD, 5_000, 20_000),
        (Clock.RELAXED, 15_000, 60_000),
    ],
)
def test_c44_a_turn_has_the_base_and_then_the_reserve_of_its_preset(deal, clock, base, reserve):
    table = deal("classical", clock=clock)
    assert table.asked() == [0]
    assert table.window(0) == (0, base, base + reserve)


@pytest.mark.parametrize(("clock", "base"), [(Clock.BULLET, 2_000), (Clock.STANDARD, 5_000), (Clock.RELAXED, 15_000)])
def test_c45_a_claim_has_the_base_only(deal, clock, base):
    table = deal("classical", *CLAIMED, clock=clock)
    table.do(0, "discard 5b")
    assert table.window(2) == (0, base, base)


@pytest.mark.parametrize("clock", [Clock.BULLET, Clock.BLITZ, Clock.STANDARD, Clock.RELAXED])
def test_c45_an_opening_decision_has_fifteen_seconds_and_no_reserve(deal, clock):
    table = deal("classical", "", "4*9d", clock=clock)
    assert table.asked() == [1]
    assert table.window(1) == (0, 15_000, 15_000)


def test_t48_original_calls_of_the_opening_have_fifteen_seconds(deal):
    ready = "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 4c 5c 6c 9d"
    table = deal("taiwanese", "", ready, clock=Clock.BULLET)
    assert table.asked() == [1]
    assert table.window(1) == (0, 15_000, 15_000)


def test_c45_seats_asked_together_have_the_same_start_and_end(deal):
    table = deal("classical", *CLAIMED)
    table.wait(1_234)
    table.do(0, "discard 5b")
    assert table.asked() == [1, 2]
    assert table.window(1) == table.window(2) == (0, 5_000, 5_000)


def test_c45_the_base_is_new_for_each_decision_and_costs_nothing(deal):
    table = deal("classical")
    table.wait(4_999)
    table.turn()
    assert table.state.reserves == (20_000,) * 4
    assert table.window(1) == (0, 5_000, 25_000)


def test_c45_what_a_turn_takes_beyond_the_base_comes_off_the_reserve(deal):
    table = deal("classical")
    table.wait(5_000 + 7_300)
    table.turn()
    assert table.state.reserves == (12_700, 20_000, 20_000, 20_000)
    for _ in range(3):
        table.turn()
    assert table.asked() == [0]
    assert table.window(0) == (0, 5_000, 17_700)


def test_c45_claims_never_touch_the_reserve(deal):
    table = deal("classical", *CLAIMED)
    table.do(0, "discard 5b")
    table.wait(4_000)
    table.do(1, "pass")
    table.do(2, "pung")
    assert table.state.reserves == (20_000,) * 4


def test_c44_every_reserve_is_full_again_at_the_next_hand(deal):
    table = deal("classical")
    table.wait(12_000)
    table.turn()
    table.finish_hand()
    assert table.state.reserves[0] < 20_000
    table.wait(10_000)
    assert table.state.match.hand == 1
    assert table.state.reserves == (20_000,) * 4


def test_c46_an_untimed_table_waits_for_ever(deal):
    table = deal("classical", *CLAIMED, clock=Clock.UNTIMED, kind=TableKind.PRIVATE)
    assert table.window(0) == (0, None, None)
    table.wait(23 * 3_600_000)
    table.do(0, "discard 5b")
    table.wait(23 * 3_600_000)
    assert table.asked() == [1, 2]


@pytest.mark.parametrize("clock", [Clock.STANDARD, Clock.UNTIMED])
def test_c35_a_forced_discard_is_given_at_once_and_nobody_is_asked(deal, clock):
    table = deal("classical", f"{READY_13} P", live="E S W 9c", clock=clock, kind=TableKind.PRIVATE)
    table.do(0, "discard P call")
    table.pass_claims()
    for _ in range(3):
        table.turn()
    (forced,) = [answer for answer in table.answers() if answer.seat == 0][1:]
    assert forced.action == table.answer(0, "discard 9c").action
    assert not forced.timeout
    assert forced.charge_ms == 0
    assert len(table.shown(0, DecisionOpened)) == len(table.shown(0, DecisionClosed)) == 1
