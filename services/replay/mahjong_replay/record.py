"""Hand records as the replay service takes and gives them (docs/formats/notation.md, "Hand record"). Pure."""

from collections.abc import Mapping
from typing import Final

import orjson

from mahjong_replay.terms import HandSummary, MatchTerms

RECORD_BYTES_MAX: Final = 64 << 10
FORMAT: Final = "mahjong-hand/1"
_ENDINGS: Final = ("win", "draw", "flowers")


class RecordError(ValueError):
    """A text that is no record of the hand that it is said to be; the message names the problem, not the content."""


def summarize(record_json: bytes, terms: MatchTerms, hand_number: int) -> HandSummary:
    """Returns the summary of a record, having checked that it is one, and of this hand of this match.

    Whether the hand was played by the rules is another question, which takes the engine and the seed (`verifier.py`).

    Raises:
        RecordError: not a JSON object of at most 64 KiB, of another match, hand, rule set or length, already with its
            seed, or without a sensible dealer, wind or result.
    """
    record = {"match_length": "full"} | _parsed(record_json)
    expected = {
        "format": FORMAT,
        "match": terms.match_id,
        "hand": hand_number,
        "rule_set": terms.rule_set,
        "match_length": terms.length,
    }
    for key, value in expected.items():
        if type(record.get(key)) is not type(value) or record[key] != value:
            raise RecordError(f"`{key}` is not {value}")
    if "server_seed" in record:
        raise RecordError("`server_seed` is revealed when the match is over")
    result = record.get("result")
    if not isinstance(result, dict):
        raise RecordError("`result` is no object")
    return HandSummary(
        hand_number=hand_number,
        dealer=_integer(record, "dealer", 0, 3),
        round_wind=_choice(record, "round_wind", "ESWN"),
        ending=_choice(result, "ended", _ENDINGS),
        winners=_integers(result, "winners", range(5), 0, 3),
        changes=_integers(result, "changes", range(4, 5), -(1 << 31), (1 << 31) - 1),
    )


def with_seed(record_json: bytes, server_seed: bytes) -> bytes:
    """Returns the record with `server_seed` as its last member and every other byte as it was stored."""
    return record_json.rstrip()[:-1] + b',"server_seed":"' + server_seed.hex().encode() + b'"}'


def _parsed(record_json: bytes) -> dict[str, object]:
    if len(record_json) > RECORD_BYTES_MAX:
        raise RecordError(f"longer than {RECORD_BYTES_MAX} bytes")
    try:
        record = orjson.loads(record_json)
    except orjson.JSONDecodeError:
        raise RecordError("no JSON in UTF-8") from None
    if not isinstance(record, dict):
        raise RecordError("no JSON object")
    return record


def _choice(part: Mapping[str, object], key: str, choices: str | tuple[str, ...]) -> str:
    value = part.get(key)
    if not isinstance(value, str) or value not in tuple(choices):
        raise RecordError(f"`{key}` is none of {', '.join(choices)}")
    return value


def _integer(part: Mapping[str, object], key: str, low: int, high: int) -> int:
    value = part.get(key)
    if not _is_integer(value, low, high):
        raise RecordError(f"`{key}` is no integer from {low} to {high}")
    return value  # type: ignore[return-value]


def _integers(part: Mapping[str, object], key: str, counts: range, low: int, high: int) -> tuple[int, ...]:
    value = part.get(key)
    if not (isinstance(value, list) and len(value) in counts and all(_is_integer(item, low, high) for item in value)):
        raise RecordError(f"`{key}` is no list of {counts[0]}-{counts[-1]} integers from {low} to {high}")
    return tuple(value)


def _is_integer(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
