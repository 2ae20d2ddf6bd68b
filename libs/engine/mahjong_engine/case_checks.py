"""Checks that hold in every rule set: can this case have come about? (docs/formats/notation.md, "Scoring case")."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from mahjong_engine.case_error import CaseError, CaseReason
from mahjong_engine.case_parts import CaseParts
from mahjong_engine.keys import count_of, size_of
from mahjong_engine.meld import KONGS, MeldKind
from mahjong_engine.rule_set import RuleSet
from mahjong_engine.settlement import FLOWER_WINS, SELF_DRAWN, ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.tile import CODES, Seat, Tile, is_bonus

_FROM_ALL: Final = SELF_DRAWN | {WinSource.EIGHT_FLOWERS}
"""Sources that name no other seat."""


def check_winners(wins: Sequence[WinClaim], rules: RuleSet) -> None:
    """Refuses winners that cannot have won together."""
    if len(wins) == 1:
        return
    if not rules.rulings.every_win_counts:
        raise CaseError(CaseReason.SEVERAL_WINNERS, f"the {rules.name} game has one winner")
    if len({win.seat for win in wins}) < len(wins):
        raise CaseError(CaseReason.SEVERAL_WINNERS, "a seat wins twice")
    if wins[0].source not in (WinSource.DISCARD, WinSource.ROBBED_PROMOTED_KONG):
        raise CaseError(CaseReason.SEVERAL_WINNERS, "only on a discard or a robbed kong can several seats win")
    if len({(win.tile, win.source, win.from_seat) for win in wins}) > 1:
        raise CaseError(CaseReason.SEVERAL_WINNERS, "the winners do not win on the same tile of the same seat")


def check_copies(parts: CaseParts) -> None:
    """Refuses more copies of a tile than there are, over hands, melds, bonus tiles, ponds and the winning tile.

    A winning discard lies in the ponds already, a robbed flower with its owner.
    """
    copies = Counter(parts.discards)
    for seat in parts.seats:
        copies.update(seat.concealed + seat.bonus)
        for meld in seat.melds:
            copies.update(meld.tiles)
    win = parts.wins[0]
    if win.source is not WinSource.DISCARD and win.source not in FLOWER_WINS:
        copies[win.winning_tile] += 1
    for tile, count in copies.items():
        if count > (1 if is_bonus(tile) else 4):
            raise CaseError(CaseReason.TOO_MANY_COPIES, f"{count} copies of {CODES[tile]}")


def check_tile_counts(case: ScoringCase, rules: RuleSet) -> None:
    """Refuses a winner without its exact number of tiles, and others with more than one tile too many."""
    winners = {win.seat: win for win in case.wins}
    for seat, tiles in enumerate(case.seats):
        size = size_of(tiles.concealed)
        due = 3 * (rules.sets - len(tiles.melds)) + 1
        win = winners.get(Seat(seat))
        least, most = (0, due + 1) if win is None else _winner_sizes(case, win, due)
        if not least <= size <= most:
            raise CaseError(CaseReason.WRONG_TILE_COUNT, f"seat {seat} holds {size} tiles in hand, not {due}")


def _winner_sizes(case: ScoringCase, win: WinClaim, due: int) -> tuple[int, int]:
    """Before the first discard a flower may be shown, and its replacement missing, while East holds one tile more."""
    if win.source not in FLOWER_WINS or case.discard_count:
        return due, due
    return (due, due + 1) if win.seat == case.dealer else (due - 1, due)


def check_discards(case: ScoringCase) -> None:
    """Refuses fewer discards than lie in ponds and claimed melds."""
    claimed = sum(meld.kind is not MeldKind.CONCEALED_KONG for tiles in case.seats for meld in tiles.melds)
    least = len(case.discards) + claimed
    if case.discard_count < least:
        raise CaseError(CaseReason.INCONSISTENT_DISCARDS, f"at least {least} discards were made")


def check_source(case: ScoringCase, win: WinClaim) -> None:
    """Refuses a winning tile that cannot have come from where it is said to have come."""
    _check_giver(win)
    winner = case.seats[win.seat]
    match win.source:
        case WinSource.DISCARD:
            _check_discard(case, win)
        case WinSource.ROBBED_PROMOTED_KONG:
            _check_robbed_pung(case, win)
        case WinSource.DEALT if win.seat != case.dealer or case.discard_count or winner.melds:
            raise inconsistent("only the dealer wins on a dealt tile, before any discard and without a kong")
        case WinSource.KONG_REPLACEMENT if not has_kong(winner):
            raise inconsistent("a kong replacement without a kong")
        case WinSource.FLOWER_REPLACEMENT if not winner.bonus:
            raise inconsistent("a flower replacement without a flower")
    if win.source in SELF_DRAWN and win.seat != case.dealer and case.discard_count == 0:
        raise inconsistent("only the dealer draws before the first discard")


def _check_giver(win: WinClaim) -> None:
    if win.source in _FROM_ALL:
        if win.from_seat is not None:
            raise inconsistent(f"{win.source.value} has no from_seat")
    elif win.from_seat is None or win.from_seat == win.seat:
        raise inconsistent(f"{win.source.value} needs the seat of another player as from_seat")


def _check_discard(case: ScoringCase, win: WinClaim) -> None:
    if win.tile not in case.discards:
        raise inconsistent("the winning discard is not in the ponds")
    if case.discard_count == 1 and win.from_seat != case.dealer:
        raise inconsistent("the first discard is the dealer's")


def _check_robbed_pung(case: ScoringCase, win: WinClaim) -> None:
    melds = case.seats[win.from_seat].melds if win.from_seat is not None else ()
    if not any(meld.kind is MeldKind.PUNG and meld.tile == win.tile for meld in melds):
        raise inconsistent("the owner of the robbed kong has no pung of the tile")


def has_kong(tiles: SeatTiles) -> bool:
    """Whether the seat has declared a kong."""
    return any(meld.kind in KONGS for meld in tiles.melds)


def holds_three(tiles: SeatTiles, tile: Tile) -> bool:
    """Whether the seat holds what is left of a robbed concealed kong."""
    return count_of(tiles.concealed, tile) >= 3


def inconsistent(message: str) -> CaseError:
    """Returns the error of an impossible source."""
    return CaseError(CaseReason.INCONSISTENT_SOURCE, message)
