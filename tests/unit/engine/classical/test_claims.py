"""Section 5 of docs/rules/classical.md: claims on discards."""

import pytest

from mahjong_engine.action import PASS, WIN
from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.hand import apply
from tests.unit.engine.hand_kit import Table

WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"
WAITS_3B_TOO = "4b 5b 1c 2c 3c 7c 8c 9c S S S W W"


def test_c23_every_seat_that_a_discard_completes_is_asked_to_win_in_a_chow_too():
    table = Table("classical", "3b", "", WAITS_3B, WAITS_3B_TOO).do(0, "discard 3b")
    assert table.asked[-2:] == [(2, "claim", "claim"), (3, "claim", "claim")]
    assert "win" in table.options(2)
    assert "win" in table.options(3)


def test_c23_three_alike_make_a_kong_or_a_pung_and_two_make_a_pung():
    table = Table("classical", "E 9d", "", "3*E", "9d 9d", reserve="5c")
    three = table.do(0, "discard E").options(2)
    assert three == {"claim_kong", "pung", "pass"}
    table = Table("classical", "E 9d", "", "3*E", "9d 9d").do(0, "discard 9d")
    assert table.options(3) == {"pung", "pass"}


def test_c23_only_the_next_seat_may_chow_and_names_the_two_tiles():
    holding = "3d 4d 6d 7d"
    table = Table("classical", "5d", holding, holding, holding).do(0, "discard 5d")
    assert table.options(1) == {"chow 3d 4d", "chow 4d 6d", "chow 6d 7d", "pass"}
    assert table.asked_seats == [1]


def test_c23_a_run_does_not_cross_a_suit_and_honours_make_none():
    table = Table("classical", "1c E", "8b 9b 2c S W", "", "").do(0, "discard 1c")
    assert not any(o.startswith("chow") and "b" in o for o in table.options(1))
    table = Table("classical", "1c E", "S W N", "", "").do(0, "discard E")
    assert table.asked_seats == [1], "nobody is asked: the next seat draws"
    assert table.asked[0][1] == "turn"


def test_c23_the_discarder_is_not_asked():
    table = Table("classical", "9d 9d 9d").do(0, "discard 9d")
    assert 0 not in table.asked_seats


def test_c24_nothing_happens_before_each_asked_seat_has_answered():
    table = Table("classical", "3b", "3b 3b", WAITS_3B, "").do(0, "discard 3b")
    before = table.state
    table.do(1, "pung")
    assert table.events == ()
    assert (table.state.ponds, table.state.melds, table.state.decisions) == (
        before.ponds,
        before.melds,
        before.decisions,
    )
    table.do(2, "pass")
    assert table.melds(1) == ["pung 3b 3b 3b"]


def test_c24_an_answer_that_can_no_longer_change_the_outcome_is_not_awaited():
    table = Table("classical", "5d", "4d 6d", "5d 5d").do(0, "discard 5d")
    assert table.asked_seats == [1, 2]
    table.do(2, "pung")
    assert table.melds(2) == ["pung 5d 5d 5d"], "a chow could not beat the pung"


def test_c24_a_chow_waits_for_those_who_may_still_beat_it():
    table = Table("classical", "5d", "4d 6d", "5d 5d").do(0, "discard 5d").do(1, "chow 4d 6d")
    assert table.asked_seats == [2]
    table.do(2, "pass")
    assert table.melds(1) == ["chow 4d 5d 6d"]


def test_c24_an_accepted_answer_cannot_be_changed():
    table = Table("classical", "3b", "3b 3b", WAITS_3B).do(0, "discard 3b").do(1, "pass")
    with pytest.raises(IllegalActionError) as caught:
        table.do(1, "pung")
    assert caught.value.rule is Rule.ALREADY_ANSWERED


def test_c24_a_refused_answer_leaves_the_decision_open():
    table = Table("classical", "3b", "3b 3b").do(0, "discard 3b")
    before = table.state
    with pytest.raises(IllegalActionError) as caught:
        table.do(1, "win")
    assert caught.value.rule is Rule.NOT_A_WIN
    assert table.state == before
    assert "pung" in table.options(1)


def test_c24_the_order_of_the_answers_does_not_matter():
    table = Table("classical", "3b", "", WAITS_3B, WAITS_3B_TOO).do(0, "discard 3b").passes(1)
    one, _ = apply(apply(table.state, 2, PASS)[0], 3, WIN)
    two, _ = apply(apply(table.state, 3, WIN)[0], 2, PASS)
    assert one == two


def test_c25_a_win_beats_a_pung_and_a_pung_beats_a_chow():
    table = Table("classical", "3b", "1b 2b", "3b 3b", WAITS_3B).do(0, "discard 3b")
    table.do(1, "chow 1b 2b").do(2, "pung").do(3, "win")
    assert table.won_by == [(3, "3b", "discard", 0)]
    table = Table("classical", "3b", "1b 2b", "3b 3b", WAITS_3B).do(0, "discard 3b")
    table.do(1, "chow 1b 2b").do(3, "pass").do(2, "pung")
    assert table.melds(2) == ["pung 3b 3b 3b"]


@pytest.mark.parametrize("order", [(2, 3), (3, 2)])
def test_c25_of_several_wins_only_that_of_the_nearest_seat_counts(order):
    table = Table("classical", "3b", "", WAITS_3B, WAITS_3B_TOO).do(0, "discard 3b").passes(1)
    for seat in order:
        if seat in table.asked_seats:
            table.do(seat, "win")
    assert table.won_by == [(2, "3b", "discard", 0)]


def test_c25_nearness_goes_round_from_the_discarder():
    table = Table("classical", WAITS_3B, "", "3b", WAITS_3B_TOO, live="9c 9c").turn().turn()
    assert table.state.actor == 2
    table.do(2, "discard 3b")
    for seat in (0, 3):
        table.do(seat, "win")
    assert table.won_by == [(3, "3b", "discard", 2)]


def test_c26_a_chow_or_pung_makes_a_meld_with_the_discard_and_turn_order_goes_on_from_the_claimer():
    table = Table("classical", "9d", "", "", "9d 9d", live="2c 4c 6c").do(0, "discard 9d").do(3, "pung")
    (meld,) = table.state.melds[3]
    assert (meld.claimed, meld.from_seat) == (meld.tile, 0)
    assert (table.state.actor, table.asked) == (3, [(3, "turn_after_claim", "turn")])
    table.discard(3, table.hand(3).split()[0])
    assert table.state.actor == 0, "seats 1 and 2 lose their turn"


def test_c26_a_claimed_kong_takes_its_replacement_and_cannot_be_robbed():
    table = Table("classical", "3b", WAITS_3B, "3*3b", reserve="8c").do(0, "discard 3b").do(1, "pass")
    table.do(2, "claim_kong")
    assert (table.drawn, table.source, table.asked) == ("8c", "kong_replacement", [(2, "turn", "turn")])
    (meld,) = table.state.melds[2]
    assert (meld.claimed, meld.from_seat) == (meld.tile, 0)


def test_c26_a_chow_is_laid_out_in_sort_order_with_the_claimed_tile_named():
    table = Table("classical", "5d", "3d 4d").do(0, "discard 5d").do(1, "chow 3d 4d")
    (meld,) = table.state.melds[1]
    assert table.melds(1) == ["chow 3d 4d 5d"]
    assert (meld.claimed, meld.from_seat) == (meld.tile + 2, 0)


def test_c27_a_win_passed_on_a_discard_may_be_won_later_on_the_same_kind():
    table = Table("classical", "3b 3b", WAITS_3B, live="9c 9c 9c 9c").do(0, "discard 3b").do(1, "pass").turns(3)
    table.do(0, "discard 3b")
    assert table.options(1) == {"win", "chow 1b 2b", "pass"}
    table.do(1, "win")
    assert table.won_by == [(1, "3b", "discard", 0)]


def test_c27_a_win_on_the_own_draw_may_be_passed():
    table = Table("classical", "", WAITS_3B, live="3b").turn()
    table.discard(1, "3b").turns(3)
    assert table.result is None
    assert table.state.actor == 1
