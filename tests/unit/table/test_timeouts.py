"""What the server answers when a decision's time is over (C43, C47, T46, T50)."""

import pytest

from mahjong_engine.record import hand_record
from mahjong_engine.tile import CODES
from mahjong_table.core.clock import Clock
from mahjong_table.core.notice import DecisionClosed
from mahjong_table.core.refusal import Refusal
from tests.unit.engine.hand_kit import text

COMPLETE = "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d"
READY_16 = "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 4c 5c 6c 9d"


def last_answer(table):
    answer = table.answers()[-1]
    return answer.seat, text(answer.action), answer.timeout


def test_c47_a_turn_that_is_over_discards_the_drawn_tile(deal):
    table = deal("classical", at={52: "9d"})
    table.wait(24_999)
    assert table.answers() == []
    table.wait(1)
    assert last_answer(table) == (0, "discard 9d", True)
    assert table.state.reserves[0] == 0


def test_c47_a_turn_that_is_over_takes_the_win(deal):
    table = deal("classical", f"{COMPLETE} 5d")
    table.wait(25_000)
    assert last_answer(table) == (0, "win", True)
    assert table.state.hand.result.winners == (0,)


def test_c47_a_turn_after_a_claim_discards_the_last_tile_in_sort_order(deal):
    table = deal("classical", "5b", "1b", "2*5b P")
    table.do(0, "discard 5b")
    table.do(2, "pung")
    table.wait(25_000)
    assert last_answer(table) == (2, "discard P", True)


def test_c47_a_claim_that_is_over_is_passed(deal):
    table = deal("classical", "5b", "1b", "2*5b")
    table.do(0, "discard 5b")
    assert table.asked() == [2]
    table.wait(5_000)
    assert last_answer(table) == (2, "pass", True)


def test_c47_a_claim_that_is_over_takes_the_win(deal):
    table = deal("classical", "5d", "", COMPLETE)
    table.do(0, "discard 5d")
    table.wait(5_000)
    assert last_answer(table) == (2, "win", True)


def test_c47_the_kong_round_goes_on_without_a_kong(deal):
    table = deal("classical", "", "4*9d")
    table.wait(15_000)
    assert last_answer(table) == (1, "continue", True)
    assert table.asked() == [0]


def test_t50_no_original_call_is_made_in_the_opening(deal):
    table = deal("taiwanese", "", READY_16)
    table.wait(15_000)
    assert last_answer(table) == (1, "no_original_call", True)


def test_t50_the_eighth_flower_is_robbed(deal):
    table = deal("taiwanese", "s4", "f1 f2 f3 f4 s1 s2 s3")
    assert table.asked() == [1]
    assert table.window(1) == (0, 15_000, 15_000)
    table.wait(15_000)
    assert last_answer(table) == (1, "rob_flower", True)


def test_c47_the_record_marks_what_the_server_has_answered(deal):
    table = deal("classical", at={52: "9d"})
    table.wait(25_000)
    (decision, *_) = hand_record(table.state.hand)["decisions"]
    assert decision == {"seat": 0, "do": "discard", "tile": "9d", "original_call": False, "timeout": True}


def test_c47_a_player_who_is_away_has_the_full_time(deal):
    table = deal("classical")
    table.present.clear()
    table.wait(24_999)
    assert table.asked() == [0]


def test_a_timeout_closes_the_decision_for_its_own_seat(deal):
    table = deal("classical", at={52: "9d"})
    table.wait(25_000)
    (closed,) = table.shown(0, DecisionClosed)
    assert closed.timed_out
    assert text(closed.action) == "discard 9d"
    assert table.shown(1, DecisionClosed) == []


def test_all_claims_that_are_over_are_answered_at_the_same_time(deal):
    table = deal("classical", "5b", "4b 6b", "2*5b")
    table.do(0, "discard 5b")
    table.wait(5_000)
    assert [(a.seat, text(a.action), a.timeout) for a in table.answers()[1:]] == [(1, "pass", True), (2, "pass", True)]


def test_an_answer_on_its_way_at_the_deadline_still_counts_within_its_connections_credit(deal):
    table = deal("classical", "5b", "1b", "2*5b", credit_max_ms=250)
    table.do(0, "discard 5b")
    table.wait(5_120)
    table.do(2, "pung", credit_ms=120)
    assert last_answer(table) == (2, "pung", False)


def test_an_answer_that_comes_later_than_its_connections_credit_is_refused(deal):
    table = deal("classical", "5b", "1b", "2*5b", credit_max_ms=250)
    table.do(0, "discard 5b")
    table.wait(5_121)
    (outcome,) = table.run(table.answer(2, "pung"), credit_ms=120)
    assert outcome.refusal is Refusal.DECISION_CLOSED


def test_a_connection_that_was_not_measured_has_no_credit(deal):
    table = deal("classical", "5b", "1b", "2*5b", credit_max_ms=250)
    table.do(0, "discard 5b")
    table.wait(5_001)
    (outcome,) = table.run(table.answer(2, "pung"))
    assert outcome.refusal is Refusal.DECISION_CLOSED


def test_the_server_answers_when_no_credit_could_count_any_more(deal):
    """For everybody at the same time, so that the pause does not tell who was asked."""
    table = deal("classical", "5b", "1b", "2*5b", credit_max_ms=250)
    table.do(0, "discard 5b")
    command = table.answer(2, "pung")
    table.wait(5_249)
    assert table.question(2)
    table.wait(1)
    assert last_answer(table) == (2, "pass", True)
    assert table.refused(command).refusal is Refusal.DECISION_CLOSED


def test_a_credit_above_the_greatest_counts_as_the_greatest(deal):
    table = deal("classical", "5b", "1b", "2*5b", credit_max_ms=250)
    table.do(0, "discard 5b")
    table.now += 5_251
    (outcome,) = table.run(table.answer(2, "pung"), credit_ms=9_000)
    assert outcome.refusal is Refusal.DECISION_CLOSED


def test_the_way_of_an_answer_is_not_charged(deal):
    table = deal("classical", credit_max_ms=250)
    full = table.state.reserves[0]
    table.wait(5_300)
    table.do(0, f"discard {CODES[table.state.hand.drawn]}", credit_ms=180)
    assert full - table.state.reserves[0] == 120


def test_an_answer_within_its_credit_of_the_base_time_costs_nothing(deal):
    table = deal("classical", credit_max_ms=250)
    full = table.state.reserves[0]
    table.wait(5_180)
    table.do(0, f"discard {CODES[table.state.hand.drawn]}", credit_ms=180)
    assert table.state.reserves[0] == full


def test_the_credit_is_never_charged_beyond_the_reserve(deal):
    table = deal("classical", credit_max_ms=250)
    table.wait(25_200)
    table.do(0, f"discard {CODES[table.state.hand.drawn]}", credit_ms=200)
    assert table.state.reserves[0] == 0


def test_a_late_answer_is_refused_even_if_nothing_has_fallen_due_yet(deal):
    table = deal("classical", "9d")
    command = table.answer(0, "discard 9d")
    table.now += 25_001
    (outcome,) = table.run(command)
    assert outcome.refusal is Refusal.DECISION_CLOSED
    assert last_answer(table)[2]


@pytest.mark.parametrize("clock", [Clock.BULLET, Clock.RELAXED])
def test_c45_an_empty_reserve_leaves_the_base(deal, clock):
    table = deal("classical", clock=clock)
    _, base, deadline = table.window(0)
    table.wait(deadline)
    table.pass_claims()
    for _ in range(3):
        table.turn()
    assert table.asked() == [0]
    assert table.window(0) == (0, base, base)


def test_an_answer_that_came_in_time_counts_however_long_it_had_to_wait_for_the_table(deal):
    table = deal("classical", "5b", "1b", "2*5b")
    table.do(0, "discard 5b")
    command = table.answer(2, "pung")
    came_at = table.now + 4_900
    table.now += 9_000
    (receipt,) = table.run(command, received_at=came_at)
    assert receipt.action == command.action
    assert last_answer(table) == (2, "pung", False)


def test_the_wait_for_the_table_is_not_charged(deal):
    table = deal("classical", "9d")
    came_at = table.now + 6_000
    table.now += 16_000
    table.run(table.answer(0, "discard 9d"), received_at=came_at)
    assert table.state.reserves[0] == 19_000
