"""Sections 5-7 of docs/rules/taiwanese.md: turns, claims, kongs."""

import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.event import Drew, Ending
from tests.unit.engine.taiwanese.play_kit import (
    SEVEN,
    WAITS_3B,
    WAITS_3B_TOO,
    drain,
    hands_of,
    last_seat,
    promoted,
    table_of,
)


def test_t21_a_turn_begins_with_a_draw_a_chow_a_pung_or_a_kong():
    hands = ("1b 9c 5d", "2b 3b", "9c 9c", "3*5d")
    assert table_of(*hands).turn().names()[-2:] == ["TurnStarted", "Drew"]
    assert table_of(*hands).do(0, "discard 1b").do(1, "chow 2b 3b").names() == ["Claimed", "TurnStarted"]
    assert table_of(*hands).do(0, "discard 9c").do(2, "pung").names() == ["Claimed", "TurnStarted"]
    assert table_of(*hands).do(0, "discard 5d").do(3, "claim_kong").names() == ["Claimed", "TurnStarted", "Drew"]


def test_t22_the_drawn_tile_is_the_last_that_the_seat_took_in_its_turn():
    table = table_of("4*9d", live="f1 3c", reserve="7b 8b")
    table.do(0, "kong concealed_kong 9d")
    assert (table.drawn, table.source) == ("7b", "kong_replacement")
    table.turn()
    assert (table.drawn, table.source) == ("8b", "flower_replacement")
    table.turn()
    assert (table.drawn, table.source) == ("3c", "live_wall")


def test_t22_a_turn_that_began_with_a_chow_or_pung_has_none():
    table = table_of("9d", "", "9d 9d").do(0, "discard 9d").do(2, "pung")
    assert (table.drawn, table.view(2).drawn) == (None, None)


def test_t23_after_a_draw_the_seat_may_win_declare_kongs_or_discard_any_tile():
    table = table_of("4*9d 2b 4b 6c 8c E W 1d 3d R G 5b 7b N")
    discards = {f"discard {code}" for code in table.hand(0).split()}
    assert table.options(0) == {"kong concealed_kong 9d"} | discards
    assert "win" in table_of("", WAITS_3B, live="3b").turn().options(1)


def test_t23_a_pung_meld_may_be_promoted_with_a_tile_held_for_long():
    table = promoted()
    assert table.drawn != "3b"
    assert "kong promoted_kong 3b" in table.options(0)


def test_t24_after_a_chow_or_pung_the_seat_only_discards():
    table = table_of("5b", "", "5b 5b 1c 2c 3c 4c 5c 6c 7c 8c 9c E E E W W").do(0, "discard 5b")
    assert "win" in table.options(2)
    table.do(2, "pung")
    assert table.asked == [(2, "turn_after_claim", "turn")]
    assert {option.split()[0] for option in table.options(2)} == {"discard"}
    table = table_of("5b", "", "3*5b 4*9d").do(0, "discard 5b").do(2, "pung")
    assert "discard 5b" in table.options(2)
    assert not any(option.startswith("kong") for option in table.options(2))


def test_t25_a_discard_lies_in_the_pond_until_it_is_claimed_and_counts_all_the_same():
    table = table_of("9d", "", "9d 9d").do(0, "discard 9d")
    assert table.pond(0) == "9d"
    table.do(2, "pung")
    assert (table.pond(0), table.state.discard_count) == ("", 1)


def test_t26_on_an_empty_live_wall_the_hand_ends_instead_of_a_draw():
    table = drain(table_of())
    assert table.result is None
    table.turn()
    assert (table.result.ended, table.result.changes) == (Ending.DRAW, (0, 0, 0, 0))


def test_t27_the_claims_on_a_discard():
    table = table_of("3b 5d", "3d 4d 6d 7d", "3*3b", WAITS_3B)
    chows = table.do(0, "discard 5d").options(1)
    assert chows == {"chow 3d 4d", "chow 4d 6d", "chow 6d 7d", "pass"}
    table = table_of("3b 5d", "3d 4d 6d 7d", "3*3b", WAITS_3B).do(0, "discard 3b")
    assert table.options(2) == {"claim_kong", "pung", "pass"}
    assert table.options(3) == {"win", "pass"}


def test_t27_a_kong_needs_a_tile_in_the_live_wall():
    seat = last_seat()
    other = (seat + 2) % 4
    table = drain(table_of(*hands_of(**{f"s{other}": "3*E"}), last_live="E")).do(seat, "discard E")
    assert table.options(other) == {"pung", "pass"}
    with pytest.raises(IllegalActionError) as caught:
        table.do(other, "claim_kong")
    assert caught.value.rule is Rule.NO_REPLACEMENT


def test_t28_answers_are_collected_before_anything_happens():
    table = table_of("3b", "3b 3b", WAITS_3B).do(0, "discard 3b").do(1, "pung")
    assert (table.events, table.state.melds) == ((), ((),) * 4)
    with pytest.raises(IllegalActionError) as caught:
        table.do(1, "pass")
    assert caught.value.rule is Rule.ALREADY_ANSWERED
    table.do(2, "pass")
    assert table.melds(1) == ["pung 3b 3b 3b"]


def test_t28_a_further_winner_can_change_the_outcome_and_is_awaited():
    table = table_of("3b", "", WAITS_3B, WAITS_3B_TOO).do(0, "discard 3b")
    for seat in [s for s in table.asked_seats if s == 1]:
        table.do(seat, "pass")
    table.do(2, "win")
    assert (table.result, table.asked_seats) == (None, [3])


def test_t28_a_chow_cannot_change_the_outcome_of_a_pung():
    table = table_of("5d", "4d 6d", "5d 5d").do(0, "discard 5d").do(2, "pung")
    assert table.melds(2) == ["pung 5d 5d 5d"]


def test_t29_every_seat_that_answers_win_wins_and_is_paid_in_full():
    table = table_of("3b", "", WAITS_3B, WAITS_3B_TOO).do(0, "discard 3b")
    for seat in [s for s in table.asked_seats if s == 1]:
        table.do(seat, "pass")
    table.do(3, "win").do(2, "win")
    assert table.won_by == [(2, "3b", "discard", 0), (3, "3b", "discard", 0)]
    values = table.result.settlement.values
    assert table.result.changes == (-values[2] - values[3], 0, values[2], values[3])


def test_t29_other_claims_lapse_when_somebody_wins():
    table = table_of("3b", "1b 2b", "3b 3b", WAITS_3B).do(0, "discard 3b")
    table.do(1, "chow 1b 2b").do(2, "pung").do(3, "win")
    assert table.result.winners == (3,)
    assert table.state.melds == ((),) * 4


def test_t30_turn_order_goes_on_from_the_claimer():
    table = table_of("9d", "", "", "9d 9d 1b").do(0, "discard 9d").do(3, "pung")
    (meld,) = table.state.melds[3]
    assert (meld.claimed, meld.from_seat) == (meld.tile, 0)
    table.discard(3, "1b")
    assert table.state.actor == 0


def test_t30_a_claimed_kong_cannot_be_robbed():
    table = table_of("3b", WAITS_3B, "3*3b", reserve="8c").do(0, "discard 3b").do(1, "pass").do(2, "claim_kong")
    assert (table.asked, table.drawn) == ([(2, "turn", "turn")], "8c")


def test_t31_a_win_may_be_passed_and_won_later_on_the_same_kind():
    table = table_of("3b 3b", WAITS_3B, live="9c 9c 9c 9c").do(0, "discard 3b").do(1, "pass").turns(3)
    table.do(0, "discard 3b")
    assert "win" in table.options(1)


def test_t32_a_concealed_kong_is_robbed_by_nobody():
    table = table_of("4*3b", WAITS_3B).do(0, "kong concealed_kong 3b")
    assert table.asked == [(0, "turn", "turn")]


def test_t33_every_seat_that_the_promoted_tile_completes_is_asked_before_the_replacement():
    table = promoted(third=WAITS_3B_TOO).do(0, "kong promoted_kong 3b")
    assert table.asked == [(1, "rob_kong", "claim"), (2, "rob_kong", "claim")]
    assert table.names() == ["KongDeclared"]


def test_t33_all_that_answer_win_win_and_the_owner_pays_each():
    table = promoted(third=WAITS_3B_TOO).do(0, "kong promoted_kong 3b").do(1, "win")
    assert table.result is None
    table.do(2, "win")
    assert table.won_by == [(1, "3b", "robbed_promoted_kong", 0), (2, "3b", "robbed_promoted_kong", 0)]
    assert table.result.changes[3] == 0
    assert table.result.changes[0] == -table.result.changes[1] - table.result.changes[2]


def test_t33_after_passes_the_replacement_is_taken():
    table = promoted().do(0, "kong promoted_kong 3b").do(1, "pass")
    assert (table.names(), table.source) == (["Drew"], "kong_replacement")


def test_t34_a_robbed_kong_falls_back_to_a_pung_and_takes_no_replacement():
    table = promoted().do(0, "kong promoted_kong 3b").do(1, "win")
    assert table.melds(0) == ["pung 3b 3b 3b"]
    assert table.state.reserve_taken == 0
    assert [e.wall for e in table.events if isinstance(e, Drew)] == []


def test_t34_earlier_kongs_of_the_same_turn_stand():
    table = table_of("3*3b 9d 1d 4*7c", WAITS_3B, "", "3b", live="8c 7d 7d 8c 8c").discard(0, "9d").turns(2)
    table.do(3, "discard 3b").do(1, "pass").do(0, "pung").discard(0, "1d").turns(3)
    table.do(0, "kong concealed_kong 7c").do(0, "kong promoted_kong 3b").do(1, "win")
    assert table.melds(0) == ["pung 3b 3b 3b", "concealed_kong 7c 7c 7c 7c"]


def test_t35_a_flower_as_the_last_replacement_ends_the_hand():
    seat = drain(table_of(), left=1).state.actor
    table = drain(table_of(*hands_of(**{f"s{seat}": "4*9d"}), reserve="f1"), left=1)
    table.do(seat, "kong concealed_kong 9d")
    assert (table.result.ended, table.left) == (Ending.DRAW, 0)


def test_t35_unless_there_is_a_flower_win():
    seat = drain(table_of("", "", "", SEVEN), left=1).state.actor
    other = (seat + 1) % 4
    table = drain(table_of(*hands_of(**{f"s{other}": SEVEN, f"s{seat}": "4*9d"}), at={135: "s4"}), left=1)
    table.do(seat, "kong concealed_kong 9d")
    assert (table.asked, table.left) == ([(other, "rob_flower", "claim")], 0)
