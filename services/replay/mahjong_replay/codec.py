"""How records lie in the store. Every format ever written stays readable."""

import zlib
from typing import Final

from mahjong_replay.errors import record_too_new

PACKING: Final = 1
"""Number of the format that is written now, stored beside each record. 1: zlib (RFC 1950) over the record's bytes."""


class UnreadableRecordError(ValueError):
    """The bytes of a record are damaged."""


def pack(record_json: bytes) -> bytes:
    """Returns the record as it is stored, in the current format."""
    return zlib.compress(record_json, 9)


def unpack(packed: bytes, packing: int) -> bytes:
    """Returns the record as it was reported, byte for byte.

    Raises:
        RecordTooNewError: a later release stored it.
        UnreadableRecordError: the bytes are damaged.
    """
    if packing != PACKING:
        raise record_too_new(packing)
    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise UnreadableRecordError(str(error)) from error
