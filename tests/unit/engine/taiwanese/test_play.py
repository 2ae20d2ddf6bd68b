"""Sections 5-7 and 9-12, 14 and 15 of docs/rules/taiwanese.md: turns, claims, kongs, wins, decisions, views."""

import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.event import Drew, Ending, HandDealt, HandEnded, OriginalCallsMade, Wall
from mahjong_engine.keys import keys_of
from mahjong_engine.rule_set import rule_set
from tests.unit.engine.hand_kit import Table, codes, tiles

TAIWANESE = rule_set("taiwanese")
WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R R W W"
WAITS_3B_TOO = "4b 5b 1c 2c 3c 7c 8c 9c S S S N N N G G"
SEVEN = "f1 f2 f3 f4 s1 s2 s3"


def table_of(*hands, **wishes):
    """Returns a table whose opening is over, nobody having called."""
    table = Table("taiwanese", *hands, **wishes)
    while table.state.phase == "opening_call":
        table.do(table.asked_seats[0], "no_original_call")
    return table


def drain(table, left=0):
    while table.left > left:
        table.turn()
    return table


def last_seat():
    """Returns the seat that draws the last live tile when nobody claims anything."""
    return drain(table_of()).state.actor


def hands_of(**by_seat):
    """Returns four hands, `s1="3*E"` naming that of seat 1."""
    return [by_seat.get(f"s{seat}", "") for seat in range(4)]


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


def promoted(robber=WAITS_3B, third="", **wishes):
    """Returns a table where East has claimed a pung of 3b, holds the fourth, and is in turn again."""
    table = table_of("3*3b 9d 9d 1d", robber, third, "3b", live="8c 7d 7d 8c 8c", **wishes).discard(0, "9d").turns(2)
    table.do(3, "discard 3b")
    for seat in [s for s in table.asked_seats if s != 0]:
        table.do(seat, "pass")
    return table.do(0, "pung").discard(0, "1d").turns(3)


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


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        (f"{WAITS_3B} 3b", True),
        ("1b 1b 3b 3b 5c 5c 7c 7c 9d 9d E E R R R P P", True),
        ("4*1b 5c 5c 7c 7c 9d 9d E E R R R P P", True),
        ("1b 1b 3b 3b 5c 5c 7c 7c 9d 9d E E R R S P P", False),
        ("1b 1b 3*3b 5c 5c 7c 7c 9d 9d E E R R R P", False),
        ("1b 9b 1c 9c 1d 9d E S W N R G P P 3b 4b 5b", False),
    ],
)
def test_t40_five_sets_and_a_pair_or_seven_pairs_and_a_triplet_are_complete(text, complete):
    assert TAIWANESE.is_complete(keys_of(tiles(text)), ()) is complete


def test_t40_seven_pairs_and_a_triplet_have_no_meld_a_concealed_kong_neither():
    hand = "4*1b 3b 3b 5c 5c 7c 7c 9d 9d E E R R"
    table = table_of(f"{hand} G", reserve="R").do(0, "kong concealed_kong 1b")
    assert "win" not in table.options(0)


def test_t41_live_wall_and_flower_replacement_and_kong_replacement():
    drawn = table_of("", WAITS_3B, live="3b").turn().do(1, "win")
    assert drawn.won_by == [(1, "3b", "live_wall", None)]
    flower = table_of("", WAITS_3B, live="f1", reserve="3b").turn().do(1, "win")
    assert flower.won_by == [(1, "3b", "flower_replacement", None)]
    kong = table_of("E", WAITS_3B, reserve="3b").do(0, "discard E").do(1, "claim_kong").do(1, "win")
    assert kong.won_by == [(1, "3b", "kong_replacement", None)]
    both = table_of("E", WAITS_3B, reserve="f1 3b").do(0, "discard E").do(1, "claim_kong").do(1, "win")
    assert both.won_by == [(1, "3b", "flower_replacement", None)]


def test_t41_dealt_also_after_the_flower_passes():
    assert table_of(f"{WAITS_3B} 3b").do(0, "win").won_by == [(0, "3b", "dealt", None)]
    table = table_of(f"{WAITS_3B} f1", reserve="3b").do(0, "win")
    assert table.won_by == [(0, "3b", "dealt", None)]
    assert "heavenly_hand" in table.awards(0)


@pytest.mark.parametrize(("reserve", "source"), [("3b", "kong_replacement"), ("f1 3b", "flower_replacement")])
def test_t41_east_after_a_kong_before_any_discard_has_the_source_of_its_last_tile(reserve, source):
    table = table_of("1b 2b 4c 5c 6c 7d 8d 9d 4*E R R R W W", reserve=reserve).do(0, "kong concealed_kong E")
    table.do(0, "win")
    assert table.won_by == [(0, "3b", source, None)]
    assert "heavenly_hand" in table.awards(0)


def test_t41_discard_and_robbed_kong_name_whose_tile_it_was():
    table = table_of("3b", WAITS_3B).do(0, "discard 3b").do(1, "win")
    assert table.won_by == [(1, "3b", "discard", 0)]
    assert promoted().do(0, "kong promoted_kong 3b").do(1, "win").won_by == [(1, "3b", "robbed_promoted_kong", 0)]


def test_t42_the_last_live_tile_and_a_last_discard():
    seat = last_seat()
    table = drain(table_of(*hands_of(**{f"s{seat}": WAITS_3B}), last_live="3b")).do(seat, "win")
    assert "last_tile" in table.awards(seat)
    winner = (seat + 1) % 4
    table = drain(table_of(*hands_of(**{f"s{winner}": WAITS_3B}), last_live="3b"))
    table.do(seat, "discard 3b").do(winner, "win")
    assert "last_tile" in table.awards(winner)


def test_t42_a_replacement_that_emptied_the_live_wall_is_no_last_live_tile():
    seat = drain(table_of(), left=1).state.actor
    hand = "1b 2b 4c 5c 6c 7d 8d 9d 4*E R R R W"
    table = drain(table_of(*hands_of(**{f"s{seat}": hand}), reserve="3b", at={126: "W"}), left=1)
    table.do(seat, "kong concealed_kong E").do(seat, "win")
    assert (table.left, table.won_by) == (0, [(seat, "3b", "kong_replacement", None)])
    assert "last_tile" not in table.awards(seat)


def test_t43_all_wins_on_one_tile_end_the_hand_together():
    table = table_of("3b", "", WAITS_3B, WAITS_3B_TOO).do(0, "discard 3b")
    for seat in [s for s in table.asked_seats if s == 1]:
        table.do(seat, "pass")
    table.do(2, "win").do(3, "win")
    assert [type(e).__name__ for e in table.events] == ["HandEnded"]
    assert (table.result.ended, table.result.winners) == (Ending.WIN, (2, 3))


def test_t44_taking_the_last_live_tile_ends_nothing_by_itself():
    table = drain(table_of())
    assert (table.left, table.result) == (0, None)
    table.turn()
    assert (table.result.ended, table.result.settlement) == (Ending.DRAW, None)


def test_t45_the_claimer_of_a_last_discard_discards_again():
    seat = last_seat()
    one, two = (seat + 2) % 4, (seat + 3) % 4
    table = drain(table_of(*hands_of(**{f"s{one}": "R R 9c", f"s{two}": "9c 9c 1b"}), last_live="R"))
    table.do(seat, "discard R").do(one, "pung").do(one, "discard 9c").do(two, "pung")
    table.discard(two, "1b")
    assert table.result.ended is Ending.DRAW


def test_t46_phase_1_the_eighth_flower_in_a_pass():
    table = Table("taiwanese", "s4", SEVEN)
    assert (table.asked, table.options(1), table.default(1)) == (
        [(1, "rob_flower", "opening")],
        {"rob_flower", "pass"},
        "rob_flower",
    )


def test_t46_phase_2_after_the_passes():
    table = Table("taiwanese", "", WAITS_3B)
    assert table.asked == [(1, "opening_call", "opening")]
    assert (table.options(1), table.default(1)) == ({"original_call", "no_original_call"}, "no_original_call")


def test_t46_phase_3_a_turn_after_a_draw():
    table = table_of("", WAITS_3B, live="3b").turn()
    assert (table.asked, table.default(1)) == ([(1, "turn", "turn")], "win")
    assert {"win", "discard 3b"} <= table.options(1)
    assert table_of(live="5d").turn().default(1) == "discard 5d"


def test_t46_phase_4_a_turn_under_original_call():
    table = Table("taiwanese", "", WAITS_3B, live="9c").do(1, "original_call").turn()
    assert (table.asked, table.options(1)) == ([(1, "turn", "none")], {"discard 9c"})


def test_t46_phase_5_a_turn_after_chow_or_pung():
    table = table_of("9d", "", "9d 9d P").do(0, "discard 9d").do(2, "pung")
    assert (table.asked, table.default(2)) == ([(2, "turn_after_claim", "turn")], "discard P")


def test_t46_phase_6_the_eighth_flower_in_play():
    table = table_of("", SEVEN, live="9d s4").turns(2)
    assert (table.asked, table.default(1)) == ([(1, "rob_flower", "claim")], "rob_flower")


def test_t46_phase_7_a_discard():
    table = table_of("3b", "1b 2b", "3*3b", WAITS_3B).do(0, "discard 3b")
    assert {(phase, clock) for _, phase, clock in table.asked} == {("claim", "claim")}
    assert (table.default(1), table.default(2), table.default(3)) == ("pass", "pass", "win")


def test_t46_phase_8_a_promoted_kong():
    table = promoted().do(0, "kong promoted_kong 3b")
    assert (table.asked, table.options(1)) == ([(1, "rob_kong", "claim")], {"win", "pass"})
    assert table.default(1) == "win"


def test_t46_elsewhere_than_in_its_turn_a_seat_is_asked_only_with_another_answer_than_pass():
    assert table_of("9d", "", "9d 9d").do(0, "discard 9d").asked_seats == [2]


def test_t46_seats_asked_together_do_not_see_that_others_are_asked():
    ready = "1c 2c 4b 5b 6b 7c 8c 9c S S S G G G N N"
    both = Table("taiwanese", "", WAITS_3B, "", ready)
    one = Table("taiwanese", "", WAITS_3B, "", ready).do(3, "original_call")
    assert (both.asked_seats, one.asked_seats) == ([1, 3], [1])
    assert both.view(1) == one.view(1)


@pytest.mark.parametrize(
    ("table", "clock"),
    [
        (Table("taiwanese", "s4", SEVEN), "opening"),
        (Table("taiwanese", "", WAITS_3B), "opening"),
        (table_of(), "turn"),
        (table_of("9d", "", "9d 9d").do(0, "discard 9d"), "claim"),
        (table_of("", SEVEN, live="9d s4").turns(2), "claim"),
    ],
)
def test_t48_turn_claim_and_opening_decisions_have_their_own_clocks(table, clock):
    assert {kind for _, _, kind in table.asked} == {clock}


@pytest.mark.parametrize(
    ("table", "seat", "answer"),
    [
        (Table("taiwanese", "s4", SEVEN), 1, "rob_flower"),
        (Table("taiwanese", "", WAITS_3B), 1, "no_original_call"),
        (table_of("", WAITS_3B, live="3b").turn(), 1, "win"),
        (table_of(live="5d").turn(), 1, "discard 5d"),
        (table_of("9d", "", "9d 9d P").do(0, "discard 9d").do(2, "pung"), 2, "discard P"),
        (table_of("9d", "", "9d 9d").do(0, "discard 9d"), 2, "pass"),
        (table_of("3b", WAITS_3B).do(0, "discard 3b"), 1, "win"),
        (promoted().do(0, "kong promoted_kong 3b"), 1, "win"),
    ],
)
def test_t50_at_a_timeout_the_server_gives_the_default_and_the_decision_is_marked(table, seat, answer):
    assert table.default(seat) == answer
    index = len(table.state.decisions)
    assert table.do(seat, answer, timeout=True).state.decisions[index].timeout


def test_t50_another_answer_than_the_default_is_no_timeout():
    with pytest.raises(IllegalActionError) as caught:
        Table("taiwanese", "s4", SEVEN).do(1, "pass", timeout=True)
    assert caught.value.rule is Rule.NOT_THE_DEFAULT


def test_t62_east_deals_again_after_its_win_as_one_of_several_too_or_no_win():
    table = table_of(WAITS_3B, "", "3b", WAITS_3B_TOO, live="9c 9d").turns(2).do(2, "discard 3b")
    table.do(0, "win").do(3, "win")
    assert table.result.winners == (0, 3)
    assert (table.result.dealer_changes_after, table.result.dealer_wins_after) == (0, 1)
    nobody = drain(table_of(wins=2, hand=2)).turn()
    assert (nobody.result.dealer_changes_after, nobody.result.dealer_wins_after) == (0, 2)


def test_t62_otherwise_the_deal_passes_once_however_many_win():
    table = table_of("3b", "", WAITS_3B, WAITS_3B_TOO, wins=1, hand=1).do(0, "discard 3b")
    for seat in [s for s in table.asked_seats if s == 1]:
        table.do(seat, "pass")
    table.do(2, "win").do(3, "win")
    assert (table.result.dealer_changes_after, table.result.dealer_wins_after) == (1, 0)


def test_t64_everyone_sees_what_is_public():
    table = table_of("9d", "f1", "9d 9d 1b", dealer=1, round_=1).do(1, "discard 9d").do(3, "pung")
    for seat in range(4):
        view = table.view(seat)
        assert (view.dealer, codes([view.round_wind]), view.turn) == (1, "S", 3)
        assert view.melds[3][0].from_seat == 1
        assert codes(view.bonus[2]) == "f1"
        assert view.concealed_counts == (16, 16, 16, 14)
        assert (view.live_tiles_left, view.reserve_tiles_left) == (62, 16)


def test_t64_everyone_sees_from_which_wall_the_seat_in_turn_drew():
    table = table_of(live="f1").turn()
    assert [table.view(seat).drew_from for seat in range(4)] == [Wall.RESERVE] * 4


def test_t65_a_seat_alone_sees_its_tiles_and_what_it_may_answer():
    table = table_of(live="5b").turn()
    assert (codes([table.view(1).drawn]), table.view(2).drawn) == ("5b", None)
    assert (table.view(1).decision is None, table.view(2).decision) == (False, None)
    (dealt,) = (e for e in table.seen_by(2) if isinstance(e, HandDealt))
    assert [tiles is not None for tiles in dealt.concealed] == [False, False, True, False]


def test_t65_nobody_is_told_who_was_asked_for_an_original_call():
    junk = "1b 3b 5b 7b 9b 2c 4c 6c 8c 1d 3d 5d 7d S N G"
    south, west = Table("taiwanese", "", WAITS_3B, junk), Table("taiwanese", "", junk, WAITS_3B)
    assert (south.asked_seats, west.asked_seats) == ([1], [2])
    for seat in (0, 3):
        assert south.view(seat) == west.view(seat)
        assert south.seen_by(seat) == west.seen_by(seat)


def test_t64_everyone_sees_the_eighth_flower_that_is_offered_and_whose_it_is():
    table = table_of("", SEVEN, live="9d s4").turns(2)
    assert {(codes([table.view(seat).offered]), table.view(seat).offered_by) for seat in range(4)} == {("s4", 2)}
    own = table_of("f1", "f2 f3 f4 s1 s2 s3", live="s4").turn()
    assert (codes([own.view(3).offered]), own.view(3).offered_by) == ("f1", 0)


def test_a_state_does_not_print_its_tiles():
    assert repr(table_of().state) == "<hand 0 of taiwanese: turn after 0 answers>"


def test_t65_declined_calls_leave_no_trace():
    asked = Table("taiwanese", "", WAITS_3B).do(1, "no_original_call")
    assert [e for e in asked.seen_by(0) if isinstance(e, OriginalCallsMade)] == [OriginalCallsMade(())]


def test_t66_after_a_win_a_flower_win_included_all_concealed_tiles_are_shown():
    for table in (table_of("3b", WAITS_3B).do(0, "discard 3b").do(1, "win"), Table("taiwanese", "s4 " + SEVEN)):
        (ended,) = (e for e in table.seen_by(3) if isinstance(e, HandEnded))
        assert all(concealed is not None for concealed in ended.concealed)
        assert ended.settlement.hands != ()


def test_t66_after_a_hand_without_a_winner_none_are():
    table = drain(table_of()).turn()
    assert table.view(2).result.concealed == (None,) * 4
