"""From the opening of a table to the end of its match."""

import pytest

from mahjong_engine.event import HandDealt, HandEnded
from mahjong_engine.match import MatchLength
from mahjong_engine.tile import CODES
from mahjong_engine.wall import NO_NONCE, commitment, shuffle
from mahjong_table.core.clock import Clock
from mahjong_table.core.due import next_due
from mahjong_table.core.entry import Abandoned, HandStarted
from mahjong_table.core.notice import MatchEnded, MatchStarted
from mahjong_table.core.refusal import Refusal
from mahjong_table.core.state import Stage
from mahjong_table.core.terms import TableKind
from tests.unit.table.table_kit import MATCH_ID, OPENED_AT, SEED, open_table

NONCES = [bytes([seat + 1]) * 32 for seat in range(4)]
DAY_MS = 24 * 3_600_000


def test_a_new_table_shows_the_commitment_first():
    table = open_table()
    (started,) = table.shown(0)
    assert started == MatchStarted(commitment(MATCH_ID, SEED), OPENED_AT + 3_000)
    assert table.state.stage is Stage.NONCES


def test_the_first_hand_starts_when_every_person_has_given_its_nonce():
    table = open_table(people=(0, 2))
    table.run(table.give_nonce(0, NONCES[0]))
    assert table.state.stage is Stage.NONCES
    table.run(table.give_nonce(2, NONCES[2]))
    assert table.state.stage is Stage.HAND


def test_the_first_hand_starts_when_the_window_is_over():
    table = open_table()
    table.wait(2_999)
    assert table.state.stage is Stage.NONCES
    table.wait(1)
    assert table.state.stage is Stage.HAND


def test_the_wall_follows_from_the_seed_and_the_nonces_with_zeros_for_the_silent_and_for_computers():
    table = open_table(people=(0, 1, 2))
    table.run(table.give_nonce(1, NONCES[1]))
    table.wait(3_000)
    assert table.state.hand.deal.wall == shuffle(SEED, MATCH_ID, [NO_NONCE, NONCES[1], NO_NONCE, NO_NONCE], 0)


def test_the_first_nonce_of_a_seat_stands():
    table = open_table()
    assert table.run(table.give_nonce(0, NONCES[0]), table.give_nonce(0, NONCES[0])) == [None, None]
    assert len(table.log) == 1
    assert table.refused(table.give_nonce(0, NONCES[1])).refusal is Refusal.NONCE_CLOSED


def test_a_nonce_after_the_first_hand_has_started_is_refused_but_a_retry_is_not():
    table = open_table(people=(0, 1))
    table.run(table.give_nonce(0, NONCES[0]))
    table.wait(3_000)
    assert table.refused(table.give_nonce(1, NONCES[1])).refusal is Refusal.NONCE_CLOSED
    assert table.run(table.give_nonce(0, NONCES[0])) == [None]


def finished_hand(deal, **wanted):
    table = deal("classical", "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d 5d", **wanted)
    table.do(0, "win")
    return table


def test_the_next_hand_starts_when_all_people_have_confirmed(deal):
    table = finished_hand(deal, people=(0, 2))
    assert table.state.stage is Stage.RESULT
    table.run(table.confirm(0, 0))
    assert table.state.stage is Stage.RESULT
    table.run(table.confirm(2, 0))
    assert table.state.stage is Stage.HAND
    assert [event.hand for event in table.shown(0, HandDealt)] == [0, 1]


def test_the_next_hand_starts_after_ten_seconds_whoever_has_confirmed(deal):
    table = finished_hand(deal)
    table.wait(9_999)
    assert table.state.stage is Stage.RESULT
    table.wait(1)
    assert table.state.stage is Stage.HAND


def test_a_result_does_not_wait_for_people_who_are_away(deal):
    table = finished_hand(deal)
    table.present = {0, 1}
    table.run(table.confirm(0, 0), table.confirm(1, 0))
    assert table.state.stage is Stage.HAND


def test_a_result_that_nobody_has_confirmed_waits_even_if_nobody_is_there(deal):
    table = finished_hand(deal)
    table.present = set()
    table.wait(5_000)
    assert table.state.stage is Stage.RESULT


def test_a_repeated_confirmation_changes_nothing(deal):
    table = finished_hand(deal)
    assert table.run(table.confirm(0, 0), table.confirm(0, 0)) == [None, None]
    assert table.state.confirmed == {0}
    table.wait(10_000)
    assert table.run(table.confirm(0, 0)) == [None]


@pytest.mark.parametrize("hand", [1, 7])
def test_only_the_result_that_is_shown_can_be_confirmed(deal, hand):
    table = finished_hand(deal)
    error = table.refused(table.confirm(0, hand))
    assert error.refusal is Refusal.NO_RESULT_OPEN
    assert error.variables == {"hand_number": hand}


def test_a_result_can_not_be_confirmed_while_the_hand_is_played(deal):
    assert deal("classical").refused(deal("classical").confirm(0, 0)).refusal is Refusal.NO_RESULT_OPEN


def test_the_last_hand_ends_the_match_and_reveals_seed_and_nonces(deal):
    table = finished_hand(deal, length=MatchLength.ONE_HAND, kind=TableKind.PRIVATE)
    assert table.state.is_over
    ended = table.shown(3)[-1]
    assert isinstance(ended, MatchEnded)
    assert (ended.server_seed, ended.nonces) == (SEED, (NO_NONCE,) * 4)
    assert [place.place for place in ended.places] == [1, 2, 2, 2]
    assert [place.seat for place in ended.places] == [0, 1, 2, 3]
    assert [place.score for place in ended.places] == sorted(table.state.match.scores, reverse=True)
    assert next_due(table.state, 0) is None


def test_the_seed_is_shown_in_no_event_before_the_end(deal):
    table = finished_hand(deal)
    assert SEED.hex() not in repr(table.notices)
    assert repr(SEED) not in repr(table.notices)


def test_a_full_match_ends_with_the_sixteenth_change_of_the_deal(deal):
    south_wins = "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d"
    table = deal("classical", "", south_wins, live="5d", at={52: "9d"})
    table.finish_match()
    assert table.state.match.dealer_changes == table.state.match.hand == len(table.shown(0, HandEnded)) == 16
    assert len(table.shown(0, MatchEnded)) == 1


def test_a_rated_match_that_everybody_has_left_is_played_to_its_end_by_timeouts(deal):
    south_wins = "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d"
    table = deal("classical", "", south_wins, live="5d", at={52: "9d"}, kind=TableKind.RATED)
    table.present = set()
    table.finish_match()
    (ended,) = table.shown(0, MatchEnded)
    assert [place.seat for place in ended.places] == sorted(range(4), key=lambda seat: -table.state.match.scores[seat])
    assert len(table.shown(0, HandEnded)) == 16
    assert all(answer.timeout for answer in table.answers())


def test_a_practice_match_can_be_left_and_ends_without_places(deal):
    table = deal("classical", people=(0,), kind=TableKind.PRACTICE)
    table.run(table.leave(0))
    ended = table.shown(0)[-1]
    assert ended.places == ()
    assert ended.server_seed == SEED
    assert table.state.is_over
    assert table.refused(table.leave(0)).refusal is Refusal.MATCH_OVER


@pytest.mark.parametrize("kind", [TableKind.CASUAL, TableKind.RATED, TableKind.PRIVATE])
def test_no_other_match_can_be_left(deal, kind):
    table = deal("classical", kind=kind)
    assert table.refused(table.leave(0)).refusal is Refusal.NOT_A_PRACTICE_TABLE


def test_c65_a_table_without_a_game_action_for_a_day_expires(deal):
    table = deal("classical", clock=Clock.UNTIMED, kind=TableKind.PRIVATE)
    table.wait(DAY_MS - 1)
    assert not table.state.is_over
    table.wait(1)
    assert table.state.is_over
    assert table.log[-1].what == Abandoned(None)
    assert table.shown(0)[-1].places == ()


def test_the_entry_that_starts_a_hand_holds_all_that_loading_needs(deal):
    table = finished_hand(deal)
    table.run(table.confirm(2, 0))
    table.wait(10_000)
    start = table.log[-1].what
    assert isinstance(start, HandStarted)
    assert (start.hand, start.scores, start.dealer_wins) == (1, table.state.match.scores, 1)
    assert start.confirmed == (2,)


def test_a_hand_is_dealt_to_every_viewer_as_the_engine_dealt_it(deal):
    table = deal("classical", "9d")
    (dealt,) = table.shown(0, HandDealt)
    assert "9d" in [CODES[tile] for tile in dealt.concealed[0]]
