"""Where a player's lists of other players go on: positions and their tokens."""

import struct
import uuid
from dataclasses import dataclass
from typing import Final

from mahjong_kit.paging import page_position, page_token

_BODY: Final = struct.Struct(">q16s")


@dataclass(frozen=True, slots=True)
class Position:
    """The last line of a page."""

    create_time_ms: int
    other_id: str


def token_of(position: Position, scope: str) -> str:
    """Returns the token of a position in a list: 44 characters, safe in URLs."""
    return page_token(_BODY.pack(position.create_time_ms, uuid.UUID(position.other_id).bytes), scope)


def position_of(token: str, scope: str) -> Position:
    """Returns the position that a token stands for.

    Raises:
        InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
    """
    create_time_ms, other = _BODY.unpack(page_position(token, scope, _BODY.size))
    return Position(create_time_ms, str(uuid.UUID(bytes=other)))
