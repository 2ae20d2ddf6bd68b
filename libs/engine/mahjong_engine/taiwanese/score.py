"""Scores and settles Taiwanese wins (docs/rules/taiwanese.md, sections 13 and 14)."""

from typing import Final

from mahjong_engine.settlement import ScoringCase, SeatScore, Settlement, WinClaim, WinSource
from mahjong_engine.taiwanese import awards
from mahjong_engine.taiwanese.payment import changes
from mahjong_engine.taiwanese.winner import score_winner

_FLOWER_WINS: Final = {
    WinSource.EIGHT_FLOWERS: awards.EIGHT_FLOWERS,
    WinSource.SEVEN_FLOWERS_ROB_EIGHTH: awards.SEVEN_FLOWERS_ROB_EIGHTH,
}


def settle(case: ScoringCase) -> Settlement:
    """Returns the totals of the winners, with their items, and the changes of all scores.

    The case must be possible (`read_case` in case.py refuses others): winners' tiles are complete, or have the flowers.
    """
    hands = tuple(_score(case, win) for win in sorted(case.wins, key=lambda win: win.seat))
    totals = [0, 0, 0, 0]
    for hand in hands:
        totals[hand.seat] = hand.value
    values = totals[0], totals[1], totals[2], totals[3]
    return Settlement(hands, values, changes(case.wins, values))


def _score(case: ScoringCase, win: WinClaim) -> SeatScore:
    """Scores one winner; a flower win is one item and nothing else (T60)."""
    if win.source in _FLOWER_WINS:
        item = _FLOWER_WINS[win.source]
        return SeatScore(win.seat, item.tai, (item,))
    return score_winner(case, win)
