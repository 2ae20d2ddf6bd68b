"""Dealing and the deal's passing on, as both games have them."""

from mahjong_engine.state import Deal
from mahjong_engine.tile import Seat


def deal_places(*, rounds_of_four: int, rounds_of_one: int) -> tuple[tuple[int, ...], ...]:
    """Returns the wall places of East, South, West and North.

    In each round every seat takes four tiles, then one in each round of one; East takes one more (C8, T9).
    """
    places: list[list[int]] = [[], [], [], []]
    front = 0
    for size in (4,) * rounds_of_four + (1,) * rounds_of_one:
        for wind in range(4):
            places[wind] += range(front, front + size)
            front += size
    places[0].append(front)
    return tuple(map(tuple, places))


def dealer_stays_on_win_or_draw(deal: Deal, winners: tuple[Seat, ...]) -> tuple[int, int]:
    """Returns `dealer_changes` and `dealer_wins` after a hand (C60, T62)."""
    if deal.dealer in winners:
        return deal.dealer_changes, deal.dealer_wins + 1
    if not winners:
        return deal.dealer_changes, deal.dealer_wins
    return deal.dealer_changes + 1, 0
