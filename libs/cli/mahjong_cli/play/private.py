"""Private tables: opens or enters a room, gets ready, and says when there is a table to play at, match after match."""

import uuid
from collections.abc import AsyncIterator, Callable
from typing import Final

import grpc

from mahjong_cli.play.lobby import NotSeatedError
from mahjong_cli.play.patience import Patience
from mahjong_cli.play.session import Session
from mahjong_kit.errors import reason_of
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import room_service_pb2 as pb

_NOT_YET: Final = frozenset(
    {"ERROR_REASON_ROOM_NOT_OPEN", "ERROR_REASON_PLAYERS_NOT_READY", "ERROR_REASON_PLAYER_BUSY"}
)
"""Somebody was faster, or is not back from the last match: the room's stream tells when to try again."""


async def open_room(
    session: Session, settings: pb.RoomSettings, computers: list[terms.ComputerLevel.ValueType]
) -> pb.Room:
    """Opens a room with the player as its host, with computers on its last seats; or returns the one they are in."""
    seats = [terms.COMPUTER_LEVEL_UNSPECIFIED] * (3 - len(computers)) + computers
    request = pb.CreateRoomRequest(request_id=str(uuid.uuid4()), settings=settings, computers=seats)
    return await _enter(session, session.rooms.CreateRoom, request)


async def join_room(session: Session, code: str) -> pb.Room:
    """Enters the room of an invite code; or returns the one that the player is in."""
    return await _enter(session, session.rooms.JoinRoom, pb.JoinRoomRequest(code=code))


def matches_before(room: pb.Room) -> int:
    """Returns how many matches of a room the player has not to play any more: it may have come back to one."""
    return room.match_count - (room.state == pb.ROOM_STATE_PLAYING)


async def next_match(
    session: Session, room: pb.Room, before: int, show: Callable[[pb.Room], None], *, hosts: bool
) -> pb.Room:
    """Gets ready, starts the match if the player is the host, and returns the room at its next table.

    The host starts as soon as no seat is open and everybody is ready.

    Args:
        session: the player.
        room: the room.
        before: how many of its matches are over.
        show: is told the room at each change.
        hosts: whether the player has opened the room.

    Raises:
        NotSeatedError: the host has gone.
    """
    request_id, patience = str(uuid.uuid4()), Patience()
    while True:
        try:
            async for current in _watch(session, room.room_id):
                patience.renew()
                show(current)
                if current.state == pb.ROOM_STATE_PLAYING and current.match_count > before:
                    return current
                if current.state == pb.ROOM_STATE_OPEN:
                    is_host = current.host_player_id == session.profile.player_id
                    if is_host and not hosts:
                        raise NotSeatedError("the host has left the room")
                    await (_start(session, current, request_id) if is_host else _get_ready(session, current))
        except grpc.aio.AioRpcError as error:
            await patience.wait_after(error)


async def leave_room(session: Session, room: pb.Room) -> None:
    """Leaves the room."""
    await session.call(session.rooms.LeaveRoom, pb.LeaveRoomRequest(room_id=room.room_id))


async def _enter(session: Session, method: Callable[..., object], request: object) -> pb.Room:
    try:
        return (await session.call(method, request)).room  # type: ignore[arg-type]
    except grpc.aio.AioRpcError as error:
        if reason_of(error) != "ERROR_REASON_ALREADY_IN_ROOM":
            raise
    return (await session.call(session.rooms.GetMyRoom, pb.GetMyRoomRequest())).room


async def _start(session: Session, room: pb.Room, request_id: str) -> None:
    occupants = [seat.WhichOneof("occupant") for seat in room.seats]
    if None in occupants or not all(seat.player.ready for seat in room.seats if seat.HasField("player")):
        return
    try:
        await session.call(session.rooms.StartRoom, pb.StartRoomRequest(request_id=request_id, room_id=room.room_id))
    except grpc.aio.AioRpcError as error:
        if reason_of(error) not in _NOT_YET:
            raise


async def _get_ready(session: Session, room: pb.Room) -> None:
    own = next((seat.player for seat in room.seats if seat.player.player_id == session.profile.player_id), None)
    if own is None or own.ready:
        return
    try:
        await session.call(session.rooms.SetReady, pb.SetReadyRequest(room_id=room.room_id, ready=True))
    except grpc.aio.AioRpcError as error:
        if reason_of(error) not in _NOT_YET:
            raise


async def _watch(session: Session, room_id: str) -> AsyncIterator[pb.Room]:
    call = session.rooms.WatchRoom(pb.WatchRoomRequest(room_id=room_id), metadata=await session.metadata())
    try:
        async for update in call:
            yield update.room
    finally:
        call.cancel()
