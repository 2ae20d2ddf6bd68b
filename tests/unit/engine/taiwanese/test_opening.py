"""Sections 1-4 and 8 of docs/rules/taiwanese.md: match, walls, deal, opening, flowers, Original Call."""

import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.event import BonusShown, Drew, Ending, OriginalCallsMade, Wall
from mahjong_engine.match import MatchLength, MatchState, places, settle_hand, start_match
from mahjong_engine.rule_set import rule_set
from mahjong_engine.tile import CODES
from tests.unit.engine.hand_kit import Table

TAIWANESE = rule_set("taiwanese")
READY = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R R W W"
"""Sixteen tiles that 3b completes, in a chow."""


def test_t1_turn_order_goes_upwards_and_round():
    table = Table("taiwanese", dealer=3)
    seats = []
    for _ in range(5):
        seats.append(table.state.actor)
        table.turn()
    assert seats == [3, 0, 1, 2, 3]


def test_t2_seat_0_deals_first_and_the_dealer_is_east():
    assert start_match(TAIWANESE).dealer == 0
    table = Table("taiwanese", dealer=1)
    assert [CODES[table.view(seat).wind] for seat in range(4)] == ["N", "E", "S", "W"]


def test_t3_every_seat_starts_on_2000_points():
    assert start_match(TAIWANESE).scores == (2_000,) * 4


def won(match, winner):
    table = Table(
        "taiwanese",
        f"{READY} 3b" if winner == 0 else "3b",
        "" if winner == 0 else READY,
        dealer=match.dealer,
        round_=match.dealer_changes // 4,
        wins=match.dealer_wins,
        scores=match.scores,
        hand=match.hand,
    )
    seat = (match.dealer + winner) % 4
    for caller in [s for s in table.asked_seats if table.state.phase == "opening_call"]:
        table.do(caller, "no_original_call")
    if winner:
        table.do(match.dealer, "discard 3b")
        for other in [s for s in table.asked_seats if s != seat]:
            table.do(other, "pass")
    return table.do(seat, "win").state


def drawn(match):
    table = Table("taiwanese", dealer=match.dealer, hand=match.hand, wins=match.dealer_wins)
    while table.result is None:
        table.turn()
    return table.state


def test_t4_the_hand_that_raises_dealer_changes_to_16_is_the_last_of_a_full_match():
    match = MatchState(TAIWANESE, MatchLength.FULL, 20, 15, 0, (2_000,) * 4)
    assert CODES[Table("taiwanese", round_=3, dealer=3).deal.round_wind] == "N"
    match = settle_hand(match, won(match, 0))
    assert not match.is_over
    match = settle_hand(match, won(match, 1))
    assert match.is_over


def test_t5_practice_may_be_one_hand_or_the_east_round():
    match = start_match(TAIWANESE, MatchLength.ONE_HAND)
    assert settle_hand(match, drawn(match)).is_over
    match = MatchState(TAIWANESE, MatchLength.EAST_ROUND, 3, 3, 0, (2_000,) * 4)
    assert not settle_hand(match, won(match, 0)).is_over
    assert settle_hand(match, won(match, 1)).is_over


def test_t6_equal_scores_share_the_better_place():
    assert places((2_010, 1_980, 2_010, 2_000)) == (1, 4, 1, 3)


def test_t9_the_wall_is_dealt_in_the_order_of_the_rules():
    assert TAIWANESE.dealt == (
        (0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51, 64),
        (4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39, 52, 53, 54, 55),
        (8, 9, 10, 11, 24, 25, 26, 27, 40, 41, 42, 43, 56, 57, 58, 59),
        (12, 13, 14, 15, 28, 29, 30, 31, 44, 45, 46, 47, 60, 61, 62, 63),
    )


def test_t10_ordinary_draws_take_the_front_of_the_live_wall():
    table = Table("taiwanese", live="5b 6b")
    assert table.left == 63
    table.turns(2)
    assert [CODES[e.tile] for e in table.history if isinstance(e, Drew)] == ["5b", "6b"]


def test_t11_a_replacement_is_the_front_dead_tile_and_the_last_live_tile_moves_to_its_back():
    table = Table("taiwanese", "f1 f2", reserve="5b 6b")
    replaced = [(CODES[e.tile], e.wall) for e in table.history if isinstance(e, Drew)]
    assert replaced == [("5b", Wall.RESERVE), ("6b", Wall.RESERVE)]
    assert (table.left, table.state.reserve_tiles_left, table.state.live_end) == (61, 16, 126)


def test_t11_after_the_dealt_dead_wall_come_the_live_tiles_that_moved_there():
    places_taken = [TAIWANESE.reserve(taken)[0] for taken in range(18)]
    assert places_taken == [*range(128, 144), 127, 126]
    assert all(len(TAIWANESE.reserve(taken)) == 16 for taken in range(40))


def drain(table, left=0):
    while table.left > left:
        table.turn()
    return table


def test_t12_with_one_live_tile_left_a_replacement_may_be_taken_and_empties_the_live_wall():
    table = drain(Table("taiwanese"), left=1)
    seat = table.state.actor
    hands = ["4*9d" if s == seat else "" for s in range(4)]
    table = drain(Table("taiwanese", *hands), left=1)
    assert table.state.actor == seat
    table.do(seat, "kong concealed_kong 9d")
    assert (table.left, table.result) == (0, None)


def test_t12_with_an_empty_live_wall_there_is_no_kong_of_any_kind():
    seat = drain(Table("taiwanese")).state.actor
    other = (seat + 1) % 4
    hands = ["", "", "", ""]
    hands[seat], hands[other] = "4*9d E", "3*E"
    table = drain(Table("taiwanese", *hands))
    assert not any(option.startswith("kong") for option in table.options(seat))
    with pytest.raises(IllegalActionError) as caught:
        table.do(seat, "kong concealed_kong 9d")
    assert caught.value.rule is Rule.NO_REPLACEMENT
    table.do(seat, "discard E")
    assert table.options(other) == {"pung", "pass"}


def test_t13_a_seat_keeps_its_number_of_tiles():
    table = Table("taiwanese", "4*9d f1", "", "", "")
    assert table.state.concealed_counts == (17, 16, 16, 16)
    table.do(0, "kong concealed_kong 9d")
    assert table.state.concealed_counts == (14, 16, 16, 16)
    table.turn()
    assert table.state.concealed_counts == (13, 17, 16, 16)


def test_t14_a_flower_among_the_replacements_stays_until_the_next_pass():
    table = Table("taiwanese", "f3 s1", "f1", reserve="f2 5b 6b s4 7b 8b")
    shown = [(e.seat, CODES[e.tile]) for e in table.history if isinstance(e, BonusShown)]
    assert shown == [(0, "f3"), (0, "s1"), (1, "f1"), (0, "f2"), (0, "s4")]
    assert table.left == 63 - 5


def test_t14_in_a_pass_a_seat_replaces_its_flowers_one_after_another_in_sort_order():
    table = Table("taiwanese", "s3 f4 s1", reserve="5b 6b 7b")
    events = [type(e).__name__ for e in table.history[1:7]]
    assert (table.bonus(0), events) == ("f4 s1 s3", ["BonusShown", "Drew"] * 3)


def test_t15_south_west_and_north_are_asked_together_if_their_tiles_are_ready():
    table = Table("taiwanese", "", READY, "", "1c 2c 4b 5b 6b 7c 8c 9c S S S G G G N N", dealer=2)
    assert table.asked == [(1, "opening_call", "opening"), (3, "opening_call", "opening")]
    assert table.options(1) == {"original_call", "no_original_call"}


def test_t15_the_answers_are_made_known_together_when_all_are_in():
    table = Table("taiwanese", "", READY, "", "1c 2c 4b 5b 6b 7c 8c 9c S S S G G G N N").do(3, "original_call")
    assert (table.events, table.state.original_calls) == ((), (False,) * 4)
    table.do(1, "no_original_call")
    assert table.state.original_calls == (False, False, False, True)
    assert table.events[0] == OriginalCallsMade((3,))


def test_t15_the_answers_are_recorded_in_the_order_south_west_north():
    ready = "1c 2c 4b 5b 6b 7c 8c 9c S S S G G G N N"
    table = Table("taiwanese", "", READY, "", ready, dealer=3)
    assert table.asked_seats == [0, 2]
    table.do(2, "original_call").do(0, "no_original_call")
    assert [answer.seat for answer in table.state.decisions] == [0, 2]


def test_t15_nobody_is_told_whether_anybody_was_asked():
    table = Table("taiwanese")
    assert [e for e in table.history if isinstance(e, OriginalCallsMade)] == [OriginalCallsMade(())]


def test_t16_then_easts_first_turn_begins_with_the_last_tile_that_it_received():
    table = Table("taiwanese", at={64: "6d"})
    assert (table.asked, table.drawn, table.source) == ([(0, "turn", "turn")], "6d", "dealt")


@pytest.mark.parametrize("place", [0, 64])
def test_t16_or_its_last_replacement_in_the_passes(place):
    table = Table("taiwanese", at={place: "s2"}, reserve="f3 9c")
    assert (table.drawn, table.source) == ("9c", "dealt")


def test_t16_no_kong_is_declared_before_this_turn_and_east_may_declare_in_it():
    table = Table("taiwanese", "4*9d", "4*9b")
    assert table.asked == [(0, "turn", "turn")]
    assert "kong concealed_kong 9d" in table.options(0)


def test_t17_a_flower_drawn_is_shown_and_replaced_at_once_again_and_again():
    table = Table("taiwanese", live="f1", reserve="s2 f3 8b").turn()
    assert (table.bonus(1), table.drawn, table.source) == ("f1 s2 f3", "8b", "flower_replacement")
    assert table.left == 63 - 1 - 3


def test_t17_a_flower_found_in_a_kong_replacement_is_replaced_too():
    table = Table("taiwanese", "4*9d", reserve="f1 8b").do(0, "kong concealed_kong 9d")
    assert (table.bonus(0), table.drawn, table.source) == ("f1", "8b", "flower_replacement")


def test_t17_without_a_replacement_the_hand_ends():
    table = drain(Table("taiwanese"), left=1)
    last_place = table.state.live_front
    table = drain(Table("taiwanese", at={last_place: "f1"}), left=1).turn()
    assert (table.result.ended, table.left, table.names()[-3:]) == (Ending.DRAW, 0, ["Drew", "BonusShown", "HandEnded"])


ALL_FLOWERS = "f1 f2 f3 f4 s1 s2 s3 s4"
SEVEN = "f1 f2 f3 f4 s1 s2 s3"


def test_t18_a_seat_that_shows_all_eight_wins_at_once_without_being_asked():
    table = Table("taiwanese", "", SEVEN, live="s4").turn()
    assert (table.result.ended, table.won_by) == (Ending.FLOWERS, [(1, None, "eight_flowers", None)])
    assert table.result.changes == (-30, 90, -30, -30)
    assert [type(e).__name__ for e in table.events[-2:]] == ["BonusShown", "HandEnded"]


def test_t18_also_in_the_flower_passes():
    table = Table("taiwanese", "", "", ALL_FLOWERS)
    assert table.won_by == [(2, None, "eight_flowers", None)]
    assert table.state.decisions == ()


def test_t18_the_seat_with_seven_is_offered_the_eighth_when_another_shows_it():
    table = Table("taiwanese", "", SEVEN, live="9d s4").turns(2)
    assert (table.asked, table.options(1)) == ([(1, "rob_flower", "claim")], {"rob_flower", "pass"})
    assert table.state.actor == 2


def test_t18_or_when_it_shows_its_seventh_itself_however_long_the_other_has_shown_its_own():
    table = Table("taiwanese", "f1", "f2 f3 f4 s1 s2 s3", live="s4").turn()
    assert table.asked == [(1, "rob_flower", "claim")]
    table.do(1, "rob_flower")
    assert table.won_by == [(1, None, "seven_flowers_rob_eighth", 0)]
    assert table.result.changes == (-20, 20, 0, 0)


def test_t18_any_other_split_is_no_flower_win():
    table = Table("taiwanese", "f1 f2", "f3 f4 s1 s2 s3", live="s4").turn()
    assert table.asked == [(1, "turn", "turn")]
    assert table.source == "flower_replacement"


def test_t18_no_test_takes_place_before_all_eight_are_shown():
    table = Table("taiwanese", "", "f1 f2 f3 f4 s1 s2", live="s3").turn()
    assert table.asked == [(1, "turn", "turn")]


def test_t19_after_a_pass_the_replacement_is_taken_and_play_goes_on():
    table = Table("taiwanese", "", SEVEN, at={66: "s4", 135: "8b"}).turns(2)
    before = table.left
    table.do(1, "pass")
    assert (table.state.actor, table.drawn, table.source) == (2, "8b", "flower_replacement")
    assert table.left == before - 1


def test_t19_in_the_passes_the_opening_goes_on():
    table = Table("taiwanese", "s4", SEVEN, READY)
    assert table.asked == [(1, "rob_flower", "opening")]
    table.do(1, "pass")
    assert table.asked == [(2, "opening_call", "opening")]
    table.do(2, "original_call")
    assert table.asked == [(0, "turn", "turn")]


def test_t19_the_last_replacement_of_east_in_the_passes_is_its_drawn_tile():
    table = Table("taiwanese", "s4", SEVEN, at={128 + 7: "8c"})
    shown = [e.seat for e in table.history if isinstance(e, BonusShown)]
    assert shown == [0] + [1] * 7
    table.do(1, "pass")
    assert table.asked == [(0, "turn", "turn")]


def test_t19_such_a_replacement_of_east_wins_as_its_dealt_tile():
    """East shows its seventh flower in the second pass; what replaces it completes its tiles (T16, T41)."""
    words = READY.split()
    east, replacements = " ".join(["f2 f3 f4 s1 s2 s3", *words[:11]]), " ".join([*words[11:], "s4"])
    table = Table("taiwanese", east, "f1", reserve=replacements, at={128 + 7: "3b"})
    assert table.asked == [(0, "rob_flower", "opening")]
    table.do(0, "pass")
    assert (table.asked, table.drawn, table.source) == ([(0, "turn", "turn")], "3b", "dealt")
    assert table.do(0, "win").won_by == [(0, "3b", "dealt", None)]


def test_t19_after_a_pass_without_a_replacement_the_hand_ends():
    table = drain(Table("taiwanese", "", SEVEN), left=1)
    last_place = table.state.live_front
    table = drain(Table("taiwanese", "", SEVEN, at={last_place: "s4"}), left=1)
    table.turn()
    assert (table.asked_seats, table.left) == ([1], 0)
    table.do(1, "pass")
    assert table.result.ended is Ending.DRAW


def test_t19_rob_flower_wins_from_the_seat_that_has_the_eighth_even_without_a_replacement():
    table = drain(Table("taiwanese", "", SEVEN), left=1)
    last_place = table.state.live_front
    owner = (table.state.actor + 1) % 4
    table = drain(Table("taiwanese", "", SEVEN, at={last_place: "s4"}), left=1).turn().do(1, "rob_flower")
    assert table.won_by == [(1, None, "seven_flowers_rob_eighth", owner)]
    assert table.bonus(owner) == "s4"


def test_t20_the_offer_comes_before_anything_that_the_replacement_might_bring():
    table = Table("taiwanese", "", "s4", SEVEN + " 5d", live="9d", reserve="3b")
    assert table.state.phase == "rob_flower"
    assert table.names().count("Drew") == table.names().count("BonusShown") - 1


def test_t20_a_flower_win_is_open_to_a_seat_that_has_called_original_call():
    words = READY.split()
    south, replacements = f"{SEVEN} {' '.join(words[:9])}", " ".join(words[9:])
    table = Table("taiwanese", "", south, reserve=replacements, live="9c s4").do(1, "original_call").turns(2)
    assert (table.asked, table.options(1)) == ([(1, "rob_flower", "claim")], {"rob_flower", "pass"})
    table.do(1, "rob_flower")
    assert [hand.items[0].award for hand in table.result.settlement.hands] == ["seven_flowers_rob_eighth"]


def test_t20_a_flower_win_of_east_keeps_the_deal():
    table = Table("taiwanese", ALL_FLOWERS)
    assert (table.result.dealer_changes_after, table.result.dealer_wins_after) == (0, 1)
    south = Table("taiwanese", "", ALL_FLOWERS)
    assert (south.result.dealer_changes_after, south.result.dealer_wins_after) == (1, 0)


def test_t36_ready_looks_at_either_shape_and_not_at_tiles_seen_elsewhere():
    pairs = "1d 1d 4b 4b 2c 2c 9c 9c 3d 3d S S G G G P"
    table = Table("taiwanese", "3b 3b 3b 3b", READY, pairs)
    assert table.asked_seats == [1, 2]


def test_t36_a_kind_of_which_the_seat_has_all_four_itself_does_not_make_it_ready():
    table = Table("taiwanese", "", "4*3b 1c 2c 3c 4c 5c 6c 7c 8c 9c R R R")
    assert table.state.phase == "turn"


def test_t36_the_call_of_a_seat_that_is_not_ready_is_refused():
    table = Table("taiwanese", "", READY)
    with pytest.raises(IllegalActionError) as caught:
        table.do(2, "original_call")
    assert caught.value.rule is Rule.NOT_YOUR_TURN
    east = Table("taiwanese", f"{READY} 5c")
    with pytest.raises(IllegalActionError) as caught:
        east.do(0, "discard 1b call")
    assert caught.value.rule is Rule.NOT_READY


def test_t37_east_may_call_with_its_first_discard_if_it_is_ready_after_it():
    table = Table("taiwanese", f"{READY} 5c")
    assert {o for o in table.options(0) if o.endswith("call")} == {"discard 5c call"}
    table.discard(0, "5c", call=True)
    assert table.state.original_calls[0]


def test_t37_not_after_a_kong():
    table = Table("taiwanese", "1b 2b 4c 5c 6c 7d 8d 9d 4*E R R R W W", reserve="5c").do(0, "kong concealed_kong E")
    assert not {o for o in table.options(0) if o.endswith("call")}
    with pytest.raises(IllegalActionError) as caught:
        table.do(0, "discard 5c call")
    assert caught.value.rule is Rule.CALL_CLOSED


def test_t37_replaced_flowers_do_not_matter():
    table = Table("taiwanese", f"{READY} f1", reserve="5c")
    assert "discard 5c call" in table.options(0)


def test_t37_the_others_may_call_in_the_opening_only():
    table = Table("taiwanese", "", READY, live="5c").do(1, "no_original_call").turn()
    assert (table.state.actor, {o for o in table.options(1) if o.endswith("call")}) == (1, set())
    with pytest.raises(IllegalActionError) as caught:
        table.do(1, "discard 5c call")
    assert caught.value.rule is Rule.CALL_CLOSED


def called(live="9c", third="", east="", **wishes):
    """Returns a table where South has called in the opening, waiting for 3b."""
    return Table("taiwanese", east, READY, third, live=live, **wishes).do(1, "original_call")


@pytest.mark.parametrize("discard", ["E", "W", "3c"])
def test_t38_a_seat_that_has_called_is_not_asked_for_chow_pung_or_kong(discard):
    table = called(east="E W 3c").do(0, f"discard {discard}").passes()
    assert (table.state.actor, table.melds(1)) == (1, [])
    assert not any(answer.seat == 1 for answer in table.state.decisions[1:])


def test_t38_a_drawn_tile_is_either_won_with_or_discarded_and_a_forced_discard_has_no_clock():
    table = called(live="E").turn()
    assert (table.options(1), table.asked) == ({"discard E"}, [(1, "turn", "none")])
    with pytest.raises(IllegalActionError) as caught:
        table.do(1, "kong concealed_kong E")
    assert caught.value.rule is Rule.HAND_IS_LOCKED
    table = called(live="3b").turn()
    assert (table.options(1), table.asked) == ({"win", "discard 3b"}, [(1, "turn", "turn")])
    table.do(1, "discard 3b")
    assert table.result is None


def test_t38_flowers_are_shown_and_replaced_as_ever():
    table = called(live="f1", reserve="2c").turn()
    assert (table.bonus(1), table.options(1)) == ("f1", {"discard 2c"})


def test_t38_wins_on_discards_are_offered_and_may_be_passed():
    table = called(east="3b").do(0, "discard 3b")
    assert table.options(1) == {"win", "pass"}
    table.do(1, "pass").passes()
    assert table.result is None


def test_t39_a_win_by_any_source_then_earns_original_call():
    assert "original_call" in called(east="3b").do(0, "discard 3b").do(1, "win").awards(1)
    assert "original_call" in called(live="3b").turn().do(1, "win").awards(1)
