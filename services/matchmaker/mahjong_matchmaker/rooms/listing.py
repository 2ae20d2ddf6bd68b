"""The list of public rooms, page by page."""

import struct
from collections.abc import Callable
from typing import Final

from mahjong_kit.paging import page_position, page_token
from mahjong_matchmaker.rooms.room import Room
from mahjong_matchmaker.rooms.store import RoomStore, SeenRoom
from mahjongplanet.game.v1.terms_pb2 import RuleSet

_BATCHES_MAX: Final = 20
"""Most reads for one page; a page may be short, and the next one goes on after it."""
_PLACE: Final = struct.Struct(">Q")


class Listing:
    """Reads the list, newest first. A page goes on below the place of the last room that was looked at."""

    def __init__(self, store: RoomStore, clock_ms: Callable[[], int], *, gone_after_ms: int) -> None:
        self._store = store
        self._clock_ms = clock_ms
        self._gone_after_ms = gone_after_ms

    async def page(self, rule_set: RuleSet.ValueType, size: int, token: str) -> tuple[list[Room], str]:
        """Returns rooms that have an open seat and somebody who watches them, and the token of the next page.

        Args:
            rule_set: rooms of this one only, all if unspecified.
            size: most rooms.
            token: the token of the page before, or an empty text.

        Raises:
            InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
        """
        scope = f"rooms/{rule_set}"
        below, rooms = _read_token(token, scope), list[Room]()
        for _ in range(_BATCHES_MAX):
            entries = await self._store.public(below, size + 1)
            seen = await self._store.read_all([room_id for room_id, _ in entries])
            await self._unlist([room_id for (room_id, _), one in zip(entries, seen, strict=True) if one is None])
            for (_, place), one in zip(entries, seen, strict=True):
                if one is not None and self._is_shown(one, rule_set):
                    if len(rooms) == size:
                        return rooms, _token(below, scope)
                    rooms.append(one.room)
                below = f"({place:.0f}"
            if len(entries) <= size:
                return rooms, ""
        return rooms, _token(below, scope)

    def _is_shown(self, seen: SeenRoom, rule_set: RuleSet.ValueType) -> bool:
        room = seen.room
        last_ms = max([room.changed_at_ms, *seen.watched_at_ms.values()])
        is_alive = self._clock_ms() <= last_ms + self._gone_after_ms
        return room.is_listed and is_alive and rule_set in (RuleSet.RULE_SET_UNSPECIFIED, room.settings.rule_set)

    async def _unlist(self, room_ids: list[str]) -> None:
        if room_ids:
            await self._store.unlist(room_ids)


def _token(below: str, scope: str) -> str:
    return page_token(_PLACE.pack(int(below.removeprefix("("))), scope)


def _read_token(token: str, scope: str) -> str:
    if not token:
        return "+inf"
    (place,) = _PLACE.unpack(page_position(token, scope, _PLACE.size))
    return f"({place}"
