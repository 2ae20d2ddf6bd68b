"""Packed records come back byte for byte, those of every format ever written."""

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_replay.codec import PACKING, pack, unpack
from mahjong_replay.errors import RecordTooNewError

RECORDS = Path(__file__).parents[2] / "data" / "hand_records"


@given(st.binary(max_size=4096))
def test_packed_bytes_come_back_as_they_were(content):
    assert unpack(pack(content), PACKING) == content


@pytest.mark.parametrize("file", sorted(RECORDS.glob("*.jsonl")), ids=lambda file: file.stem)
def test_packed_hand_records_come_back_in_half_the_room(file):
    for line in file.read_bytes().splitlines():
        packed = pack(line)
        assert unpack(packed, PACKING) == line
        assert len(packed) < len(line) / 2


def test_record_packed_by_the_first_release_is_readable():
    assert unpack(base64.b64decode("eNqrVspIzEtRslIw0lFQSssvyk0sAXKUchMzsvLz0nVBkvqGSrUA7PcMJw=="), 1) == (
        b'{"hand": 2, "format": "mahjong-hand/1"}'
    )


def test_record_of_a_later_packing_is_refused_by_name():
    with pytest.raises(RecordTooNewError) as caught:
        unpack(b"", 2)
    assert caught.value.metadata == {"packing": "2"}
