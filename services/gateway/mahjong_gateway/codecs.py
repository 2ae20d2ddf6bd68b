"""How messages travel between the HTTP edge and the services: as bytes of protobuf.

A binary request is parsed once, to refuse what is no message, and goes on as it came, fields of newer releases
included; a binary response is not touched at all. JSON is translated both ways. See docs/decisions/gateway-bytes.md.
"""

from dataclasses import dataclass
from typing import Final

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from mahjong_kit.errors import InvalidRequestError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


@dataclass(frozen=True, slots=True)
class Encoded:
    """A response: its bytes, and what they are."""

    data: bytes
    message: type[Message]


@dataclass(frozen=True, slots=True)
class Undecoded:
    """A request as it came, to be checked behind the layers that log and admit."""

    data: bytes
    message: type[Message]
    is_json: bool

    def checked(self) -> bytes:
        """Returns the message as bytes of protobuf.

        Raises:
            InvalidRequestError: `MALFORMED_MESSAGE`.
        """
        return checked_json(self.data, self.message) if self.is_json else checked_binary(self.data, self.message)


def checked_binary(data: bytes, message: type[Message]) -> bytes:
    """Returns the bytes if they are such a message.

    Raises:
        InvalidRequestError: `MALFORMED_MESSAGE`.
    """
    try:
        message.FromString(data)
    except DecodeError as error:
        raise InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_MESSAGE) from error
    return data


def checked_json(data: bytes, message: type[Message]) -> bytes:
    """Returns the bytes of a message that came as JSON; fields that it does not have are ignored, as Connect asks.

    Raises:
        InvalidRequestError: `MALFORMED_MESSAGE`.
    """
    if not data.lstrip().startswith(b"{"):  # The parser takes an empty list for an empty message.
        raise InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_MESSAGE)
    parsed = message()
    try:
        json_format.Parse(data, parsed, ignore_unknown_fields=True)
    except (json_format.ParseError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_MESSAGE) from error
    return parsed.SerializeToString()


class BinaryCodec:
    """Protobuf's own encoding."""

    def name(self) -> str:
        """Returns the name in content types."""
        return "proto"

    def encode(self, message: Encoded) -> bytes:
        """Returns the bytes that the service sent."""
        return message.data

    def decode(self, data: bytes | bytearray, message_class: type[Message]) -> Undecoded:
        """Keeps the bytes."""
        return Undecoded(bytes(data), message_class, is_json=False)


class JsonCodec:
    """Protobuf's JSON encoding."""

    def name(self) -> str:
        """Returns the name in content types."""
        return "json"

    def encode(self, message: Encoded) -> bytes:
        """Returns the response in one line of JSON."""
        return json_format.MessageToJson(message.message.FromString(message.data), indent=None).encode()

    def decode(self, data: bytes | bytearray, message_class: type[Message]) -> Undecoded:
        """Keeps the bytes."""
        return Undecoded(bytes(data), message_class, is_json=True)


CODECS: Final = (BinaryCodec(), JsonCodec())
