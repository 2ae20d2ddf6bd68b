"""Who pays whom after a win (T61)."""

from collections.abc import Sequence

from mahjong_engine.settlement import WinClaim


def changes(wins: Sequence[WinClaim], values: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Returns the change of each seat's score; they sum to zero.

    The seat that a win names pays alone, else each of the other three; every winner is paid in full.
    """
    received = [0, 0, 0, 0]
    for win in wins:
        amount = values[win.seat]
        payers = [seat for seat in range(4) if seat != win.seat] if win.from_seat is None else [win.from_seat]
        for payer in payers:
            received[payer] -= amount
            received[win.seat] += amount
    return received[0], received[1], received[2], received[3]
