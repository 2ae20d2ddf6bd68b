"""Scores and settles a classical win (docs/rules/classical.md, sections 12 and 13)."""

from mahjong_engine.classical.others import score_other
from mahjong_engine.classical.payment import changes
from mahjong_engine.classical.winner import score_winner
from mahjong_engine.settlement import ScoringCase, Settlement
from mahjong_engine.state import SEATS


def settle(case: ScoringCase) -> Settlement:
    """Returns the values of all four seats, with their items, and the changes of their scores.

    The case must be possible (`read_case` in case.py refuses others): one winner, whose tiles are complete.
    """
    (win,) = case.wins
    one, two, three, four = hands = tuple(
        [score_winner(case, win) if seat == win.seat else score_other(case, seat) for seat in SEATS]
    )
    values = one.value, two.value, three.value, four.value
    return Settlement(hands, values, changes(values, win.seat, case.dealer))
