"""One test per named constant of docs/rules/taiwanese.md, section 17, that concerns play."""

from dataclasses import fields

from mahjong_engine.event import Discarded, Drew, Ending
from mahjong_engine.match import places
from mahjong_engine.rule_set import rule_set
from mahjong_engine.taiwanese import constants
from tests.unit.engine.hand_kit import Table

TAIWANESE = rule_set("taiwanese")
READY = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R R W W"
READY_TOO = "4b 5b 1c 2c 3c 7c 8c 9c S S S N N N G G"
SEVEN = "f1 f2 f3 f4 s1 s2 s3"


def drained(*hands, **wishes):
    table = Table("taiwanese", *hands, **wishes)
    while table.left:
        table.turn()
    return table


def test_kong_before_east_turn():
    assert constants.KONG_BEFORE_EAST_TURN is False
    assert Table("taiwanese", "4*1b", "4*9d").asked == [(0, "turn", "turn")]


def test_kong_after_chow_or_pung():
    assert constants.KONG_AFTER_CHOW_OR_PUNG is False
    table = Table("taiwanese", "5b", "", "3*5b 4*9d").do(0, "discard 5b").do(2, "pung")
    assert not any(option.startswith("kong") for option in table.options(2))


def test_win_after_chow_or_pung():
    assert constants.WIN_AFTER_CHOW_OR_PUNG is False
    table = Table("taiwanese", "5b", "", "5b 5b 1c 2c 3c 4c 5c 6c 7c 8c 9c E E E W W").do(2, "no_original_call")
    table.do(0, "discard 5b").do(2, "pung")
    assert "win" not in table.options(2)


def test_play_on_after_claimed_last_discard():
    assert constants.PLAY_ON_AFTER_CLAIMED_LAST_DISCARD is True
    seat = drained().state.actor
    other = (seat + 2) % 4
    table = drained(*("E E" if s == other else "" for s in range(4)), last_live="E").do(seat, "discard E")
    assert table.do(other, "pung").asked == [(other, "turn_after_claim", "turn")]


def test_rob_eighth_offers():
    assert constants.ROB_EIGHTH_OFFERS == 1
    table = Table("taiwanese", "", SEVEN, live="9d s4").turns(2).do(1, "pass")
    while table.result is None:
        assert table.state.phase != "rob_flower"
        table.turn()
    assert table.result.ended is Ending.DRAW


def test_flower_offer_before_replacement():
    assert constants.FLOWER_OFFER_BEFORE_REPLACEMENT is True
    table = Table("taiwanese", "", SEVEN, live="9d s4").turns(2)
    assert (table.state.phase, table.names()[-1]) == ("rob_flower", "BonusShown")
    assert isinstance(table.do(1, "pass").events[0], Drew)


def test_flower_win_open_after_original_call():
    assert constants.FLOWER_WIN_OPEN_AFTER_ORIGINAL_CALL is True
    words = READY.split()
    south, replacements = f"{SEVEN} {' '.join(words[:9])}", " ".join(words[9:])
    table = Table("taiwanese", "", south, reserve=replacements, live="9c s4").do(1, "original_call").turns(2)
    assert table.options(1) == {"rob_flower", "pass"}


def test_all_robbers_win():
    assert constants.ALL_ROBBERS_WIN is TAIWANESE.rulings.every_win_counts is True
    table = Table("taiwanese", "3*3b 9d 9d 1d", READY, READY_TOO, "3b", live="8c 7d 7d 8c 8c")
    table.do(1, "no_original_call").do(2, "no_original_call").discard(0, "9d").turns(2).do(3, "discard 3b")
    table.do(1, "pass").do(2, "pass").do(0, "pung").discard(0, "1d").turns(3)
    table.do(0, "kong promoted_kong 3b").do(1, "win").do(2, "win")
    assert table.result.winners == (1, 2)


def test_original_call_after_kong():
    assert constants.ORIGINAL_CALL_AFTER_KONG is False
    table = Table("taiwanese", "1b 2b 4c 5c 6c 7d 8d 9d 4*E R R R W W", reserve="5c").do(0, "kong concealed_kong E")
    assert not any(option.endswith("call") for option in table.options(0))


def test_original_call_needs_free_copy():
    assert constants.ORIGINAL_CALL_NEEDS_FREE_COPY is True
    assert Table("taiwanese", "", "4*3b 1c 2c 3c 4c 5c 6c 7c 8c 9c R R R").asked_seats == [0]


def test_east_dealt_winning_tile():
    assert constants.EAST_DEALT_WINNING_TILE == "last_received"
    assert Table("taiwanese", at={64: "6d"}).drawn == "6d"
    assert Table("taiwanese", at={0: "f1"}, reserve="9c").drawn == "9c"


def test_timeout_original_call():
    assert constants.TIMEOUT_ORIGINAL_CALL is False
    assert Table("taiwanese", "", READY).default(1) == "no_original_call"


def test_timeout_rob_flower():
    assert constants.TIMEOUT_ROB_FLOWER is True
    assert Table("taiwanese", "s4", SEVEN).default(1) == "rob_flower"


def test_timeout_takes_win():
    assert constants.TIMEOUT_TAKES_WIN is True
    assert Table("taiwanese", f"{READY} 3b").default(0) == "win"


def test_timeout_discard_after_claim():
    assert constants.TIMEOUT_DISCARD_AFTER_CLAIM == -1
    table = Table("taiwanese", "9d", "", "9d 9d P").do(0, "discard 9d").do(2, "pung")
    assert table.default(2) == "discard P"


def test_opening_decision_min_s():
    assert constants.OPENING_DECISION_MIN_S == TAIWANESE.rulings.opening_decision_min_s == 15


def test_shown_after_win():
    assert constants.SHOWN_AFTER_WIN == (0, 1, 2, 3)
    assert None not in Table("taiwanese", f"{SEVEN} s4").result.concealed


def test_shown_without_winner():
    assert constants.SHOWN_WITHOUT_WINNER == ()
    assert drained().turn().result.concealed == (None,) * 4


def test_discard_origin_shown():
    assert constants.DISCARD_ORIGIN_SHOWN is False
    assert [field.name for field in fields(Discarded)] == ["seat", "tile", "original_call"]


def test_equal_scores_share_place():
    assert constants.EQUAL_SCORES_SHARE_PLACE is True
    assert places((1_900, 2_100, 1_900, 2_100)) == (3, 1, 3, 1)
