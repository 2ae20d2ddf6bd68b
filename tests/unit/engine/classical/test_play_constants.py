"""One test per named constant of docs/rules/classical.md, section 16, that concerns play."""

from dataclasses import fields

from mahjong_engine.classical import constants
from mahjong_engine.event import Discarded, Ending
from mahjong_engine.match import places
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import Deal
from tests.unit.engine.hand_kit import Table

CLASSICAL = rule_set("classical")
WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"


def drained(*hands, **wishes):
    table = Table("classical", *hands, **wishes)
    while table.left:
        table.turn()
    return table


def test_bonus_replaced_at_once():
    assert constants.BONUS_REPLACED_AT_ONCE is True
    table = Table("classical", "f1", live="2c s1 3c").turn()
    assert (table.bonus(0), table.bonus(1), table.asked_seats) == ("f1", "s1", [1])


def test_opening_bonus_tiles_before_kongs():
    assert constants.OPENING_BONUS_TILES_BEFORE_KONGS is True
    table = Table("classical", "4*1b", "", "", "f1")
    assert (table.bonus(3), table.asked) == ("f1", [(0, "kong_round", "opening")])


def test_win_in_kong_round():
    assert constants.WIN_IN_KONG_ROUND is False
    assert "win" not in Table("classical", "4*1b 2c 3c 4c 5d 6d 7d 2b 3b 9c 9c").options(0)


def test_kong_on_empty_live_wall():
    assert constants.KONG_ON_EMPTY_LIVE_WALL is True
    seat = drained().state.actor
    table = drained(*("3*1b" if s == seat else "" for s in range(4)), last_live="1b")
    assert "kong concealed_kong 1b" in table.options(seat)


def test_play_on_after_claimed_last_discard():
    assert constants.PLAY_ON_AFTER_CLAIMED_LAST_DISCARD is True
    seat = drained().state.actor
    other = (seat + 2) % 4
    table = drained(*("E E" if s == other else "" for s in range(4)), last_live="E").do(seat, "discard E")
    assert table.do(other, "pung").asked == [(other, "turn_after_claim", "turn")]


def test_win_after_chow_or_pung():
    assert constants.WIN_AFTER_CHOW_OR_PUNG is False
    table = Table("classical", "5b", "", "5b 5b 1c 2c 3c 4c 5c 6c 7c 8c 9c E E").do(0, "discard 5b").do(2, "pung")
    assert "win" not in table.options(2)


def test_kong_after_chow_or_pung():
    assert constants.KONG_AFTER_CHOW_OR_PUNG is False
    table = Table("classical", "5b", "", "3*5b").do(0, "discard 5b").do(2, "pung")
    assert not any(option.startswith("kong") for option in table.options(2))


def test_original_call_allows_melds():
    assert constants.ORIGINAL_CALL_ALLOWS_MELDS is True
    table = Table("classical", "E", "", "E E 1b 2b 4c 5c 6c 7d 8d 9d R R 5b").do(0, "discard E").do(2, "pung")
    assert "discard 5b call" in table.options(2)


def test_original_call_checks_ready():
    assert constants.ORIGINAL_CALL_CHECKS_READY is True
    table = Table("classical", f"{WAITS_3B} 5b")
    assert [option for option in table.options(0) if option.endswith("call")] == ["discard 5b call"]
    own = Table("classical", "4*3b 1c 2c 3c 4c 5c 6c 7c 8c 9c 5d").do(0, "continue")
    assert "discard 5d call" not in own.options(0)


def test_kongs_in_a_row_ended_by():
    assert constants.KONGS_IN_A_ROW_ENDED_BY == "discard"
    table = Table("classical", "4*1b", "4*9d").do(0, "kong concealed_kong 1b").do(1, "kong concealed_kong 9d")
    assert table.state.kongs_in_row == (1, 1, 0, 0)
    assert table.turn().state.kongs_in_row == (0, 0, 0, 0)


def deal(wins):
    return Deal(CLASSICAL, (), 30, 2, wins, (2_000,) * 4)


def test_dealer_streak_reset_by_no_winner():
    assert constants.DEALER_STREAK_RESET_BY_NO_WINNER is False
    assert CLASSICAL.next_dealership(deal(5), ()) == (2, 5)


def test_deal_passes_after_streak():
    assert constants.DEAL_PASSES_AFTER_STREAK is False
    assert CLASSICAL.next_dealership(deal(12), (2,)) == (2, 13)
    assert CLASSICAL.next_dealership(deal(13), (2,)) == (2, 14)


def test_shown_after_win():
    assert constants.SHOWN_AFTER_WIN == (0, 1, 2, 3)
    table = Table("classical", "3b", WAITS_3B).do(0, "discard 3b").do(1, "win")
    assert None not in table.result.concealed


def test_shown_without_winner():
    assert constants.SHOWN_WITHOUT_WINNER == ()
    table = drained().turn()
    assert (table.result.ended, table.result.concealed) == (Ending.DRAW, (None,) * 4)


def test_claims_collected():
    assert constants.CLAIMS_COLLECTED is True
    table = Table("classical", "3b", "3b 3b", WAITS_3B).do(0, "discard 3b").do(1, "pung")
    assert (table.events, table.melds(1)) == ((), [])


def test_timeout_takes_win():
    assert constants.TIMEOUT_TAKES_WIN is True
    assert Table("classical", "", WAITS_3B, live="3b").turn().default(1) == "win"


def test_timeout_discard_after_claim():
    assert constants.TIMEOUT_DISCARD_AFTER_CLAIM == -1
    table = Table("classical", "9d", "", "9d 9d P").do(0, "discard 9d").do(2, "pung")
    assert table.default(2) == "discard P"


def test_opening_decision_min_s():
    assert constants.OPENING_DECISION_MIN_S == CLASSICAL.rulings.opening_decision_min_s == 15


def test_discard_origin_shown():
    assert constants.DISCARD_ORIGIN_SHOWN is False
    assert [field.name for field in fields(Discarded)] == ["seat", "tile", "original_call"]


def test_equal_scores_share_place():
    assert constants.EQUAL_SCORES_SHARE_PLACE is True
    assert places((2_100, 2_100, 2_000, 1_800)) == (1, 1, 3, 4)
