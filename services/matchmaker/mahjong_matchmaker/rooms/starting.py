"""From an open room to its table, and back when the match is over or nothing has come of it."""

from collections.abc import Callable
from typing import Final

import grpc

from mahjong_kit.errors import reason_of
from mahjong_kit.forwarding import forwarded
from mahjong_kit.log import get_logger
from mahjong_matchmaker.rooms import errors
from mahjong_matchmaker.rooms import room as rules
from mahjong_matchmaker.rooms.changing import Rooms
from mahjong_matchmaker.rooms.room import Room, RoomState
from mahjong_matchmaker.tables import SEATED, Tables
from mahjong_matchmaker.ticket import TicketState
from mahjong_matchmaker.ticket_store import TicketStore
from mahjongplanet.table.v1.table_service_pb2 import CreateTableRequest

_WITHOUT_TABLE: Final = frozenset(
    {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION}
)
"""Codes by which the table service says that no table was made."""
_ABANDONED_AFTER_MS: Final = 5_000
"""After how long others take a start up: whoever began it has died, or waits for a table service that is away."""

_log = get_logger()


class Starting:
    """Makes the tables of rooms and finds out what has become of matches and parties."""

    def __init__(self, rooms: Rooms, tables: Tables, tickets: TicketStore, clock_ms: Callable[[], int]) -> None:
        self._rooms = rooms
        self._tables = tables
        self._tickets = tickets
        self._clock_ms = clock_ms

    async def make_table(self, room: Room) -> Room | None:
        """Makes the table of a room that is STARTING; a second call comes to the same table.

        Raises:
            RuleViolationError: `PLAYER_BUSY`; the room is open again.
            ServiceError: what the table service says; the room is open again if it has certainly made no table.
        """
        request = CreateTableRequest.FromString(bytes.fromhex(room.plan))
        try:
            table_id = await self._tables.create_now(request)
        except grpc.aio.AioRpcError as error:
            if reason_of(error) not in SEATED:
                if error.code() in _WITHOUT_TABLE:
                    await self._reopen(room)
                raise forwarded(error, "table") from error
            table_id = await self._own_table(room, request.match_id)
        _log.info("room.seated", room_id=room.room_id, match_id=request.match_id, table_id=table_id)
        return await self._play(room, request.match_id, table_id)

    async def settle(self, room: Room) -> Room | None:
        """Returns the room after what has become of its match, its party or its start; None if it has closed meanwhile.

        Raises:
            ServiceError: the table service does not answer.
        """
        try:
            match room.state:
                case RoomState.OPEN:
                    return room
                case RoomState.STARTING:
                    is_abandoned = self._clock_ms() >= room.changed_at_ms + _ABANDONED_AFTER_MS
                    return await self.make_table(room) if is_abandoned else room
                case RoomState.PLAYING:
                    return room if await self._is_played(room) else await self._reopen(room, forget_request=False)
                case RoomState.QUEUED:
                    return await self._settle_party(room)
        except grpc.aio.AioRpcError as error:
            raise forwarded(error, "table") from error

    async def playing_elsewhere(self, room: Room) -> list[str]:
        """Returns those of an open room's people who sit at a table.

        While the table service does not answer that is nobody: it finds them out when their party's table is made.
        """
        try:
            return list(await self._tables.find_all(one.player_id for one in room.people))
        except grpc.aio.AioRpcError as error:
            _log.warning("seats.unchecked", code=error.code().name, problem=error.details())
            return []

    async def _settle_party(self, room: Room) -> Room | None:
        ticket = await self._tickets.newest(room.host_id)
        if ticket is None or not rules.is_queued_by(room, ticket):
            return await self._reopen(room)
        if ticket.state is TicketState.MATCHED:
            return await self._play(room, ticket.match_id, ticket.table_id)
        return room if ticket.state.is_live else await self._reopen(room)

    async def _is_played(self, room: Room) -> bool:
        for person in room.people:
            table = await self._tables.find(person.player_id)
            if table is not None and table.match_id == room.match_id:
                return True
        return False

    async def _own_table(self, room: Room, match_id: str) -> str:
        """Returns the table of the match if it was made and not told; else somebody sits at another one."""
        seated = await self._tables.find_all(one.player_id for one in room.people)
        own = next((table.table_id for table in seated.values() if table.match_id == match_id), None)
        if own is None:
            await self._reopen(room)
            raise errors.player_busy(room.room_id, seated)
        return own

    async def _play(self, room: Room, match_id: str, table_id: str) -> Room | None:
        now_ms = self._clock_ms()
        return await self._go_on(room, lambda current: rules.playing(current, match_id, table_id, now_ms))

    async def _reopen(self, room: Room, *, forget_request: bool = True) -> Room | None:
        now_ms = self._clock_ms()
        return await self._go_on(room, lambda current: rules.reopened(current, now_ms, forget_request=forget_request))

    async def _go_on(self, room: Room, step: Callable[[Room], Room]) -> Room | None:
        """Takes a step from the state that the room was read in, unless somebody else has taken it."""
        seen = (room.state, room.changed_at_ms, room.request_id)

        def rule(current: Room) -> Room:
            return step(current) if (current.state, current.changed_at_ms, current.request_id) == seen else current

        return await self._rooms.change(room.room_id, rule)
