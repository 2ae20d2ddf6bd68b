"""Page tokens: where the list of one player's matches goes on. Opaque to clients."""

import base64
import binascii
import struct
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final

PAGE_SIZE_DEFAULT: Final = 20
PAGE_SIZE_MAX: Final = 100

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION: Final = b"\x01"
_BODY: Final = struct.Struct(">q16s")
_CHECK_SIZE: Final = 8
_TOKEN_SIZE: Final = 4 * (1 + _BODY.size + _CHECK_SIZE) // 3


class PageTokenError(ValueError):
    """A token that this list did not give to this player."""


@dataclass(frozen=True, slots=True)
class Position:
    """The last match of a page: the next one starts with the first match after it, newest first."""

    end_time: datetime
    """When it ended, to the microsecond."""
    match_id: str


def token_of(position: Position, player_id: str) -> str:
    """Returns the token of a position in a player's list: 44 characters, safe in URLs."""
    end_us = (position.end_time - _EPOCH) // timedelta(microseconds=1)
    body = _VERSION + _BODY.pack(end_us, uuid.UUID(position.match_id).bytes)
    return base64.urlsafe_b64encode(body + _check(body, player_id)).decode()


def position_of(token: str, player_id: str) -> Position:
    """Returns the position that a token stands for.

    The check bytes find garbage and the tokens of other players. They are no secret, and need not be: whoever makes
    them up moves about in a list that is the caller's own.

    Raises:
        PageTokenError: the token is not one of this player's.
    """
    try:
        raw = base64.b64decode(token.encode("ascii"), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise PageTokenError from None
    body, check = raw[:-_CHECK_SIZE], raw[-_CHECK_SIZE:]
    if len(token) != _TOKEN_SIZE or body[:1] != _VERSION or check != _check(body, player_id):
        raise PageTokenError
    end_us, match = _BODY.unpack(body[1:])
    try:
        return Position(_EPOCH + timedelta(microseconds=end_us), str(uuid.UUID(bytes=match)))
    except OverflowError:
        raise PageTokenError from None


def _check(body: bytes, player_id: str) -> bytes:
    return sha256(b"mahjong-planet/page/ListMyMatches\0" + player_id.encode() + b"\0" + body).digest()[:_CHECK_SIZE]
