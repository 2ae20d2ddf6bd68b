"""Log entries: all that is not a function of the log before it. Once committed they are never changed."""

from dataclasses import dataclass
from typing import Any

from mahjong_engine.action import Action
from mahjong_engine.state import BySeat, Scores
from mahjong_engine.tile import Seat
from mahjong_table.core.action_code import action_from_json, action_json


@dataclass(frozen=True, slots=True)
class NonceGiven:
    """A person gave its nonce for the shuffle."""

    seat: Seat
    nonce: bytes


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A hand was dealt. Holds all of the match that the hand depends on, so that loading starts here."""

    hand: int
    dealer_changes: int
    dealer_wins: int
    scores: Scores
    nonces: BySeat[bytes]
    sequences: BySeat[int]
    """Events numbered before the hand, by viewer."""
    confirmed: tuple[Seat, ...]
    """Who had confirmed the result before."""
    floor_ms: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A seat's answer was accepted, or the server answered for it."""

    seat: Seat
    decision_id: str
    action: Action
    stands_at: int
    """Sequence of the seat's stream at which the answer stands."""
    charge_ms: int
    """What the answer cost of the reserve."""
    floor_ms: int
    """The jittered floor after it, drawn before anybody's claims were looked at."""
    timeout: bool = False


@dataclass(frozen=True, slots=True)
class ResultConfirmed:
    """A person has seen the result of a hand."""

    seat: Seat
    hand: int


@dataclass(frozen=True, slots=True)
class TimeCredited:
    """An outage of ours: every running clock was moved by it."""

    shift_ms: int


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The match ended early: practice was left, nothing happened for 24 h (C65, T67), or an operator wished it."""

    seat: Seat | None


Happening = NonceGiven | HandStarted | Answered | ResultConfirmed | TimeCredited | Abandoned


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a table's log."""

    sequence: int
    at: int
    """Wall clock in ms, never below that of the entry before."""
    what: Happening
    request_id: str | None = None


KINDS = {
    NonceGiven: "nonce",
    HandStarted: "hand",
    Answered: "answer",
    ResultConfirmed: "confirmation",
    TimeCredited: "credit",
    Abandoned: "end",
}
"""Name of each kind in the log."""


def payload(what: Happening) -> dict[str, Any]:
    """Returns what an entry stores beside its kind."""
    match what:
        case NonceGiven(seat, nonce):
            return {"seat": seat, "nonce": nonce.hex()}
        case HandStarted():
            return {
                "hand": what.hand,
                "dealer_changes": what.dealer_changes,
                "dealer_wins": what.dealer_wins,
                "scores": what.scores,
                "nonces": [nonce.hex() for nonce in what.nonces],
                "sequences": what.sequences,
                "confirmed": what.confirmed,
                "floor_ms": what.floor_ms,
            }
        case Answered():
            answer = {
                "seat": what.seat,
                "decision": what.decision_id,
                "answer": action_json(what.action),
                "stands_at": what.stands_at,
                "charge_ms": what.charge_ms,
                "floor_ms": what.floor_ms,
            }
            return answer | {"timeout": True} if what.timeout else answer
        case ResultConfirmed(seat, hand):
            return {"seat": seat, "hand": hand}
        case TimeCredited(shift_ms):
            return {"shift_ms": shift_ms}
        case Abandoned(seat):
            return {"seat": seat}


def happening(kind: str, value: dict[str, Any]) -> Happening:
    """Returns what `payload` stored under a kind.

    Raises:
        ValueError: a kind that this release does not know.
    """
    match kind:
        case "nonce":
            return NonceGiven(Seat(value["seat"]), bytes.fromhex(value["nonce"]))
        case "hand":
            a, b, c, d = map(bytes.fromhex, value["nonces"])
            return HandStarted(
                value["hand"],
                value["dealer_changes"],
                value["dealer_wins"],
                _four(value["scores"]),
                (a, b, c, d),
                _four(value["sequences"]),
                tuple(map(Seat, value["confirmed"])),
                value["floor_ms"],
            )
        case "answer":
            return Answered(
                Seat(value["seat"]),
                value["decision"],
                action_from_json(value["answer"]),
                value["stands_at"],
                value["charge_ms"],
                value["floor_ms"],
                value.get("timeout", False),
            )
        case "confirmation":
            return ResultConfirmed(Seat(value["seat"]), value["hand"])
        case "credit":
            return TimeCredited(value["shift_ms"])
        case "end":
            return Abandoned(None if value["seat"] is None else Seat(value["seat"]))
    raise ValueError(f"unknown kind of log entry: {kind!r}")


def _four(values: list[int]) -> tuple[int, int, int, int]:
    a, b, c, d = values
    return a, b, c, d
