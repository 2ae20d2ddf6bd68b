"""Responses of WatchTable, put together from parts that are serialised once for all who are sent them.

A protobuf message on the wire is its fields, one after another, so that serialised parts are joined as they are.
"""

from typing import Any, Final

from mahjong_kit.times import timestamp
from mahjong_table.core.state import EPOCH
from mahjongplanet.table.v1 import table_service_pb2 as pb

_EVENT_TAG: Final = bytes([pb.WatchTableResponse.EVENT_FIELD_NUMBER << 3 | 2])
_BYTE_BITS: Final = 7


def payload_of(**payload: Any) -> bytes:
    """Returns the part of a response that holds its payload, given by the name of its field."""
    return pb.WatchTableResponse(**payload).SerializeToString()


def event_payload(event: bytes) -> bytes:
    """Returns the part of a response that holds a serialised `TableEvent`."""
    return _EVENT_TAG + _varint(len(event)) + event


def response_of(sequence: int, now: int, payload: bytes) -> bytes:
    """Returns a serialised response.

    Args:
        sequence: of the event, or of the newest event that the payload covers.
        now: the server's time, in ms.
        payload: the part that holds it.
    """
    head = pb.WatchTableResponse(epoch=EPOCH, sequence=sequence, server_time=timestamp(now))
    return head.SerializeToString() + payload


HEARTBEAT: Final = payload_of(heartbeat=pb.Heartbeat())
RESYNC: Final = payload_of(resync=pb.Resync())


def _varint(value: int) -> bytes:
    """Returns a number as protobuf writes lengths: seven bits in a byte, the lowest first."""
    encoded = bytearray()
    while value >> _BYTE_BITS:
        encoded.append(value & 0x7F | 0x80)
        value >>= _BYTE_BITS
    encoded.append(value)
    return bytes(encoded)
