"""RoomService on the wire."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_uuid, checked_word
from mahjong_kit.paging import checked_page_size
from mahjong_kit.times import duration
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.rooms import room as rules
from mahjong_matchmaker.rooms.listing import Listing
from mahjong_matchmaker.rooms.room import Room, Settings
from mahjong_matchmaker.rooms.service import Invitation, RoomService, party_pool
from mahjong_matchmaker.rooms.watching import RoomView, RoomWatching
from mahjong_matchmaker.rooms.wire import room_to_proto, summary_of
from mahjong_matchmaker.servicer import authorization_of
from mahjong_matchmaker.waves import SEATS
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, MatchLength, RuleSet
from mahjongplanet.matchmaker.v1 import room_service_pb2 as pb
from mahjongplanet.matchmaker.v1.room_service_pb2_grpc import RoomServiceServicer

_CODE_MAX: Final = 32
_LINK_MAX: Final = 128


class RoomServicer(RoomServiceServicer):
    """Answers the calls of people in rooms."""

    def __init__(
        self,
        service: RoomService,
        watching: RoomWatching,
        listing: Listing,
        expected_wait_ms: Callable[[Pool], Awaitable[int]],
    ) -> None:
        self._service = service
        self._watching = watching
        self._listing = listing
        self._expected_wait_ms = expected_wait_ms

    async def CreateRoom(self, request: pb.CreateRoomRequest, context: object) -> pb.CreateRoomResponse:
        request_id = checked_uuid("request_id", request.request_id)
        settings = _checked_settings(request.settings)
        if len(request.computers) >= SEATS:
            raise invalid_field("computers", f"must be {SEATS - 1} at the most")
        computers = [_computer(f"computers[{index}]", level) for index, level in enumerate(request.computers)]
        room = await self._service.create(current_player(), request_id, settings, computers)
        return pb.CreateRoomResponse(room=await self._room(room))

    async def GetInvite(self, request: pb.GetInviteRequest, context: object) -> pb.GetInviteResponse:
        room = await self._service.find(current_player().player_id, _invitation(request))
        return pb.GetInviteResponse(room=summary_of(room))

    async def JoinRoom(self, request: pb.JoinRoomRequest, context: object) -> pb.JoinRoomResponse:
        room = await self._service.join(current_player(), _invitation(request))
        return pb.JoinRoomResponse(room=await self._room(room))

    async def LeaveRoom(self, request: pb.LeaveRoomRequest, context: object) -> pb.LeaveRoomResponse:
        await self._service.leave(current_player().player_id, checked_uuid("room_id", request.room_id))
        return pb.LeaveRoomResponse()

    async def GetMyRoom(self, request: pb.GetMyRoomRequest, context: object) -> pb.GetMyRoomResponse:
        return pb.GetMyRoomResponse(room=await self._room(await self._service.mine(current_player().player_id)))

    async def WatchRoom(self, request: pb.WatchRoomRequest, context: object) -> AsyncIterator[pb.WatchRoomResponse]:
        room_id, player_id = checked_uuid("room_id", request.room_id), current_player().player_id
        await self._service.member(player_id, room_id)
        async with aclosing(self._watching.watch(room_id, player_id)) as views:  # type: ignore[type-var]
            async for view in views:
                yield pb.WatchRoomResponse(room=self._view(view))

    async def ListRooms(self, request: pb.ListRoomsRequest, context: object) -> pb.ListRoomsResponse:
        size = checked_page_size(request.page_size)
        if request.rule_set:
            checked_word("rule_set", RuleSet, request.rule_set)
        rooms, token = await self._listing.page(request.rule_set, size, request.page_token)
        return pb.ListRoomsResponse(rooms=map(summary_of, rooms), next_page_token=token)

    async def UpdateRoom(self, request: pb.UpdateRoomRequest, context: object) -> pb.UpdateRoomResponse:
        settings = _checked_settings(request.settings)
        room = await self._change(request.room_id, lambda one, player: rules.with_settings(one, player, settings))
        return pb.UpdateRoomResponse(room=room)

    async def SetRoomSeat(self, request: pb.SetRoomSeatRequest, context: object) -> pb.SetRoomSeatResponse:
        seat, computer = _seat(request.seat), _computer("computer", request.computer)
        room = await self._change(request.room_id, lambda one, player: rules.with_computer(one, player, seat, computer))
        return pb.SetRoomSeatResponse(room=room)

    async def MoveToSeat(self, request: pb.MoveToSeatRequest, context: object) -> pb.MoveToSeatResponse:
        seat = _seat(request.seat)
        room = await self._change(request.room_id, lambda one, player: rules.moved(one, player, seat))
        return pb.MoveToSeatResponse(room=room)

    async def SetReady(self, request: pb.SetReadyRequest, context: object) -> pb.SetReadyResponse:
        room = await self._change(
            request.room_id, lambda one, player: rules.with_ready(one, player, ready=request.ready)
        )
        return pb.SetReadyResponse(room=room)

    async def KickFromRoom(self, request: pb.KickFromRoomRequest, context: object) -> pb.KickFromRoomResponse:
        kicked = checked_uuid("player_id", request.player_id)
        room = await self._change(request.room_id, lambda one, player: rules.kicked(one, player, kicked))
        return pb.KickFromRoomResponse(room=room)

    async def RenewInvite(self, request: pb.RenewInviteRequest, context: object) -> pb.RenewInviteResponse:
        room_id = checked_uuid("room_id", request.room_id)
        room = await self._service.renew_invite(current_player().player_id, room_id)
        return pb.RenewInviteResponse(room=await self._room(room))

    async def StartRoom(self, request: pb.StartRoomRequest, context: object) -> pb.StartRoomResponse:
        request_id = checked_uuid("request_id", request.request_id)
        room_id, fill = checked_uuid("room_id", request.room_id), _computer("fill", request.fill)
        room = await self._service.start(current_player().player_id, room_id, request_id, fill)
        return pb.StartRoomResponse(room=await self._room(room))

    async def QueueRoom(self, request: pb.QueueRoomRequest, context: object) -> pb.QueueRoomResponse:
        request_id = checked_uuid("request_id", request.request_id)
        room_id = checked_uuid("room_id", request.room_id)
        room = await self._service.queue(current_player().player_id, room_id, request_id, authorization_of(context))
        expected = duration(await self._expected_wait_ms(party_pool(room)))
        return pb.QueueRoomResponse(room=await self._room(room), expected_wait_duration=expected)

    async def _change(self, room_id: str, rule: Callable[[Room, str], Room]) -> pb.Room:
        """Lets the caller change a room by a rule of the room and the caller's id."""
        player_id = current_player().player_id
        checked_uuid("room_id", room_id)
        return await self._room(await self._service.change(player_id, room_id, lambda room: rule(room, player_id)))

    async def _room(self, room: Room) -> pb.Room:
        return self._view(await self._service.view(room))

    def _view(self, view: RoomView) -> pb.Room:
        return room_to_proto(view, self._service.link(view.room))


def _checked_settings(settings: pb.RoomSettings) -> Settings:
    checked_word("settings.rule_set", RuleSet, settings.rule_set)
    checked_word("settings.clock", Clock, settings.clock)
    checked_word("settings.length", MatchLength, settings.length)
    return Settings(
        settings.rule_set, settings.clock, settings.length, public=settings.public, seats_by_lot=settings.seats_by_lot
    )


def _computer(field: str, level: ComputerLevel.ValueType) -> ComputerLevel.ValueType | None:
    if level == ComputerLevel.COMPUTER_LEVEL_UNSPECIFIED:
        return None
    checked_word(field, ComputerLevel, level)
    return level


def _seat(seat: int) -> int:
    if not 0 <= seat < SEATS:
        raise invalid_field("seat", f"must be 0-{SEATS - 1}")
    return seat


def _invitation(request: pb.GetInviteRequest | pb.JoinRoomRequest) -> Invitation:
    match request.WhichOneof("invite"):
        case "code":
            return Invitation(code=_text("code", request.code, _CODE_MAX))
        case "link_token":
            return Invitation(link_token=_text("link_token", request.link_token, _LINK_MAX))
        case "room_id" if isinstance(request, pb.JoinRoomRequest):
            return Invitation(room_id=checked_uuid("room_id", request.room_id))
        case _:
            raise invalid_field("invite", "not stated")


def _text(field: str, text: str, longest: int) -> str:
    if not 1 <= len(text) <= longest:
        raise invalid_field(field, f"must be 1-{longest} characters")
    return text
