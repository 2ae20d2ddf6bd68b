"""Actions, events and tables in words, for a person at a terminal."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb

WIND_NAMES: Final = {"E": "East", "S": "South", "W": "West", "N": "North"}
_MELD_NAMES: Final[Mapping[int, str]] = {
    terms.MELD_KIND_CHOW: "chow",
    terms.MELD_KIND_PUNG: "pung",
    terms.MELD_KIND_CLAIMED_KONG: "kong",
    terms.MELD_KIND_PROMOTED_KONG: "kong",
    terms.MELD_KIND_CONCEALED_KONG: "concealed kong",
}
_PLAIN_ACTIONS: Final[Mapping[int, str]] = {
    terms.ACTION_KIND_CONTINUE: "continue",
    terms.ACTION_KIND_ORIGINAL_CALL: "call",
    terms.ACTION_KIND_NO_ORIGINAL_CALL: "no call",
    terms.ACTION_KIND_PUNG: "pung",
    terms.ACTION_KIND_WIN: "win",
    terms.ACTION_KIND_ROB_FLOWER: "rob",
    terms.ACTION_KIND_PASS: "pass",
}


def action_words(action: terms.Action) -> str:
    """Returns what a person types for an action: `5c`, `5c call`, `kong 5c`, `chow 2b 3b`, `win`, `pass` …"""
    match action.kind:
        case terms.ACTION_KIND_DISCARD:
            return f"{action.tile} call" if action.original_call else action.tile
        case terms.ACTION_KIND_KONG:
            return f"kong {action.tile}"
        case terms.ACTION_KIND_CHOW:
            return f"chow {' '.join(action.tiles)}"
    return _PLAIN_ACTIONS[action.kind]


def event_words(event: pb.TableEvent, table: pb.TableSnapshot) -> str:
    """Returns one line that tells an event, or nothing for one that needs no line."""
    name = event.WhichOneof("event")
    tell = _TELLERS.get(name or "")
    return tell(table, getattr(event, name)) if name and tell else ""


def table_lines(table: pb.TableSnapshot) -> list[str]:
    """Returns the table as its viewer sees it, a line a seat, own hand last."""
    hand = table.hand
    walls = f"live wall {hand.live_tiles_left}, reserve {hand.reserve_tiles_left}"
    lines = [f"── {WIND_NAMES[hand.round_wind]} round, hand {hand.hand_number + 1} · {walls}"]
    for seat in hand.seats:
        turn = "▸" if hand.HasField("turn_seat") and hand.turn_seat == seat.seat else " "
        name = f"{turn} {WIND_NAMES[seat.wind]:5} {_who(table, seat.seat):16}"
        parts = [f"{name} {seat.score:6}  {seat.concealed_count:2} tiles"]
        parts += [f"({' '.join(meld.tiles)})" for meld in seat.melds]
        parts += [f"[{' '.join(seat.bonus)}]"] if seat.bonus else []
        parts += ["Original Call"] if seat.original_call else []
        lines += [" ".join(parts), f"        pond: {' '.join(seat.pond)}"]
    own = list(hand.concealed)
    if hand.drawn in own:
        own.remove(hand.drawn)
        own += ["|", hand.drawn]
    return [*lines, f"Your hand: {' '.join(own)}"]


def standing_lines(standings: Iterable[terms.Standing], table: pb.TableSnapshot) -> list[str]:
    """Returns the final places, a line each."""
    return [f"{standing.place}. {_who(table, standing.seat)}: {standing.score}" for standing in standings]


def _ending_lines(ended: pb.HandEnded, table: pb.TableSnapshot) -> list[str]:
    if ended.ending == terms.ENDING_DRAW:
        return ["The wall is empty: nobody wins."]
    lines = [
        f"{_does(table, winner.seat, 'win')}{f' on {winner.tile}' if winner.tile else ''}!" for winner in ended.winners
    ]
    for score in ended.seat_scores:
        items = ", ".join([*(_item_words(item) for item in score.items), *(f"limit: {name}" for name in score.limit)])
        lines.append(f"  {_who(table, score.seat)}: {score.value} ({items})")
    changes = ", ".join(f"{_who(table, seat)} {change:+}" for seat, change in enumerate(ended.changes))
    return [*lines, f"  {changes}"]


def _item_words(item: terms.ScoreItem) -> str:
    tiles = f" {' '.join(item.tiles)}" if item.tiles else ""
    value = f"{item.points}" if item.points else f"×{2**item.doubles}" if item.doubles else f"{item.tai} tai"
    return f"{item.award.replace('_', ' ')}{tiles} {value}"


def _does(table: pb.TableSnapshot, seat: int, verb: str) -> str:
    """Returns who does something, with the verb in its form: `You win`, `Wren wins`."""
    return f"{_who(table, seat)} {verb if seat == table.seat else f'{verb}s'}"


def _who(table: pb.TableSnapshot, seat: int) -> str:
    if seat == table.seat:
        return "You"
    occupant = table.occupants[seat]
    label = " (computer)" if occupant.WhichOneof("occupant") == "computer" else ""
    return f"{occupant.display_name}{label}"


def _claim_words(table: pb.TableSnapshot, event: pb.Claimed) -> str:
    return f"{_does(table, event.seat, 'claim')} a {_MELD_NAMES[event.meld.kind]}: {' '.join(event.meld.tiles)}"


def _discard_words(table: pb.TableSnapshot, event: pb.Discarded) -> str:
    return (
        f"{_does(table, event.seat, 'discard')} {event.tile}{' with an Original Call' if event.original_call else ''}"
    )


def _call_words(table: pb.TableSnapshot, event: pb.OriginalCallsMade) -> str:
    return f"Original Call: {', '.join(_who(table, seat) for seat in event.seats)}" if event.seats else ""


def _timeout_words(_table: pb.TableSnapshot, event: pb.DecisionClosed) -> str:
    return f"Time is over: {action_words(event.action)}" if event.timed_out else ""


_TELLERS: Final[Mapping[str, Callable[[pb.TableSnapshot, Any], str]]] = {
    "bonus_shown": lambda table, event: f"{_does(table, event.seat, 'show')} {event.tile}",
    "drew": lambda _table, event: f"You draw {event.tile}" if event.tile else "",
    "discarded": _discard_words,
    "claimed": _claim_words,
    "kong_declared": lambda table, event: (
        f"{_does(table, event.seat, 'declare')} a {_MELD_NAMES[event.kind]}: {event.tile}"
    ),
    "kong_robbed": lambda table, event: f"{_who(table, event.seat)}: the kong is robbed of {event.tile}",
    "original_calls_made": _call_words,
    "decision_closed": _timeout_words,
    "hand_ended": lambda table, event: "\n".join(_ending_lines(event, table)),
    "match_ended": lambda table, event: "\n".join(standing_lines(event.standings, table)),
}
