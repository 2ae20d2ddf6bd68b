"""Tells the streams of this process what has become of their rooms: what it did itself at once, the rest soon."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from mahjong_kit.log import get_logger
from mahjong_matchmaker.rooms import errors
from mahjong_matchmaker.rooms.room import Room, RoomState
from mahjong_matchmaker.rooms.store import RoomStore, SeenRoom

CONNECTED_FOR_MS: Final = 10_000
"""How long somebody who has last watched the room is still shown as connected."""

_log = get_logger()


@dataclass(frozen=True, slots=True)
class RoomView:
    """A room as its people see it."""

    room: Room
    connected: frozenset[str]
    """Those of its people who watch it."""


class _Watch:
    """One stream's view of a room."""

    def __init__(self, player_id: str) -> None:
        self.player_id = player_id
        self._seen: RoomView | Exception | None = None
        self._changed = asyncio.Event()

    def show(self, seen: RoomView | Exception) -> None:
        """Takes what was read, or why it could not be."""
        if seen != self._seen or isinstance(seen, Exception):
            self._seen = seen
            self._changed.set()

    async def look(self, longest_s: float | None) -> RoomView:
        """Returns the room when it has changed, or as it is after the time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                await self._changed.wait()
        self._changed.clear()
        if isinstance(self._seen, Exception):
            raise self._seen
        assert self._seen is not None  # It is set before the first wait ends, and that one is without an end.
        return self._seen


class RoomWatching:
    """The watched rooms of this process."""

    def __init__(
        self, store: RoomStore, clock_ms: Callable[[], int], *, check_period_s: float, update_period_s: float
    ) -> None:
        self._store = store
        self._clock_ms = clock_ms
        self._check_period_s = check_period_s
        self._update_period_s = update_period_s
        self._watches: defaultdict[str, set[_Watch]] = defaultdict(set)
        self._rooms_of: defaultdict[str, list[str]] = defaultdict(list)
        """The rooms that a player watches, as often as streams do."""
        self._told: set[str] = set()
        self._wake = asyncio.Event()
        self._settled_at: dict[str, float] = {}

    def tell(self, room_ids: Iterable[str]) -> None:
        """Makes the streams of rooms look at once."""
        self._told.update(room_ids)
        self._wake.set()

    def tell_players(self, player_ids: Iterable[str]) -> None:
        """Makes the rooms that players watch find out at once what has become of their parties."""
        told = {room_id for player_id in player_ids for room_id in self._rooms_of.get(player_id, ())}
        for room_id in told:
            self._settled_at.pop(room_id, None)
        self.tell(told)

    async def watch(self, room_id: str, player_id: str) -> AsyncIterator[RoomView]:
        """Gives the room at once, at each change and every few seconds.

        Raises:
            NotFoundError: `ROOM_NOT_FOUND`: it has closed.
            ForbiddenError: `NOT_IN_ROOM`: the player has left it.
        """
        with self._watched(room_id, player_id) as watch:
            longest_s = None  # The first look waits until the room was read.
            while True:
                yield await watch.look(longest_s)
                longest_s = self._update_period_s

    async def run(self, settle: Callable[[SeenRoom, Iterable[str]], Awaitable[None]]) -> None:
        """Reads all watched rooms once a period, and in between those that something was told about.

        Args:
            settle: finds out what has become of a room, which these players watch, and changes it.
        """
        loop = asyncio.get_running_loop()
        all_due_at = loop.time()
        async with asyncio.TaskGroup() as group:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(all_due_at):
                        await self._wake.wait()
                self._wake.clear()
                told, self._told = self._told, set()
                if loop.time() >= all_due_at:
                    all_due_at = loop.time() + self._check_period_s
                    told = set(self._watches)
                for seen in await self._check([room_id for room_id in told if room_id in self._watches]):
                    if self._is_due(seen.room):
                        group.create_task(self._settle(settle, seen))

    async def _check(self, room_ids: list[str]) -> list[SeenRoom]:
        if not room_ids:
            return []
        now_ms = self._clock_ms()
        try:
            await self._store.touch(
                {one: {watch.player_id for watch in self._watches[one]} for one in room_ids}, now_ms
            )
            found = await self._store.read_all(room_ids)
        except Exception as error:  # noqa: BLE001 - the streams tell it
            _log.warning("rooms.unread", problem=repr(error))
            for room_id in room_ids:
                for watch in self._watches.get(room_id, ()):
                    watch.show(error)
            return []
        for room_id, seen in zip(room_ids, found, strict=True):
            for watch in self._watches.get(room_id, ()):
                watch.show(_shown(room_id, watch.player_id, seen, now_ms))
        return [seen for seen in found if seen is not None]

    def _is_due(self, room: Room) -> bool:
        """Whether the room is to be settled now: not more often than its streams are told."""
        now = asyncio.get_running_loop().time()
        if now < self._settled_at.get(room.room_id, 0.0):
            return False
        self._settled_at[room.room_id] = now + self._update_period_s
        return True

    async def _settle(self, settle: Callable[[SeenRoom, Iterable[str]], Awaitable[None]], seen: SeenRoom) -> None:
        try:
            await settle(seen, {watch.player_id for watch in self._watches.get(seen.room.room_id, ())})
        except Exception as error:  # noqa: BLE001 - it is tried again
            _log.warning("room.unsettled", room_id=seen.room.room_id, problem=repr(error))

    @contextmanager
    def _watched(self, room_id: str, player_id: str) -> Iterator[_Watch]:
        watch = _Watch(player_id)
        self._watches[room_id].add(watch)
        self._rooms_of[player_id].append(room_id)
        self.tell([room_id])
        try:
            yield watch
        finally:
            group = self._watches[room_id]
            group.discard(watch)
            self._rooms_of[player_id].remove(room_id)
            if not self._rooms_of[player_id]:
                del self._rooms_of[player_id]
            if not group:
                del self._watches[room_id]
                self._settled_at.pop(room_id, None)


def connected(watched_at_ms: Mapping[str, int], room: Room, now_ms: int) -> frozenset[str]:
    """Returns those of a room's people who watch it."""
    if room.state is RoomState.PLAYING:
        return frozenset()
    people = (person.player_id for person in room.people)
    return frozenset(one for one in people if now_ms <= watched_at_ms.get(one, 0) + CONNECTED_FOR_MS)


def _shown(room_id: str, player_id: str, seen: SeenRoom | None, now_ms: int) -> RoomView | Exception:
    if seen is None:
        return errors.room_not_found(room_id)
    if not seen.room.has(player_id):
        return errors.not_in_room(room_id)
    return RoomView(seen.room, connected(seen.watched_at_ms, seen.room, now_ms))
