"""The Taiwanese opening: flower passes, then the Original Calls of South, West and North (T14-T16)."""

from mahjong_engine.action import CALL_ORIGINAL, DECLINE_ORIGINAL, CallOriginal
from mahjong_engine.event import OriginalCallsMade
from mahjong_engine.play import Play
from mahjong_engine.state import TURN_ORDER, Phase
from mahjong_engine.taiwanese.flowers import ends_or_asks, take_replacement
from mahjong_engine.tile import KIND_COUNT, Seat, Tile
from mahjong_engine.turn import start_first_turn


def pass_flowers(play: Play, held: list[list[Tile]]) -> None:
    """Repeats passes until no seat holds a flower or the last of the eight has been shown (T14, T18)."""
    dealer = play.deal.dealer
    while any(held):
        for seat in (dealer, *TURN_ORDER[dealer][:3]):
            found: list[Tile] = []
            for tile in sorted(held[seat]):
                if not _replace(play, seat, tile, found):
                    return
            held[seat] = found
    ask_original_calls(play)


def _replace(play: Play, seat: Seat, tile: Tile, found: list[Tile]) -> bool:
    """Shows a flower and takes its replacement; returns whether the passes go on."""
    play.concealed_counts[seat] -= 1
    play.show(seat, tile)
    if ends_or_asks(play, seat):
        return False
    new = take_replacement(play, seat)
    if new >= KIND_COUNT:
        found.append(new)
        play.concealed_counts[seat] += 1
    else:
        play.give(seat, new)
    if seat == play.deal.dealer:
        play.drawn = new
    return True


def ask_original_calls(play: Play) -> None:
    """Asks each ready seat but East, all at the same moment (T15)."""
    play.actor = play.deal.dealer
    asked = False
    for seat in play.others:
        if play.rules.is_ready(play.keys[seat], play.melds[seat]):
            play.ask(Phase.OPENING_CALL, seat, (CALL_ORIGINAL, DECLINE_ORIGINAL))
            asked = True
    if not asked:
        _begin(play, ())


def answer_original_calls(play: Play) -> None:
    """Makes the calls known together and lets East begin (T15, T16)."""
    answers = play.close_question()
    _begin(play, tuple(a.seat for a in answers if isinstance(a.action, CallOriginal)))


def _begin(play: Play, callers: tuple[Seat, ...]) -> None:
    for seat in callers:
        play.original_calls[seat] = True
    play.events.append(OriginalCallsMade(callers))
    start_first_turn(play)
