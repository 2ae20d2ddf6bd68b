"""Rooms in Redis: read as a whole, changed as a whole if nobody else has changed them meanwhile."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

import redis.asyncio

from mahjong_matchmaker import keys
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.rooms.room import Room, RoomState
from mahjong_matchmaker.scripts import Scripts

OPEN_KEPT_S: Final = 3600
"""How long a room is kept that nobody watches and nobody changes."""
BUSY_KEPT_S: Final = 86_400
"""The same while its match is played or made, or it is queued; also for how long an invite leads to it."""


class RoomOutcome(StrEnum):
    """What became of a change."""

    DONE = "done"
    STALE = "stale"
    """Somebody else was first: read again."""
    BUSY = "busy"
    """Somebody has a live ticket."""
    NEW = "new"
    KNOWN = "known"
    """The request came before."""
    TAKEN = "taken"
    """The invite code is in use."""


@dataclass(frozen=True, slots=True)
class SeenRoom:
    """A room and when its people last watched it."""

    room: Room
    watched_at_ms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class KnownRequest:
    """A request for a room that came before."""

    room_id: str
    wish: str
    """What it was for, in the form in which the service compares it; empty if an earlier release has kept it."""


@dataclass(frozen=True, slots=True)
class PartyMember:
    """Somebody of a party, with the ticket that they shall have."""

    ticket_id: str
    player_id: str
    display_name: str
    rating: int


class RoomStore:
    """Reads and changes rooms; each change is one atomic script."""

    def __init__(self, client: redis.asyncio.Redis, *, unwatched_after_ms: int) -> None:
        self._client = client
        self._scripts = Scripts(client)
        self._unwatched_after_ms = unwatched_after_ms

    async def read(self, room_id: str) -> Room | None:
        """Returns a room; None if there is none."""
        text: Any = await self._client.hget(keys.room(room_id), "room")
        return None if text is None else Room.from_json(text)

    async def read_all(self, room_ids: Sequence[str]) -> list[SeenRoom | None]:
        """Returns rooms in the order asked, in one round trip."""
        async with self._client.pipeline(transaction=False) as pipeline:
            for room_id in room_ids:
                pipeline.hget(keys.room(room_id), "room")
                pipeline.hgetall(keys.room_watchers(room_id))
            found: Any = await pipeline.execute()
        return [_seen(text, watchers) for text, watchers in zip(found[::2], found[1::2], strict=True)]

    async def room_of(self, player_id: str) -> tuple[Room | None, str]:
        """Returns the room that a player is in, and what the store has written about it."""
        pointer: Any = await self._client.get(keys.player_room(player_id))
        if pointer is None:
            return None, ""
        room = await self.read(pointer.decode())
        return (room if room is not None and room.has(player_id) else None), pointer.decode()

    async def find_invite(self, code: str) -> str | None:
        """Returns the id of the room that a code was given to of late; None if it was given to none."""
        room_id: Any = await self._client.get(keys.invite(code))
        return None if room_id is None else str(room_id.decode())

    async def known_request(self, player_id: str, request_id: str) -> KnownRequest | None:
        """Returns what is known of a request that has opened a room before."""
        request = keys.room_request(player_id, request_id)
        found: Any = await self._client.mget(request, keys.room_wish(player_id, request_id))
        room_id, wish = found
        return None if room_id is None else KnownRequest(room_id.decode(), (wish or b"").decode())

    async def create(
        self, room: Room, request_id: str, wish: str, old_pointer: str
    ) -> tuple[RoomOutcome, KnownRequest]:
        """Opens a room for its host; returns the outcome and what is known of the request."""
        names = [
            keys.room_request(room.host_id, request_id),
            keys.room(room.room_id),
            keys.invite(room.code),
            keys.room_watchers(room.room_id),
            keys.PUBLIC_ROOMS,
            keys.player_room(room.host_id),
            keys.room_wish(room.host_id, request_id),
        ]
        arguments: list[str | int | bytes] = [
            room.to_json(),
            room.room_id,
            room.version,
            OPEN_KEPT_S,
            BUSY_KEPT_S,
            _place(room),
            room.host_id,
            old_pointer,
            room.created_at_ms,
            wish,
        ]
        outcome, room_id, known_wish = await self._scripts.run("room_create", names, arguments)
        return RoomOutcome(outcome.decode()), KnownRequest(room_id.decode(), known_wish.decode())

    async def change(
        self,
        before: Room,
        after: Room | None,
        now_ms: int,
        *,
        old_pointers: Mapping[str, str] | None = None,
        idle: Sequence[str] = (),
    ) -> tuple[RoomOutcome, int]:
        """Puts a room in the place of what it was; None closes it.

        Args:
            before: the room as it was read.
            after: the room as it shall be; its version is counted up here.
            now_ms: the time, in milliseconds since the epoch.
            old_pointers: for each player who comes, what the store says about their room, which they are not in.
            idle: players who must have no live ticket.

        Returns:
            The outcome, and with BUSY the place of the player in `idle`.
        """
        come = list((old_pointers or {}).items())
        go = [one.player_id for one in before.people if after is None or not after.has(one.player_id)]
        names = [
            keys.room(before.room_id),
            keys.room_watchers(before.room_id),
            keys.PUBLIC_ROOMS,
            keys.invite((after or before).code),
            *(keys.player_room(player_id) for player_id, _ in come),
            *map(keys.player_room, go),
            *map(keys.ticket, idle),
        ]
        arguments: list[str | int | bytes] = [
            *_versions(before, after),
            before.room_id,
            _kept_s(after),
            BUSY_KEPT_S,
            "" if after is None else _place(after),
            now_ms,
            len(come),
            len(go),
            *(word for pair in come for word in pair),
        ]
        return _outcome(await self._scripts.run("room_change", names, arguments))

    async def queue(
        self, before: Room, after: Room, pool: Pool, members: Sequence[PartyMember], now_ms: int
    ) -> tuple[RoomOutcome, int]:
        """Queues the people of a room as a party; the outcome is as that of `change`."""
        names = [
            keys.room(before.room_id),
            keys.room_watchers(before.room_id),
            keys.PUBLIC_ROOMS,
            keys.queue(pool),
            keys.expiry(pool),
            keys.SEQUENCE,
            *(keys.ticket(one.player_id) for one in members),
            *(keys.met(one.player_id) for one in members),
        ]
        arguments: list[str | int | bytes] = [
            *_versions(before, after),
            before.room_id,
            _kept_s(after),
            pool.name,
            now_ms,
            now_ms + self._unwatched_after_ms,
            ",".join(one.player_id for one in members),
        ]
        for one in members:
            arguments += one.ticket_id, one.player_id, one.display_name, one.rating
        return _outcome(await self._scripts.run("queue_party", names, arguments))

    async def touch(self, watching: Mapping[str, Iterable[str]], now_ms: int) -> None:
        """Writes down who watches which room now, and keeps the rooms from expiring soon."""
        async with self._client.pipeline(transaction=False) as pipeline:
            for room_id, player_ids in watching.items():
                pipeline.hset(keys.room_watchers(room_id), mapping=dict.fromkeys(player_ids, now_ms))
                pipeline.expire(keys.room_watchers(room_id), OPEN_KEPT_S)
                pipeline.expire(keys.room(room_id), OPEN_KEPT_S, gt=True)  # Those that play or queue live longer.
            await pipeline.execute()

    async def public(self, below: str, count: int) -> list[tuple[str, float]]:
        """Returns ids and places of rooms in the list, newest first, those below a place."""
        found: Any = await self._client.zrevrangebyscore(
            keys.PUBLIC_ROOMS, below, "-inf", start=0, num=count, withscores=True
        )
        return [(room_id.decode(), float(place)) for room_id, place in found]

    async def unlist(self, room_ids: Sequence[str]) -> None:
        """Takes rooms out of the list that have expired."""
        await self._client.zrem(keys.PUBLIC_ROOMS, *room_ids)


def _seen(text: bytes | None, watchers: Mapping[bytes, bytes]) -> SeenRoom | None:
    if text is None:
        return None
    return SeenRoom(Room.from_json(text), {player.decode(): int(time) for player, time in watchers.items()})


def _versions(before: Room, after: Room | None) -> list[str | int | bytes]:
    if after is None:
        return [before.version, b"", 0]
    version = before.version + 1
    return [before.version, replace(after, version=version).to_json(), version]


def _kept_s(room: Room | None) -> int:
    return OPEN_KEPT_S if room is None or room.state is RoomState.OPEN else BUSY_KEPT_S


def _place(room: Room) -> str:
    """Returns the room's place in the list, unlike that of any other; an empty text if it is not listed."""
    return str(room.created_at_ms * 1000 + int(room.room_id[:8], 16) % 1000) if room.is_listed else ""


def _outcome(answer: Sequence[Any]) -> tuple[RoomOutcome, int]:
    outcome, number = answer
    return RoomOutcome(outcome.decode()), int(number)
