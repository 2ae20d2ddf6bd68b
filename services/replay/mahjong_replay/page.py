"""Where lists of matches go on: positions and their tokens."""

import struct
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from mahjong_kit.paging import malformed_page_token, page_position, page_token

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_BODY: Final = struct.Struct(">q16s")


@dataclass(frozen=True, slots=True)
class Position:
    """The last match of a page: the next one starts with the first match after it, newest first."""

    end_time: datetime
    """When it ended, to the microsecond."""
    match_id: str


def token_of(position: Position, scope: str) -> str:
    """Returns the token of a position in a list: 44 characters, safe in URLs."""
    end_us = (position.end_time - _EPOCH) // timedelta(microseconds=1)
    return page_token(_BODY.pack(end_us, uuid.UUID(position.match_id).bytes), scope)


def position_of(token: str, scope: str) -> Position:
    """Returns the position that a token stands for.

    Raises:
        InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
    """
    end_us, match = _BODY.unpack(page_position(token, scope, _BODY.size))
    try:
        return Position(_EPOCH + timedelta(microseconds=end_us), str(uuid.UUID(bytes=match)))
    except OverflowError:
        raise malformed_page_token() from None
