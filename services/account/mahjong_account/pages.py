"""Page tokens of a player's lists of other players. Opaque to clients."""

import base64
import binascii
import struct
import uuid
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from mahjong_kit.errors import InvalidRequestError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

PAGE_SIZE_DEFAULT: Final = 20
PAGE_SIZE_MAX: Final = 100

_BODY: Final = struct.Struct(">Bq16s")
_VERSION: Final = 1
_CHECK_SIZE: Final = 8
_TOKEN_SIZE: Final = 44


@dataclass(frozen=True, slots=True)
class Position:
    """The last line of a page."""

    create_time_ms: int
    other_id: str


def checked_page_size(page_size: int) -> int:
    """Returns how many lines a page has.

    Raises:
        InvalidRequestError: `PAGE_SIZE_OUT_OF_RANGE`.
    """
    if not 0 <= page_size <= PAGE_SIZE_MAX:
        raise InvalidRequestError(ErrorReason.ERROR_REASON_PAGE_SIZE_OUT_OF_RANGE, page_size=page_size)
    return page_size or PAGE_SIZE_DEFAULT


def token_of(position: Position, owner: str) -> str:
    """Returns the token of a position in a list: 44 characters, safe in URLs.

    Args:
        position: the last line shown.
        owner: whose list it is, and which.
    """
    body = _BODY.pack(_VERSION, position.create_time_ms, uuid.UUID(position.other_id).bytes)
    return base64.urlsafe_b64encode(body + _check(body, owner)).decode()


def position_of(token: str, owner: str) -> Position | None:
    """Returns the position that a token stands for; None for no token: the first page.

    The check finds garbage and tokens of other lists. It is no secret: who makes a token up moves about in an own list.

    Raises:
        InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
    """
    if not token:
        return None
    try:
        raw = base64.b64decode(token.encode("ascii"), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise _malformed() from None
    body, check = raw[:-_CHECK_SIZE], raw[-_CHECK_SIZE:]
    if len(token) != _TOKEN_SIZE or check != _check(body, owner) or body[0] != _VERSION:
        raise _malformed()
    _, create_time_ms, other_id = _BODY.unpack(body)
    return Position(create_time_ms, str(uuid.UUID(bytes=other_id)))


def _check(body: bytes, owner: str) -> bytes:
    return sha256(b"mahjong-planet/page/relations\0" + owner.encode() + b"\0" + body).digest()[:_CHECK_SIZE]


def _malformed() -> InvalidRequestError:
    return InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_PAGE_TOKEN)
