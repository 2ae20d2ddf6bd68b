"""Which tickets play now."""

from hypothesis import given
from hypothesis import strategies as st

from mahjong_matchmaker.ticket import WaitingTicket
from mahjong_matchmaker.waves import Wave, WaveRules, plan

FILL_MS, ABSENT_MS = 15_000, 10_000
RULES = WaveRules(fill_after_ms=FILL_MS, absent_after_ms=ABSENT_MS)
NOBODY = Wave((), None)


def waiting(*joined_at_ms: int, watched_at_ms: int = 10**9) -> list[WaitingTicket]:
    return [
        WaitingTicket(f"t{index}", f"p{index}", "", joined, watched_at_ms) for index, joined in enumerate(joined_at_ms)
    ]


def test_four_tickets_play_at_once():
    tickets = waiting(0, 1, 2, 3)
    assert plan(tickets, 3, RULES) == Wave((tuple(tickets),), None)


def test_three_tickets_wait_until_the_oldest_has_waited_long_enough():
    tickets = waiting(0, 14_000, 14_500)
    assert plan(tickets, FILL_MS - 1, RULES) == Wave((), 1)
    assert plan(tickets, FILL_MS, RULES) == Wave((tuple(tickets),), None)


def test_groups_are_oldest_first_and_the_newest_wait():
    tickets = waiting(*range(10))
    wave = plan(tickets, 100, RULES)
    assert wave.groups == (tuple(tickets[:4]), tuple(tickets[4:8]))
    assert wave.due_in_ms == 8 + FILL_MS - 100


def test_an_empty_pool_makes_no_group():
    assert plan([], 10**12, RULES) == NOBODY


def test_players_who_seem_to_have_left_get_no_seat_and_keep_nobody_waiting():
    left = waiting(0, watched_at_ms=0)
    there = waiting(5, 6, 7, 8)
    assert plan(left + there, ABSENT_MS, RULES).groups == ((left[0], *there[:3]),)
    assert plan(left + there, ABSENT_MS + 1, RULES) == Wave((tuple(there),), None)
    assert plan(left, FILL_MS, RULES) == NOBODY


@given(st.lists(st.integers(0, 60_000), max_size=40), st.integers(0, 90_000))
def test_nobody_is_in_two_groups_and_nobody_waits_longer_than_the_fill(joined, now):
    tickets = waiting(*sorted(joined))
    wave = plan(tickets, now, RULES)
    seated = [ticket for group in wave.groups for ticket in group]
    assert seated == tickets[: len(seated)]
    assert all(1 <= len(group) <= 4 for group in wave.groups)
    left = tickets[len(seated) :]
    assert len(left) < 4
    assert wave.due_in_ms == (left[0].joined_at_ms + FILL_MS - now if left else None)
    assert not left or left[0].joined_at_ms + FILL_MS > now
