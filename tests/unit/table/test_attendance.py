"""Who has come to a table, and for whom a computer stands in."""

import pytest

from mahjong_table.attendance import Attendance
from mahjong_table.core.terms import TableKind
from tests.unit.table.table_kit import open_table

WINDOW_MS = 20_000


def attendance(kind=TableKind.RATED, *, window_ms=WINDOW_MS, absent=(0, 1, 2, 3)):
    table = open_table(kind=kind)
    arrivals = Attendance(table.state, window_ms, absent)
    arrivals.start(0)
    return arrivals, table.state


def test_computers_stand_in_for_whoever_has_not_come_in_time():
    arrivals, state = attendance()
    arrivals.came([0, 2])
    assert arrivals.next_at == WINDOW_MS
    assert not arrivals.due(state, WINDOW_MS - 1)
    assert arrivals.due(state, WINDOW_MS) == {1, 3}
    assert arrivals.stand_ins == {1, 3}
    assert not arrivals.due(state, WINDOW_MS + 1), "reported once"


def test_whoever_comes_late_takes_the_seat_and_is_never_waited_for_again():
    arrivals, state = attendance()
    arrivals.came([0, 1, 2])
    arrivals.due(state, WINDOW_MS)
    arrivals.came([3])
    assert not arrivals.stand_ins
    assert arrivals.next_at is None


def test_nobody_is_waited_for_once_all_have_come():
    arrivals, state = attendance()
    arrivals.came([0, 1, 2, 3])
    assert arrivals.next_at is None
    assert not arrivals.due(state, WINDOW_MS)


def test_the_time_to_come_begins_anew_after_an_outage_of_ours():
    arrivals, state = attendance()
    arrivals.came([0])
    arrivals.suspend()
    assert arrivals.next_at is None
    assert not arrivals.due(state, WINDOW_MS)
    arrivals.start(WINDOW_MS)
    arrivals.came([1])
    assert not arrivals.due(state, 2 * WINDOW_MS - 1)
    assert arrivals.due(state, 2 * WINDOW_MS) == {2, 3}


def test_whoever_comes_is_told_of_once():
    arrivals, state = attendance()
    assert arrivals.came([0, 2]) == {0, 2}
    assert arrivals.came([0, 1, 2]) == {1}
    arrivals.due(state, WINDOW_MS)
    assert arrivals.came([0, 1, 2, 3]) == {3}
    assert arrivals.came([3]) == frozenset()


def test_whoever_came_to_an_earlier_worker_is_not_waited_for():
    arrivals, state = attendance(absent=[3])
    assert arrivals.due(state, WINDOW_MS) == {3}


def test_nobody_is_blamed_for_what_is_long_past_but_play_goes_on():
    arrivals, state = attendance()
    later = state.opening.opened_at + 3_600_000
    arrivals.start(later)
    assert not arrivals.due(state, later + WINDOW_MS)
    assert arrivals.stand_ins == {0, 1, 2, 3}


@pytest.mark.parametrize("kind", [TableKind.PRACTICE, TableKind.PRIVATE])
def test_private_and_practice_tables_wait_for_their_people(kind):
    arrivals, state = attendance(kind)
    assert arrivals.next_at is None
    assert not arrivals.due(state, WINDOW_MS)
    assert not arrivals.stand_ins


def test_window_of_nothing_waits_for_ever():
    arrivals, _ = attendance(window_ms=0)
    assert arrivals.next_at is None
