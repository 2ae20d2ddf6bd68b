"""Rooms as messages."""

from typing import Final

from mahjong_kit.times import timestamp
from mahjong_matchmaker.rooms.room import Person, Room, RoomState, Seat, Settings
from mahjong_matchmaker.rooms.watching import RoomView
from mahjongplanet.matchmaker.v1 import room_service_pb2 as pb

_STATES: Final = {
    RoomState.OPEN: pb.ROOM_STATE_OPEN,
    RoomState.STARTING: pb.ROOM_STATE_STARTING,
    RoomState.PLAYING: pb.ROOM_STATE_PLAYING,
    RoomState.QUEUED: pb.ROOM_STATE_QUEUED,
}


def room_to_proto(view: RoomView, link_token: str) -> pb.Room:
    """Returns what the people of a room see."""
    room = view.room
    return pb.Room(
        room_id=room.room_id,
        version=room.version,
        state=_STATES[room.state],
        settings=_settings(room.settings),
        seats=[_seat(seat, view) for seat in room.seats],
        host_player_id=room.host_id,
        invite=pb.Invite(code=room.code, link_token=link_token, expire_time=timestamp(room.invite_expires_at_ms)),
        create_time=timestamp(room.created_at_ms),
        table_id=room.table_id,
        match_id=room.match_id,
        match_count=room.match_count,
    )


def summary_of(room: Room) -> pb.RoomSummary:
    """Returns what strangers see."""
    host = next(person for person in room.people if person.player_id == room.host_id)
    return pb.RoomSummary(
        room_id=room.room_id,
        settings=_settings(room.settings),
        host_display_name=host.display_name,
        player_count=len(room.people),
        computer_count=len(room.seats) - len(room.people) - len(room.open_seats),
        open_seat_count=len(room.open_seats),
        create_time=timestamp(room.created_at_ms),
        state=_STATES[room.state],
    )


def _settings(settings: Settings) -> pb.RoomSettings:
    return pb.RoomSettings(
        rule_set=settings.rule_set,
        clock=settings.clock,
        length=settings.length,
        public=settings.public,
        seats_by_lot=settings.seats_by_lot,
    )


def _seat(seat: Seat, view: RoomView) -> pb.RoomSeat:
    if seat is None:
        return pb.RoomSeat()
    if not isinstance(seat, Person):
        return pb.RoomSeat(computer=seat)
    player = pb.RoomPlayer(
        player_id=seat.player_id,
        display_name=seat.display_name,
        ready=seat.ready or seat.player_id == view.room.host_id,
        connected=seat.player_id in view.connected,
    )
    return pb.RoomSeat(player=player)
