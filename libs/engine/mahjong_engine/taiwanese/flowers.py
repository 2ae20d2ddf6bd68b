"""Flowers: replacements from the dead wall, and the two flower wins (T11, T17-T20)."""

from typing import Final

from mahjong_engine.action import PASS, ROB_FLOWER, RobFlower
from mahjong_engine.end import end_with_wins, end_without_winner
from mahjong_engine.event import Ending
from mahjong_engine.play import Play
from mahjong_engine.settlement import WinClaim, WinSource
from mahjong_engine.state import SEATS, Phase
from mahjong_engine.taiwanese.constants import FLOWER_WIN_OPEN_AFTER_ORIGINAL_CALL
from mahjong_engine.taiwanese.layout import REPLACEMENTS
from mahjong_engine.tile import Seat, Tile
from mahjong_engine.turn import keep

FLOWER_COUNT: Final = 8


def take_replacement(play: Play, seat: Seat) -> Tile:
    """Takes the front tile of the dead wall; the last live tile moves to its back at once (T11)."""
    play.live_end -= 1
    return play.draw_reserve(seat, REPLACEMENTS[play.reserve_taken])


def ends_or_asks(play: Play, seat: Seat) -> bool:
    """Looks at all flowers when a seat has shown one; returns whether the hand is over or the eighth offered (T18)."""
    counts = [len(shown) for shown in play.bonus]
    if sum(counts) < FLOWER_COUNT:
        return False
    play.actor = seat
    if FLOWER_COUNT in counts:
        end_with_wins(play, (WinClaim(seat, None, WinSource.EIGHT_FLOWERS),), Ending.FLOWERS)
        return True
    if FLOWER_COUNT - 1 not in counts:
        return False
    robber = SEATS[counts.index(FLOWER_COUNT - 1)]
    if play.original_calls[robber] and not FLOWER_WIN_OPEN_AFTER_ORIGINAL_CALL:
        return False
    play.offered = play.bonus[counts.index(1)][0]
    play.ask(Phase.ROB_FLOWER, robber, (ROB_FLOWER, PASS))
    return True


def answer_flower_offer(play: Play) -> None:
    """Ends the hand if the eighth flower is robbed, else takes the replacement that is due (T19)."""
    (answer,) = play.close_question()
    if isinstance(answer.action, RobFlower):
        owner = next(seat for seat in SEATS if len(play.bonus[seat]) == 1)
        win = WinClaim(answer.seat, None, WinSource.SEVEN_FLOWERS_ROB_EIGHTH, owner)
        end_with_wins(play, (win,), Ending.FLOWERS)
        return
    play.offered = None
    replacement = play.rules.replace_bonus(play, play.actor)
    if replacement is None:
        end_without_winner(play)
    else:
        keep(play, play.actor, *replacement)
