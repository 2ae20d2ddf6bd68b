"""Sections 9, 10 and 14 of docs/rules/taiwanese.md: complete tiles, sources, ends, and how the deal passes on."""

import pytest

from mahjong_engine.event import Ending
from mahjong_engine.keys import keys_of
from mahjong_engine.rule_set import rule_set
from tests.unit.engine.hand_kit import tiles
from tests.unit.engine.taiwanese.play_kit import WAITS_3B, WAITS_3B_TOO, drain, hands_of, last_seat, promoted, table_of

TAIWANESE = rule_set("taiwanese")


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
