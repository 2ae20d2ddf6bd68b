"""Sections 1, 2 and 13 of docs/rules/classical.md: the match, its tiles, and how the deal passes on."""

from collections import Counter

import pytest

from mahjong_engine.event import TurnStarted
from mahjong_engine.match import MatchLength, MatchOverError, MatchState, next_hand, places, settle_hand, start_match
from mahjong_engine.rule_set import rule_set
from mahjong_engine.tile import CODES, SORTED_SET
from tests.unit.engine.hand_kit import Table, stack

CLASSICAL = rule_set("classical")
EAST_WINS = {"hands": ("2b 3b 4b 2c 3c 4c 2d 3d 4d 6d 7d 8d 5b 5b", "", "", "")}
SOUTH_WINS = {"hands": ("9d 9d 9d", "2b 3b 4b 2c 3c 4c 2d 3d 4d 6d 7d 5b 5b", "", ""), "live": "8d"}


def won_hand(match, winner):
    """Plays the match's next hand so that East or South wins it."""
    wishes = dict(EAST_WINS if winner == "E" else SOUTH_WINS)
    hands = wishes.pop("hands")
    wall = stack(match.rule_set, hands, **wishes)
    table = Table.of(*next_hand(match, wall))
    if winner != "E":
        table.turn()
    return table.do(table.state.actor, "win").state


def drawn_hand(match):
    table = Table.of(*next_hand(match, stack(match.rule_set)))
    while table.result is None:
        table.turn()
    return table.state


def test_c1_turn_order_goes_upwards_and_round():
    table = Table("classical", dealer=2).turns(5)
    assert [e.seat for e in table.history if isinstance(e, TurnStarted)] == [2, 3, 0, 1, 2, 3]


def test_c2_seat_0_deals_first_and_the_dealer_is_east():
    assert start_match(CLASSICAL).dealer == 0
    table = Table("classical", dealer=3)
    assert table.state.actor == table.deal.dealer == 3
    assert [CODES[table.view(seat).wind] for seat in range(4)] == ["S", "W", "N", "E"]


def test_c3_every_seat_starts_on_2000_points_and_a_score_below_zero_ends_nothing():
    assert start_match(CLASSICAL).scores == (2_000, 2_000, 2_000, 2_000)
    poor = MatchState(CLASSICAL, MatchLength.FULL, 30, 7, 0, (9_000, -500, -400, -100))
    assert not poor.is_over
    assert not settle_hand(poor, won_hand(poor, "S")).is_over


@pytest.mark.parametrize(("changes", "wind"), [(0, "E"), (3, "E"), (4, "S"), (8, "W"), (12, "N"), (15, "N")])
def test_c4_the_round_wind_follows_from_the_dealer_changes(changes, wind):
    match = MatchState(CLASSICAL, MatchLength.FULL, 20, changes, 0, (2_000,) * 4)
    state, (dealt, *_) = next_hand(match, SORTED_SET)
    assert CODES[dealt.round_wind] == CODES[state.deal.round_wind] == wind
    assert dealt.dealer == changes % 4


def test_c4_the_hand_that_raises_dealer_changes_to_16_is_the_last():
    match = MatchState(CLASSICAL, MatchLength.FULL, 40, 15, 0, (2_000,) * 4)
    match = settle_hand(match, won_hand(match, "E"))
    assert (match.dealer_changes, match.is_over) == (15, False)
    match = settle_hand(match, won_hand(match, "S"))
    assert (match.dealer_changes, match.is_over) == (16, True)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((2_500, 2_000, 1_800, 1_700), (1, 2, 3, 4)),
        ((1_900, 2_300, 1_900, 1_900), (2, 1, 2, 2)),
        ((2_100, 1_900, 2_100, 1_900), (1, 3, 1, 3)),
        ((2_000, 2_000, 2_000, 2_000), (1, 1, 1, 1)),
    ],
)
def test_c5_equal_scores_share_the_better_place(scores, expected):
    assert places(scores) == expected


def test_c6_there_are_144_tiles():
    counts = Counter(CODES[tile] for tile in SORTED_SET)
    assert len(SORTED_SET) == 144
    assert {code for code, count in counts.items() if count == 1} == {f"{k}{n}" for k in "fs" for n in range(1, 5)}
    assert set(counts.values()) == {1, 4}
    assert len(counts) == 42


def test_c7_seven_pairs_are_no_hand_and_no_minimum_value_is_asked_for():
    pairs = Table("classical", "1b 1b 3b 3b 5c 5c 7c 7c 9d 9d E E R R")
    assert "win" not in pairs.options(0)
    worthless = Table("classical", "1b 2b 3b 4c 5c 6c 7d 8d 9d 2d 3d 4d 6b 6b")
    assert "win" in worthless.options(0)


def test_c60_east_deals_again_after_its_win_and_the_win_is_counted():
    match = settle_hand(start_match(CLASSICAL), won_hand(start_match(CLASSICAL), "E"))
    assert (match.dealer, match.dealer_changes, match.dealer_wins, match.hand) == (0, 0, 1, 1)
    match = settle_hand(match, won_hand(match, "E"))
    assert (match.dealer_changes, match.dealer_wins) == (0, 2)


def test_c60_nobody_wins_east_deals_again_and_the_wins_stay():
    match = settle_hand(start_match(CLASSICAL), won_hand(start_match(CLASSICAL), "E"))
    match = settle_hand(match, drawn_hand(match))
    assert (match.dealer_changes, match.dealer_wins, match.hand) == (0, 1, 2)


def test_c60_another_seat_wins_and_the_next_seat_becomes_dealer():
    match = MatchState(CLASSICAL, MatchLength.FULL, 5, 1, 3, (2_000,) * 4)
    match = settle_hand(match, won_hand(match, "S"))
    assert (match.dealer, match.dealer_changes, match.dealer_wins) == (2, 2, 0)


def test_c60_the_thirteenth_dealer_win_counts_and_the_deal_stays():
    match = MatchState(CLASSICAL, MatchLength.FULL, 12, 0, 12, (2_000,) * 4)
    hand = won_hand(match, "E")
    assert "thirteenth_dealer_win" in {reason for h in hand.result.settlement.hands for reason in h.limit}
    match = settle_hand(match, hand)
    assert (match.dealer_changes, match.dealer_wins) == (0, 13)


def test_c61_the_match_ends_with_the_sixteenth_change_and_no_further_hand_is_dealt():
    match = start_match(CLASSICAL)
    for changes in range(1, 17):
        assert not match.is_over
        match = settle_hand(match, won_hand(match, "S"))
        assert match.dealer_changes == changes
    assert match.is_over
    with pytest.raises(MatchOverError):
        next_hand(match, SORTED_SET)


def test_practice_of_one_hand_is_over_after_any_hand():
    match = start_match(CLASSICAL, MatchLength.ONE_HAND)
    assert settle_hand(match, won_hand(match, "E")).is_over
    assert settle_hand(match, drawn_hand(match)).is_over


def test_practice_of_the_east_round_ends_with_the_fourth_change():
    match = start_match(CLASSICAL, MatchLength.EAST_ROUND)
    for _ in range(3):
        match = settle_hand(match, won_hand(match, "S"))
        match = settle_hand(match, won_hand(match, "E"))
        assert not match.is_over
    assert settle_hand(match, won_hand(match, "S")).is_over


def test_a_hand_of_another_place_in_the_match_or_still_open_does_not_settle_it():
    match = start_match(CLASSICAL)
    open_hand, _ = next_hand(match, SORTED_SET)
    with pytest.raises(ValueError, match="ended"):
        settle_hand(match, open_hand)
    hand = won_hand(match, "E")
    with pytest.raises(ValueError, match="next hand"):
        settle_hand(settle_hand(match, hand), hand)


@pytest.mark.parametrize(
    "other",
    [
        start_match(rule_set("taiwanese")),
        MatchState(CLASSICAL, MatchLength.FULL, 0, 1, 0, (2_000,) * 4),
        MatchState(CLASSICAL, MatchLength.FULL, 0, 0, 1, (2_000,) * 4),
        MatchState(CLASSICAL, MatchLength.FULL, 0, 0, 0, (2_001, 1_999, 2_000, 2_000)),
    ],
)
def test_a_hand_of_other_rules_another_dealership_or_other_scores_does_not_settle_a_match(other):
    with pytest.raises(ValueError, match="next hand"):
        settle_hand(other, won_hand(start_match(CLASSICAL), "E"))


@pytest.mark.parametrize("wall", [(), SORTED_SET[:60], SORTED_SET[:-1], (*SORTED_SET[:-1], SORTED_SET[0])])
def test_c6_a_hand_is_dealt_from_the_144_tiles_only(wall):
    with pytest.raises(ValueError, match="144 tiles"):
        next_hand(start_match(CLASSICAL), wall)
