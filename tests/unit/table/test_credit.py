"""Outages of ours are credited to every clock."""

from mahjong_engine.event import Drew
from mahjong_engine.tile import CODES
from mahjong_table.core.due import is_running
from mahjong_table.core.entry import TimeCredited
from mahjong_table.core.notice import DecisionOpened
from mahjong_table.core.state import Receipt, Stage


def outage(table, ms):
    """The worker is away for a time and comes back."""
    table.now += ms
    table.run(first=TimeCredited(ms))


def test_an_outage_moves_the_clock_of_a_turn(deal):
    table = deal("classical")
    table.wait(7_000)
    outage(table, 60_000)
    assert table.window(0)[1:] == (-2_000, 18_000)
    table.turn()
    assert table.state.reserves[0] == 18_000


def test_an_outage_moves_the_clocks_of_all_seats_alike(deal):
    table = deal("classical", "5b", "4b 6b", "2*5b")
    table.do(0, "discard 5b")
    table.wait(1_000)
    outage(table, 60_000)
    assert table.window(1)[1:] == table.window(2)[1:] == (4_000, 4_000)


def test_nothing_times_out_by_an_outage(deal):
    table = deal("classical")
    outage(table, 600_000)
    assert table.answers() == []


def test_a_seat_is_told_its_new_time(deal):
    table = deal("classical")
    outage(table, 60_000)
    opened = table.shown(0, DecisionOpened)
    assert [event.question.decision_id for event in opened] == ["0.0.1", "0.0.1"]
    assert opened[1].question.window.deadline == table.now + 25_000


def test_an_outage_moves_the_end_of_a_result(deal):
    table = deal("classical", "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d 5d")
    table.do(0, "win")
    table.wait(4_000)
    outage(table, 60_000)
    table.wait(5_999)
    assert table.state.stage is Stage.RESULT
    table.wait(1)
    assert table.state.stage is Stage.HAND


def test_an_outage_ends_the_floor(deal):
    table = deal("classical", "3*R", floor_ms=500)
    table.wait(600)
    table.do(0, "discard R")
    outage(table, 60_000)
    assert table.state.settled_at == table.now
    assert table.window(1)[1:] == (5_500, 25_500)
    assert table.shown(1, DecisionOpened)


def test_an_answer_that_came_in_before_an_outage_was_noticed_counts(deal):
    """The outage is counted from the last sign of life, and the decision may have been opened after that."""
    table = deal("classical")
    command = table.answer(0, f"discard {CODES[table.state.hand.drawn]}")
    table.now += 60_000
    (outcome,) = table.run(command, first=TimeCredited(60_100), received_at=table.now - 1)
    assert isinstance(outcome, Receipt)


def test_a_machine_clock_that_was_set_back_costs_nobody_anything(deal):
    table = deal("classical", "3*R", floor_ms=500)
    table.wait(600)
    table.do(0, "discard R")
    assert is_running(table.state, table.now - 3_600_000)
    outage(table, -3_600_000)
    assert table.window(1)[2] == 25_500
    table.wait(25_500)
    assert table.answers()[-1].seat == 1


def test_a_credit_is_no_game_action(deal):
    table = deal("classical")
    acted_at = table.state.acted_at
    outage(table, 60_000)
    assert table.state.acted_at == acted_at


def test_an_outage_shows_no_seat_more_than_before(deal):
    table = deal("classical")
    draws = len(table.shown(3, Drew))
    outage(table, 60_000)
    assert len(table.shown(3, Drew)) == draws
    assert table.shown(3, DecisionOpened) == []
