"""Hand records: the whole of one hand as plain JSON values (docs/formats/notation.md, "Hand record")."""

from dataclasses import dataclass, field
from typing import Any, Final

from mahjong_engine.event import HandEnded
from mahjong_engine.match import MatchLength, is_last
from mahjong_engine.record_action import write_action
from mahjong_engine.state import Answer, HandState
from mahjong_engine.tile import CODES
from mahjong_engine.version import ENGINE_VERSION
from mahjong_engine.wall import SHUFFLE, commitment

FORMAT: Final = "mahjong-hand/1"


@dataclass(frozen=True, slots=True)
class Derivation:
    """What the walls of a match are derived from; secret until the match is over."""

    server_seed: bytes = field(repr=False)
    nonces: tuple[bytes, bytes, bytes, bytes]
    """By seat."""


def hand_record(
    state: HandState,
    *,
    match_id: str | None = None,
    length: MatchLength = MatchLength.FULL,
    derivation: Derivation | None = None,
) -> dict[str, Any]:
    """Returns the record of a hand; one that is not over has no `result`, and open answers are left out.

    Args:
        state: the hand.
        match_id: id of the match.
        length: length of the match.
        derivation: what the wall was derived from; needs a match id.
    """
    deal = state.deal
    record: dict[str, Any] = {
        "format": FORMAT,
        "rule_set": deal.rule_set.name,
        "rule_set_version": deal.rule_set.version,
        "engine_version": ENGINE_VERSION,
        "hand": deal.hand,
        "match_length": length.value,
        "dealer": deal.dealer,
        "round_wind": CODES[deal.round_wind],
        "dealer_changes": deal.dealer_changes,
        "dealer_wins_before": deal.dealer_wins,
        "scores_before": list(deal.scores),
        "wall": [CODES[tile] for tile in deal.wall],
        "decisions": [write_decision(answer) for answer in state.decisions],
    }
    if match_id is not None:
        record["match"] = match_id
    if derivation is not None:
        if match_id is None:
            raise ValueError("a derived wall needs a match id")
        record["shuffle"] = SHUFFLE
        record["commitment"] = commitment(match_id, derivation.server_seed).hex()
        record["server_seed"] = derivation.server_seed.hex()
        record["nonces"] = [nonce.hex() for nonce in derivation.nonces]
    if state.result is not None:
        record["result"] = write_result(state.result, length)
    return record


def write_decision(answer: Answer) -> dict[str, Any]:
    """Returns an answer as a decision."""
    decision = {"seat": answer.seat, **write_action(answer.action)}
    if answer.timeout:
        decision["timeout"] = True
    return decision


def write_result(result: HandEnded, length: MatchLength) -> dict[str, Any]:
    """Returns the result of a hand of a match of that length."""
    return {
        "ended": result.ended.value,
        "winners": list(result.winners),
        "changes": list(result.changes),
        "scores_after": list(result.scores_after),
        "dealer_changes_after": result.dealer_changes_after,
        "match_over": is_last(length, result.dealer_changes_after),
    }
