"""Records are checked before they are stored, and come back byte for byte with their seed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_replay.record import RECORD_BYTES_MAX, RecordError, summarize, with_seed
from mahjong_replay.terms import HandSummary, MatchTerms, Occupant

MATCH_ID = "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11"
TERMS = MatchTerms(MATCH_ID, "classical", "casual", "full", tuple(Occupant(None, "basic", "B") for _ in range(4)))
RESULT = {"ended": "win", "winners": [3], "changes": [-56, -28, -28, 112]}
RECORD = {
    "format": "mahjong-hand/1",
    "rule_set": "classical",
    "match": MATCH_ID,
    "hand": 2,
    "match_length": "full",
    "dealer": 1,
    "round_wind": "E",
    "result": RESULT,
}


def text(record):
    return json.dumps(record).encode()


def test_summary_has_what_the_list_shows():
    summary = HandSummary(2, dealer=1, round_wind="E", ending="win", winners=(3,), changes=(-56, -28, -28, 112))
    assert summarize(text(RECORD), TERMS, 2) == summary


def test_record_without_match_length_is_of_a_full_match():
    record = {key: value for key, value in RECORD.items() if key != "match_length"}
    assert summarize(text(record), TERMS, 2).hand_number == 2


@pytest.mark.parametrize(
    "change",
    [
        {"format": "mahjong-hand/2"},
        {"format": None},
        {"rule_set": "taiwanese"},
        {"match": "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a12"},
        {"match": None},
        {"hand": 3},
        {"hand": 2.0},
        {"hand": "2"},
        {"match_length": "one_hand"},
        {"server_seed": "00"},
        {"dealer": 4},
        {"dealer": True},
        {"dealer": -1},
        {"dealer": "1"},
        {"round_wind": "R"},
        {"round_wind": ""},
        {"round_wind": "ES"},
        {"result": None},
        {"result": []},
        {"result": RESULT | {"ended": "lost"}},
        {"result": RESULT | {"winners": 3}},
        {"result": RESULT | {"winners": [4]}},
        {"result": RESULT | {"winners": [0, 1, 2, 3, 0]}},
        {"result": RESULT | {"changes": [1, 2, 3]}},
        {"result": RESULT | {"changes": [1, 2, 3, 0.5]}},
        {"result": RESULT | {"changes": [0, 0, 0, 1 << 31]}},
    ],
)
def test_record_with_a_wrong_member_is_refused(change):
    with pytest.raises(RecordError):
        summarize(text(RECORD | change), TERMS, 2)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"{", b'{"a": NaN}', b"\xff\xfe", b'"' + b"[" * 9, b"[" * 60_000]
)
def test_record_that_is_no_json_object_is_refused(content):
    with pytest.raises(RecordError):
        summarize(content, TERMS, 2)


def test_record_of_64_kib_is_taken_and_one_byte_more_is_refused():
    room = RECORD_BYTES_MAX - len(text(RECORD | {"pad": ""}))
    assert summarize(text(RECORD | {"pad": "x" * room}), TERMS, 2).dealer == 1
    with pytest.raises(RecordError, match="longer"):
        summarize(text(RECORD | {"pad": "x" * (room + 1)}), TERMS, 2)


@given(st.binary(max_size=200))
def test_record_of_any_bytes_is_refused_by_a_record_error_only(content):
    with pytest.raises(RecordError):
        summarize(content, TERMS, 0)


@pytest.mark.parametrize("tail", ["", "\n", " \r\n\t"])
def test_seed_is_added_and_every_other_byte_kept(tail):
    stored = json.dumps(RECORD, indent=1, ensure_ascii=False) + tail
    revealed = with_seed(stored.encode(), bytes(range(80)))
    assert json.loads(revealed) == RECORD | {"server_seed": bytes(range(80)).hex()}
    assert revealed.startswith(stored.rstrip()[:-1].encode())
