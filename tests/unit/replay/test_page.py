"""Page tokens come back as the position they were made of, and nothing else is taken for one."""

import base64
import uuid
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_kit.errors import InvalidRequestError
from mahjong_replay.page import Position, position_of, token_of

SCOPE = "0d4f4f44-5a2c-4f7e-8a55-3a6b1a4c9d01"
POSITION = Position(datetime(2026, 11, 30, 20, 15, 0, 123_456, tzinfo=UTC), "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11")
TOKEN = token_of(POSITION, SCOPE)


@given(st.datetimes(timezones=st.just(UTC)), st.uuids())
def test_token_comes_back_as_its_position(end_time, match_id):
    position = Position(end_time, str(match_id))
    assert position_of(token_of(position, SCOPE), SCOPE) == position


def test_token_shows_neither_the_match_nor_the_list():
    assert POSITION.match_id not in TOKEN
    assert SCOPE not in TOKEN
    assert len(TOKEN) == 44


@pytest.mark.parametrize(
    "token", ["x", "MQ==", "not a token", TOKEN[:-1], TOKEN + "A", TOKEN + "====", "é" * 44, "\0", TOKEN * 99]
)
def test_garbage_is_no_token(token):
    with pytest.raises(InvalidRequestError, match="page token"):
        position_of(token, SCOPE)


@pytest.mark.parametrize("index", range(33))
def test_token_with_one_bit_changed_is_refused(index):
    raw = bytearray(base64.urlsafe_b64decode(TOKEN))
    raw[index] ^= 1
    with pytest.raises(InvalidRequestError, match="page token"):
        position_of(base64.urlsafe_b64encode(raw).decode(), SCOPE)


def test_token_of_another_list_is_refused():
    with pytest.raises(InvalidRequestError, match="page token"):
        position_of(TOKEN, str(uuid.uuid4()))


@given(st.text(max_size=60))
def test_any_text_is_refused_as_a_page_token_only(text):
    with pytest.raises(InvalidRequestError, match="page token"):
        position_of(text, SCOPE)
