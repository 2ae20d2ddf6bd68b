"""Sections 4, 6 and 9 of docs/rules/classical.md: turns, kongs and the walls' end."""

from mahjong_engine.event import Drew, Ending, TurnStarted, Wall
from mahjong_engine.tile import CODES
from tests.unit.engine.hand_kit import Table

READY_FOR_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"
"""Thirteen tiles that 3b completes, in a chow."""
LAST = 75
"""Live tiles of a hand without bonus tiles before the first draw."""


def drain(table, left=0):
    """Plays draws and discards until that many live tiles are left."""
    while table.left > left:
        table.turn()
    return table


def last_seat():
    """Returns the seat that draws the last live tile when nobody claims anything."""
    return drain(Table("classical")).state.actor


def promoted(robber=READY_FOR_3B, third="", **wishes):
    """Returns a table where East has claimed a pung of 3b, holds the fourth, and is in turn again."""
    table = Table("classical", "3*3b 9d", robber, third, "3b", live="8c 7d 7d W 8c", **wishes)
    table.discard(0, "9d").turns(2)
    table.do(3, "discard 3b").passes(1, 2).do(0, "pung").discard(0, table.hand(0)[-2:].strip())
    return table.turns(3)


def test_c16_a_draw_begins_a_turn_and_the_discard_ends_it():
    table = Table("classical").turns(3)
    assert [e.seat for e in table.history if isinstance(e, TurnStarted)] == [0, 1, 2, 3]


def test_c16_a_chow_a_pung_and_a_kong_begin_turns():
    table = Table("classical", "1b 9c 5d", "2b 3b", "9c 9c", "3*5d", reserve="W")
    chow = table.do(0, "discard 1b").do(1, "chow 2b 3b")
    assert (chow.state.actor, chow.names()) == (1, ["Claimed", "TurnStarted"])
    table = Table("classical", "1b 9c 5d", "2b 3b", "9c 9c", "3*5d", reserve="W")
    pung = table.do(0, "discard 9c").do(2, "pung")
    assert (pung.state.actor, pung.names()) == (2, ["Claimed", "TurnStarted"])
    table = Table("classical", "1b 9c 5d", "2b 3b", "9c 9c", "3*5d", reserve="W")
    kong = table.do(0, "discard 5d").do(3, "claim_kong")
    assert (kong.state.actor, kong.names()) == (3, ["Claimed", "TurnStarted", "Drew"])


def test_c17_a_bonus_tile_drawn_is_shown_and_replaced_at_once_again_and_again():
    table = Table("classical", live="f3 s1 f2 8b 9b")
    table.turn()
    assert table.names() == ["Discarded", "TurnStarted"] + ["Drew", "BonusShown"] * 3 + ["Drew"]
    assert (table.bonus(1), table.drawn, table.source, table.left) == ("f3 s1 f2", "8b", "live_wall", LAST - 4)


def test_c17_the_tile_that_stays_is_a_live_tile_even_if_the_bonus_tile_came_from_the_kong_box():
    table = Table("classical", "4*1b", reserve="f1", live="s3 5c")
    table.do(0, "continue").do(0, "kong concealed_kong 1b")
    walls = [(CODES[e.tile], e.wall) for e in table.events if isinstance(e, Drew)]
    assert walls == [("f1", Wall.RESERVE), ("s3", Wall.LIVE), ("5c", Wall.LIVE)]
    assert (table.drawn, table.source) == ("5c", "live_wall")


def test_c17_without_a_live_tile_for_the_replacement_the_hand_ends():
    table = drain(Table("classical", last_live="f1"), left=1)
    table.turn()
    assert (table.result.ended, table.left, table.names()[-3:]) == (Ending.DRAW, 0, ["Drew", "BonusShown", "HandEnded"])


def test_c17_nor_for_a_bonus_tile_of_the_kong_box():
    seat = last_seat()
    hands = ("3*1b" if s == seat else "" for s in range(4))
    table = drain(Table("classical", *hands, last_live="1b", reserve="f1")).do(seat, "kong concealed_kong 1b")
    assert (table.result.ended, table.names()) == (Ending.DRAW, ["KongDeclared", "Drew", "BonusShown", "HandEnded"])


def test_c18_the_drawn_tile_is_the_last_that_the_seat_took_in_its_turn():
    table = Table("classical", "4*1b 9d 9d", "9d", live="2c f1 3c 6c", reserve="4c")
    table.do(0, "continue").do(0, "kong concealed_kong 1b")
    assert table.drawn == "4c"
    table.turn()
    assert table.drawn == "2c"
    table.turn()
    assert table.drawn == "3c"


def test_c18_a_turn_that_began_with_a_chow_or_pung_has_no_drawn_tile():
    table = Table("classical", "9d", "", "9d 9d").do(0, "discard 9d").do(2, "pung")
    assert (table.drawn, table.view(2).drawn) == (None, None)


def test_c19_after_a_draw_the_seat_may_declare_a_kong_or_discard_any_concealed_tile():
    table = Table("classical", "4*9d 2b 4b 6c 8c E W 1d 3d R G").do(0, "continue")
    discards = {f"discard {code}" for code in table.hand(0).split()}
    assert table.options(0) == {"kong concealed_kong 9d"} | discards


def test_c19_a_win_may_be_declared_on_any_draw():
    table = Table("classical", "", READY_FOR_3B, live="3b").turn()
    assert "win" in table.options(1)


def test_c19_a_pung_meld_may_be_promoted_with_a_tile_held_for_long():
    table = promoted()
    assert table.drawn != "3b"
    assert "kong promoted_kong 3b" in table.options(0)


def test_c19_a_pung_meld_may_be_promoted_with_the_tile_just_drawn():
    table = Table("classical", "9d", "", "9d 9d 1d", live="7c 7c 7c 9d").do(0, "discard 9d").do(2, "pung")
    table.discard(2, "1d").turns(2)
    assert table.state.actor == 1
    table.turn()
    assert (table.drawn, "kong promoted_kong 9d" in table.options(2)) == ("9d", True)


def test_c19_after_a_kong_the_same_seat_chooses_again():
    table = Table("classical", "4*1b 4*2c 9d", reserve="9d 9d").do(0, "continue")
    table.do(0, "kong concealed_kong 1b")
    assert {"kong concealed_kong 2c", "discard 9d"} <= table.options(0)
    table.do(0, "kong concealed_kong 2c")
    assert table.asked == [(0, "turn", "turn")]
    assert table.hand(0).count("9d") == 3


def test_c20_after_a_chow_or_pung_the_seat_only_discards_one_of_the_kind_claimed_included():
    table = Table("classical", "5b", "", "3*5b 4*1c 2d 3d 4d 6d 6d")
    table.do(2, "continue").do(0, "discard 5b").do(2, "pung")
    assert table.asked == [(2, "turn_after_claim", "turn")]
    assert not {o for o in table.options(2) if not o.startswith("discard")}
    assert "discard 5b" in table.options(2)


def test_c20_complete_tiles_do_not_win_after_a_chow_or_pung():
    table = Table("classical", "5b", "", "5b 5b 1c 2c 3c 4c 5c 6c 7c 8c 9c E E").do(0, "discard 5b")
    assert table.options(2) == {"win", "pung", "pass"}
    table.do(2, "pung")
    assert "win" not in table.options(2)


def test_c21_a_discard_lies_in_the_pond_until_it_is_claimed_and_counts_all_the_same():
    table = Table("classical", "9d W", "", "9d 9d", live="1c")
    table.do(0, "discard 9d")
    assert (table.pond(0), table.state.discard_count) == ("9d", 1)
    table.do(2, "pung")
    assert (table.pond(0), table.state.discard_count) == ("", 1)
    table.discard(2, table.hand(2)[:2])
    assert (table.state.discard_counts, table.state.discard_count) == ((1, 0, 1, 0), 2)


def test_c21_the_winning_discard_counts_and_stays_in_the_pond():
    table = Table("classical", "3b", READY_FOR_3B).do(0, "discard 3b").do(1, "win")
    assert (table.state.discard_count, table.pond(0)) == (1, "3b")


def test_c22_if_nobody_claims_the_next_seat_draws():
    table = Table("classical", live="4c").turn()
    assert (table.state.actor, table.drawn, table.asked) == (1, "4c", [(1, "turn", "turn")])


def test_c22_on_an_empty_live_wall_the_hand_ends_instead():
    table = drain(Table("classical"))
    assert table.result is None, "taking the last live tile ends nothing"
    table.turn()
    assert (table.result.ended, table.result.changes) == (Ending.DRAW, (0, 0, 0, 0))


def test_c28_a_claimed_kong_is_robbed_by_nobody():
    table = Table("classical", "3b", READY_FOR_3B, "3*3b", reserve="8c").do(0, "discard 3b")
    table.do(1, "pass").do(2, "claim_kong")
    assert table.asked == [(2, "turn", "turn")]
    assert table.melds(2) == ["claimed_kong 3b 3b 3b 3b"]


def test_c28_a_promoted_kong_may_be_robbed_by_any_seat_that_its_tile_completes():
    table = promoted().do(0, "kong promoted_kong 3b")
    assert table.asked == [(1, "rob_kong", "claim")]
    assert table.options(1) == {"win", "pass"}


def test_c28_a_concealed_kong_is_not_robbed_by_an_ordinary_hand():
    table = Table("classical", "4*3b", READY_FOR_3B, reserve="9d").do(0, "continue").do(0, "kong concealed_kong 3b")
    assert table.asked == [(0, "turn", "turn")]


def test_c29_the_robbers_are_asked_before_the_replacement_is_taken():
    table = promoted().do(0, "kong promoted_kong 3b")
    assert (table.names(), table.state.reserve_tiles_left) == (["KongDeclared"], 16)
    table.do(1, "pass")
    assert (table.names(), table.state.reserve_tiles_left) == (["Drew"], 15)


def test_c29_if_several_rob_only_the_nearest_after_the_owner_wins():
    other = "1b 2b 1c 1c 1c 2c 3c 4c 6d 6d 6d S S"
    table = promoted(third=other).do(0, "kong promoted_kong 3b")
    assert table.asked_seats == [1, 2]
    table.do(2, "win")
    assert table.result is None, "seat 1 is nearer and may still win"
    table.do(1, "win")
    assert table.won_by == [(1, "3b", "robbed_promoted_kong", 0)]


def test_c29_the_farther_robber_wins_when_the_nearer_passes():
    other = "1b 2b 1c 1c 1c 2c 3c 4c 6d 6d 6d S S"
    table = promoted(third=other).do(0, "kong promoted_kong 3b").do(2, "win").do(1, "pass")
    assert table.won_by == [(2, "3b", "robbed_promoted_kong", 0)]


def test_c30_a_robbed_promoted_kong_falls_back_to_a_pung_and_takes_no_replacement():
    table = promoted().do(0, "kong promoted_kong 3b").do(1, "win")
    assert table.melds(0) == ["pung 3b 3b 3b"]
    assert table.names() == ["KongRobbed", "HandEnded"]
    assert table.state.reserve_tiles_left == 16
    assert "3b" not in table.hand(0)


def test_c30_a_robbed_concealed_kong_falls_back_to_three_concealed_tiles():
    orphans = "1b 9b 1c 1d 9d E S W N R G P P"
    table = Table("classical", "5b", "4*9c", orphans).do(1, "kong concealed_kong 9c").do(2, "win")
    assert (table.melds(1), table.hand(1).count("9c"), table.state.concealed_counts[1]) == ([], 3, 12)
    assert table.state.concealed_counts[0] == 14


def test_c30_earlier_kongs_of_the_same_turn_stand():
    orphans = "1b 9b 1c 1d 9d E S W N R G P P"
    table = Table("classical", "5b", "4*9c 4*5d", orphans, reserve="2c").do(1, "kong concealed_kong 5d")
    table.do(1, "kong concealed_kong 9c").do(2, "win")
    assert table.melds(1) == ["concealed_kong 5d 5d 5d 5d"]


def test_c31_a_kongs_replacement_is_the_next_tile_of_the_kong_box():
    table = Table("classical", "4*1b 4*2b", reserve="7c 8c").do(0, "continue")
    table.do(0, "kong concealed_kong 1b")
    assert (table.drawn, table.source) == ("7c", "kong_replacement")
    table.do(0, "kong concealed_kong 2b")
    assert (table.drawn, table.source, table.left) == ("8c", "kong_replacement", 75)


def test_c32_an_empty_live_wall_forbids_no_concealed_kong():
    seat = last_seat()
    hands = ("3*1b" if s == seat else "" for s in range(4))
    table = drain(Table("classical", *hands, last_live="1b", reserve="9c")).do(seat, "kong concealed_kong 1b")
    assert (table.drawn, table.source, table.left) == ("9c", "kong_replacement", 0)


def test_c32_nor_a_kong_claimed_on_a_last_discard():
    seat = last_seat()
    other = (seat + 2) % 4
    hands = ("3*E" if s == other else "" for s in range(4))
    table = drain(Table("classical", *hands, last_live="E", reserve="9c")).do(seat, "discard E")
    assert "claim_kong" in table.options(other)
    table.do(other, "claim_kong")
    assert (table.state.actor, table.drawn, table.left) == (other, "9c", 0)


def test_c33_kongs_in_a_row_count_since_the_latest_discard_of_any_seat():
    table = Table("classical", "4*1b 4*2c E", "3*E", "", "4*9d", reserve="5d 5d 5d 7c").do(0, "kong concealed_kong 1b")
    table.do(0, "continue").do(3, "kong concealed_kong 9d")
    assert table.state.kongs_in_row == (1, 0, 0, 1)
    table.do(0, "kong concealed_kong 2c")
    assert table.state.kongs_in_row == (2, 0, 0, 1), "kongs of East's kong round and first turn count together"
    table.do(0, "discard E")
    assert table.state.kongs_in_row == (0, 0, 0, 0)
    table.do(1, "claim_kong")
    assert table.state.kongs_in_row == (0, 1, 0, 0), "the claim comes after the claimed discard"


def test_c40_an_accepted_win_ends_the_hand_at_once():
    table = Table("classical", "3b", READY_FOR_3B).do(0, "discard 3b").do(1, "win")
    assert (table.result.ended, table.asked) == (Ending.WIN, [])
    assert table.result.settlement is not None


def test_c41_a_hand_without_a_winner_has_no_payments():
    table = drain(Table("classical")).turn()
    assert (table.result.ended, table.result.wins, table.result.settlement) == (Ending.DRAW, (), None)
    assert table.result.scores_after == table.deal.scores


def test_c42_the_claimer_of_a_last_discard_discards_again_and_that_is_a_last_discard_too():
    seat = last_seat()
    other, third = (seat + 2) % 4, (seat + 3) % 4
    hands = ["", "", "", ""]
    hands[other], hands[third] = "R R 9c", "9c 9c"
    table = drain(Table("classical", *hands, last_live="R")).do(seat, "discard R").do(other, "pung")
    assert (table.left, table.asked) == (0, [(other, "turn_after_claim", "turn")])
    table.do(other, "discard 9c")
    assert "pung" in table.options(third)
    table.do(third, "pung").discard(third, table.hand(third)[:2])
    assert table.result.ended is Ending.DRAW


def test_c42_the_claimer_of_a_kong_takes_its_replacement_and_plays_on():
    seat = last_seat()
    other = (seat + 1) % 4
    table = drain(Table("classical", *("3*R" if s == other else "" for s in range(4)), last_live="R", reserve="5c"))
    table.do(seat, "discard R").do(other, "claim_kong")
    assert (table.asked, table.drawn) == ([(other, "turn", "turn")], "5c")
    table.turn()
    assert table.result.ended is Ending.DRAW
