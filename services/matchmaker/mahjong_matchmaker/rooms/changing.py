"""Changes rooms: reads, lets a rule of room.py decide, writes, and begins again if somebody else was first."""

from collections.abc import Callable, Iterable
from typing import Final

from mahjong_kit.errors import UnavailableError
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.rooms import errors
from mahjong_matchmaker.rooms.room import Room
from mahjong_matchmaker.rooms.store import PartyMember, RoomOutcome, RoomStore
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

ATTEMPTS: Final = 50
"""Four people and their streams change a room; who was not first so often tells that the store is overrun."""

Rule = Callable[[Room], Room | None]
"""From a room to what becomes of it; None closes it, the same room leaves it. Raises what keeps it from happening."""


class Rooms:
    """The rooms, one change after the other."""

    def __init__(self, store: RoomStore, clock_ms: Callable[[], int], tell: Callable[[Iterable[str]], None]) -> None:
        self._store = store
        self._clock_ms = clock_ms
        self._tell = tell
        """Tells the watchers of rooms that something has changed."""

    async def get(self, room_id: str) -> Room:
        """Returns a room.

        Raises:
            NotFoundError: `ROOM_NOT_FOUND`.
        """
        room = await self._store.read(room_id)
        if room is None:
            raise errors.room_not_found(room_id)
        return room

    async def change(
        self, room_id: str, rule: Rule, *, comer: str | None = None, are_idle: bool = False
    ) -> Room | None:
        """Lets a rule change a room; returns the room as it is then, None if it is closed.

        Args:
            room_id: the room.
            rule: what shall happen; it may be asked several times.
            comer: the player who comes into the room, and must be in no other one.
            are_idle: whether it may happen only while nobody of the room has a live ticket.

        Raises:
            NotFoundError: `ROOM_NOT_FOUND`.
            AlreadyExistsError: `ALREADY_IN_ROOM`.
            RuleViolationError: `PLAYER_BUSY`.
        """
        for _ in range(ATTEMPTS):
            before = await self.get(room_id)
            pointers = {} if comer is None else {comer: await self._pointer(comer, room_id)}
            after = rule(before)
            if after is before:
                return before
            idle = [one.player_id for one in before.people] if are_idle else []
            outcome, number = await self._store.change(
                before, after, self._clock_ms(), old_pointers=pointers, idle=idle
            )
            if outcome is RoomOutcome.BUSY:
                raise errors.player_busy(room_id, [idle[number - 1]])
            if outcome is RoomOutcome.DONE:
                self._tell([room_id])
                return after and await self._store.read(room_id)
        raise overrun()

    async def queue(self, before: Room, after: Room, pool: Pool, members: list[PartyMember]) -> bool:
        """Queues the people of a room as a party; False if the room has changed meanwhile.

        Raises:
            RuleViolationError: `PLAYER_BUSY`.
        """
        outcome, number = await self._store.queue(before, after, pool, members, self._clock_ms())
        if outcome is RoomOutcome.BUSY:
            raise errors.player_busy(before.room_id, [members[number - 1].player_id])
        self._tell([before.room_id])
        return outcome is RoomOutcome.DONE

    async def _pointer(self, player_id: str, room_id: str) -> str:
        room, pointer = await self._store.room_of(player_id)
        if room is not None and room.room_id != room_id:
            raise errors.already_in_room(room.room_id)
        return pointer


def overrun() -> UnavailableError:
    """Returns the error of a change that was never first."""
    return UnavailableError(ErrorReason.ERROR_REASON_STORE_UNREACHABLE, store="redis")
