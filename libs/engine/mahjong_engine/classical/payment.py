"""Who pays whom after a win (C59)."""

from itertools import combinations

from mahjong_engine.tile import Seat


def changes(values: tuple[int, int, int, int], winner: Seat, dealer: Seat) -> tuple[int, int, int, int]:
    """Returns the change of each seat's score; they sum to zero.

    Every other seat pays the winner the winner's value; of each two others the lower value pays the difference.
    Payments from or to East are doubled.
    """
    received = [0, 0, 0, 0]
    for one, two in combinations(range(4), 2):
        if winner == one:
            amount = values[one]
        elif winner == two:
            amount = -values[two]
        else:
            amount = values[one] - values[two]
        if dealer in (one, two):
            amount *= 2
        received[one] += amount
        received[two] -= amount
    return received[0], received[1], received[2], received[3]
