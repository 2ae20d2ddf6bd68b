"""Checks of request fields, and enums as words."""

from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from mahjong_kit.errors import InvalidRequestError
from mahjong_kit.fields import checked_time, checked_uuid, checked_word, is_uuid, value_of, word_of
from mahjongplanet.game.v1 import terms_pb2
from mahjongplanet.rating.v1 import rating_service_pb2

UUID = "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11"


def test_uuid_in_its_usual_form_is_taken():
    assert checked_uuid("match_id", UUID) == UUID


@pytest.mark.parametrize("text", ["", UUID[:-1], UUID + "0", UUID.upper(), "{" + UUID + "}", UUID + "\n", "\0" * 36])
def test_text_that_is_no_uuid_is_refused_with_its_field(text):
    assert not is_uuid(text)
    with pytest.raises(InvalidRequestError) as caught:
        checked_uuid("match_id", text)
    assert caught.value.reason == "ERROR_REASON_INVALID_FIELD"
    assert caught.value.metadata["field"] == "match_id"


def test_enum_value_has_a_word_and_comes_back_from_it():
    assert checked_word("rule_set", terms_pb2.RuleSet, terms_pb2.RULE_SET_CLASSICAL) == "classical"
    assert value_of(terms_pb2.RuleSet, "classical") == terms_pb2.RULE_SET_CLASSICAL


@pytest.mark.parametrize(
    "enum", [terms_pb2.RuleSet, terms_pb2.MatchLength, terms_pb2.Ending, rating_service_pb2.RatingOutcome]
)
def test_every_enum_value_comes_back_from_its_word(enum):
    for value in enum.values():
        assert value_of(enum, word_of(enum, value)) == value


@pytest.mark.parametrize(("value", "problem"), [(0, "not stated"), (99, "not known"), (-1, "not known")])
def test_enum_value_not_stated_or_not_known_is_refused(value, problem):
    with pytest.raises(InvalidRequestError) as caught:
        checked_word("rule_set", terms_pb2.RuleSet, value)
    assert caught.value.metadata == {"field": "rule_set", "problem": problem}


def test_time_is_taken_to_the_microsecond():
    assert checked_time("end_time", Timestamp(seconds=5, nanos=123_456_999)) == datetime(
        1970, 1, 1, 0, 0, 5, 123_456, tzinfo=UTC
    )


@pytest.mark.parametrize(
    "time",
    [None, Timestamp(seconds=-1), Timestamp(seconds=1 << 60), Timestamp(seconds=1, nanos=-1), Timestamp(nanos=1 << 30)],
)
def test_time_absent_or_out_of_range_is_refused(time):
    with pytest.raises(InvalidRequestError) as caught:
        checked_time("end_time", time)
    assert caught.value.metadata["field"] == "end_time"
