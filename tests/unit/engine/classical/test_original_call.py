"""Section 7 of docs/rules/classical.md: Original Call."""

import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from tests.unit.engine.hand_kit import Table, text

READY_LESS_9D = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"
"""Ready for 3b; with another tile as the fourteenth."""


def refused(table, seat, text):
    with pytest.raises(IllegalActionError) as caught:
        table.do(seat, text)
    return caught.value.rule


def test_c34_a_seat_may_call_with_its_first_discard_if_it_is_ready_after_it():
    table = Table("classical", f"{READY_LESS_9D} 5b")
    assert {o for o in table.options(0) if o.endswith("call")} == {"discard 5b call"}
    table.do(0, "discard 5b call")
    assert table.state.original_calls == (True, False, False, False)


def test_c34_not_with_a_later_discard():
    table = Table("classical", f"{READY_LESS_9D} 5b", live="9c 9c 9c 9c").discard(0, "5b").turns(3)
    assert not {o for o in table.options(0) if o.endswith("call")}
    assert refused(table, 0, "discard 9c call") is Rule.CALL_CLOSED


def test_c34_the_call_of_a_seat_that_is_not_ready_is_refused():
    table = Table("classical", f"{READY_LESS_9D} 5b")
    assert refused(table, 0, "discard 1b call") is Rule.NOT_READY


def test_c34_melds_made_before_do_not_matter_nor_does_the_kind_of_the_turn():
    table = Table("classical", "E", "", "E E 1b 2b 4c 5c 6c 7d 8d 9d R R 5b").do(0, "discard E").do(2, "pung")
    assert "discard 5b call" in table.options(2)
    table.do(2, "discard 5b call")
    assert table.state.original_calls[2]


def test_c34_kongs_made_before_do_not_matter():
    table = Table("classical", "4*E 1b 2b 4c 5c 6c 7d 8d 9d R R", reserve="R").do(0, "continue")
    table.do(0, "kong concealed_kong E")
    assert "discard R call" in table.options(0)


def test_c34_claims_by_others_do_not_matter():
    table = Table("classical", "9d 3c", f"{READY_LESS_9D}", "", "9d 9d", live="5b 2c 7c").do(0, "discard 9d")
    table.do(3, "pung").discard(3, table.hand(3).split()[0]).turn()
    assert (table.state.actor, "discard 2c call" in table.options(1)) == (1, True)


def test_c34_a_kind_of_which_the_seat_has_all_four_itself_does_not_make_it_ready():
    table = Table("classical", "4*3b 1c 2c 3c 4c 5c 6c 7c 8c 9c 5d").do(0, "continue")
    assert "discard 5d call" not in table.options(0), "only a fifth 3b would complete the tiles"


def test_c34_copies_in_own_melds_count_for_that_too():
    table = Table("classical", "3b", "", "3*3b 4c 5c 6c 7d 8d 9d 2d 3d 4d W").do(0, "discard 3b").do(2, "pung")
    assert "discard W call" not in table.options(2), "the only wait is 3b, of which all four are its own"
    assert "discard 3b call" in table.options(2)


def test_c34_tiles_seen_elsewhere_do_not_matter():
    hands = ("3b 3b 3b 3b", f"{READY_LESS_9D}")
    table = Table("classical", *hands, live="5b").do(0, "continue")
    table.discard(0, "3b")
    assert "discard 5b call" in table.options(1), "no 3b is left, and the seat does not know or ask"


def called(second="", third="", live="9c", **wishes):
    """Returns a table where East has called, waiting for 3b."""
    return Table("classical", f"{READY_LESS_9D} 5b", second, third, live=live, **wishes).discard(0, "5b", call=True)


def test_c35_a_seat_that_has_called_makes_no_chow_pung_or_kong_and_is_not_asked_for_them():
    table = called(second="E R", live="9c").do(1, "discard R")
    assert 0 not in table.asked_seats
    table = called(second="E R", live="9c").do(1, "discard E")
    assert 0 not in table.asked_seats


def test_c35_a_drawn_tile_that_would_make_a_kong_is_discarded():
    table = called(live="9c 9c 9c E").turns(3)
    assert (table.drawn, table.options(0)) == ("E", {"discard E"})
    assert refused(table, 0, "kong concealed_kong E") is Rule.HAND_IS_LOCKED
    assert refused(table, 0, "discard R") is Rule.HAND_IS_LOCKED


def test_c35_bonus_tiles_are_shown_and_replaced_as_ever():
    table = called(live="9c 9c 9c f1 2c").turns(3)
    assert (table.bonus(0), table.options(0)) == ("f1", {"discard 2c"})


def test_c35_the_forced_discard_is_given_without_a_clock_and_stands_in_the_record():
    table = called(live="9c 9c 9c 2c").turns(3)
    assert table.asked == [(0, "turn", "none")]
    before = len(table.state.decisions)
    table.do(0, table.default(0))
    assert text(table.state.decisions[before].action) == "discard 2c"
    assert table.state.decisions[before].timeout is False


def test_c35_a_drawn_tile_that_completes_the_tiles_may_be_won_or_discarded():
    table = called(live="9c 9c 9c 3b").turns(3)
    assert (table.options(0), table.asked) == ({"win", "discard 3b"}, [(0, "turn", "turn")])
    table.do(0, "discard 3b")
    assert table.result is None


def test_c35_wins_on_discards_are_offered_and_may_be_passed():
    table = called(second="3b", live="9c").do(1, "discard 3b")
    assert table.options(0) == {"win", "pass"}
    table.do(0, "pass").passes()
    assert table.result is None


def test_c35_wins_by_robbing_are_offered():
    table = Table("classical", f"{READY_LESS_9D} 5b", "3*3b 7c", "", "3b", live="9c 9d W 8c 1c 1d 1d 9d")
    table.discard(0, "5b", call=True).turns(2).do(3, "discard 3b")
    table.do(0, "pass").do(1, "pung").discard(1, "7c").turns(2)
    table.do(0, table.default(0)).passes()
    table.do(1, "kong promoted_kong 3b")
    assert table.options(0) == {"win", "pass"}


def test_c36_the_call_is_public_and_stands_even_if_the_discard_is_claimed():
    table = Table("classical", f"{READY_LESS_9D} 5b", "", "5b 5b").do(0, "discard 5b call").do(2, "pung")
    assert table.state.original_calls[0]
    assert all(table.view(seat).original_calls[0] for seat in range(4))


@pytest.mark.parametrize("by", ["discard", "self-draw"])
def test_c36_a_win_by_any_source_then_earns_original_call(by):
    if by == "discard":
        table = called(second="3b", live="9c").do(1, "discard 3b").do(0, "win")
    else:
        table = called(live="9c 9c 9c 3b").turns(3).do(0, "win")
    assert "original_call" in table.awards(0)
