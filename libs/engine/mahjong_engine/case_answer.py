"""Settlements and cases written as JSON values (docs/formats/notation.md, "Scoring case")."""

from typing import Any

from mahjong_engine.keys import tiles_of
from mahjong_engine.settlement import Item, ScoringCase, SeatTiles, Settlement, WinClaim
from mahjong_engine.tile import CODES


def write_settlement(settlement: Settlement) -> dict[str, Any]:
    """Returns the answer to a case."""
    return {
        "hands": [
            {
                "seat": hand.seat,
                "value": hand.value,
                "items": [_item(item) for item in hand.items],
                "limit": list(hand.limit),
            }
            for hand in settlement.hands
        ],
        "values": list(settlement.values),
        "changes": list(settlement.changes),
    }


def _item(item: Item) -> dict[str, Any]:
    written: dict[str, Any] = {"award": item.award}
    if item.points:
        written["points"] = item.points
    if item.doubles:
        written["doubles"] = item.doubles
    if item.tai:
        written["tai"] = item.tai
    if item.tiles:
        written["tiles"] = [CODES[tile] for tile in item.tiles]
    return written


def write_case(rule_set: str, case: ScoringCase) -> dict[str, Any]:
    """Returns a case as `read_case` reads it."""
    wins = [_win(win) for win in case.wins]
    return {
        "rule_set": rule_set,
        "dealer": case.dealer,
        "round_wind": CODES[case.round_wind],
        "seats": [_seat(seat) for seat in case.seats],
        **({"win": wins[0]} if len(wins) == 1 else {"wins": wins}),
        "live_tiles_left": case.live_tiles_left,
        "discards": [CODES[tile] for tile in case.discards],
        "discard_count": case.discard_count,
        "kongs_in_turn": case.kongs_in_turn,
        "dealer_wins_before": case.dealer_wins_before,
    }


def _seat(seat: SeatTiles) -> dict[str, Any]:
    return {
        "concealed": [CODES[tile] for tile in tiles_of(seat.concealed)],
        "melds": [{"kind": meld.kind.value, "tiles": [CODES[tile] for tile in meld.tiles]} for meld in seat.melds],
        "bonus": [CODES[tile] for tile in seat.bonus],
        "original_call": seat.original_call,
    }


def _win(win: WinClaim) -> dict[str, Any]:
    return {
        "seat": win.seat,
        "tile": None if win.tile is None else CODES[win.tile],
        "source": win.source.value,
        "from_seat": win.from_seat,
    }
