"""The wire of the table service: requests to values, values to responses."""

from collections.abc import AsyncIterator

from mahjong_engine.wall import NONCE_SIZE
from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_uuid
from mahjong_table.service import TableService
from mahjong_table.wire.request import checked_table_id, checked_watch
from mahjong_table.wire.terms import terms_from_proto
from mahjong_wire.action import action_from_proto
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2_grpc

_DECISION_ID_MAX = 32
_ECHO_ID_MAX = 32


class TableServicer(table_service_pb2_grpc.TableServiceServicer):
    """Answers the calls of TableService."""

    def __init__(self, tables: TableService) -> None:
        self._tables = tables

    async def CreateTable(self, request: pb.CreateTableRequest, context: object) -> pb.CreateTableResponse:
        table_id = await self._tables.create_table(terms_from_proto(request))
        return pb.CreateTableResponse(table_id=table_id)

    async def GetPlayerTable(self, request: pb.GetPlayerTableRequest, context: object) -> pb.GetPlayerTableResponse:
        seated = await self._tables.table_of_player(checked_uuid("player_id", request.player_id))
        return pb.GetPlayerTableResponse(table_id=seated.table_id, match_id=seated.match_id)

    async def GetMyTable(self, request: pb.GetMyTableRequest, context: object) -> pb.GetMyTableResponse:
        seated = await self._tables.table_of_player(current_player().player_id)
        return pb.GetMyTableResponse(table_id=seated.table_id, match_id=seated.match_id)

    async def WatchTable(self, request: pb.WatchTableRequest, context: object) -> AsyncIterator[pb.WatchTableResponse]:
        checked_watch(request)
        player_id = current_player().player_id
        async for response in self._tables.watch(player_id, request.table_id, request.epoch, request.after_sequence):
            yield response

    async def SubmitAction(self, request: pb.SubmitActionRequest, context: object) -> pb.SubmitActionResponse:
        checked_uuid("request_id", request.request_id)
        if not 1 <= len(request.decision_id) <= _DECISION_ID_MAX:
            raise invalid_field("decision_id", f"not 1 to {_DECISION_ID_MAX} characters")
        checked_table_id(request.table_id)
        if not request.HasField("action"):
            raise invalid_field("action", "not stated")
        action = action_from_proto(request.action)
        sequence = await self._tables.submit_action(current_player().player_id, request, action)
        return pb.SubmitActionResponse(sequence=sequence)

    async def SubmitNonce(self, request: pb.SubmitNonceRequest, context: object) -> pb.SubmitNonceResponse:
        if len(request.nonce) != NONCE_SIZE:
            raise invalid_field("nonce", f"not {NONCE_SIZE} bytes")
        table_id = checked_table_id(request.table_id)
        await self._tables.submit_nonce(current_player().player_id, table_id, request.nonce)
        return pb.SubmitNonceResponse()

    async def ConfirmResult(self, request: pb.ConfirmResultRequest, context: object) -> pb.ConfirmResultResponse:
        if request.hand_number < 0:
            raise invalid_field("hand_number", "is negative")
        table_id = checked_table_id(request.table_id)
        await self._tables.confirm_result(current_player().player_id, table_id, request.hand_number)
        return pb.ConfirmResultResponse()

    async def EchoHeartbeat(self, request: pb.EchoHeartbeatRequest, context: object) -> pb.EchoHeartbeatResponse:
        if not 1 <= len(request.echo_id) <= _ECHO_ID_MAX:
            raise invalid_field("echo_id", f"not 1 to {_ECHO_ID_MAX} characters")
        table_id = checked_table_id(request.table_id)
        await self._tables.echo_heartbeat(current_player().player_id, table_id, request.echo_id)
        return pb.EchoHeartbeatResponse()

    async def LeavePractice(self, request: pb.LeavePracticeRequest, context: object) -> pb.LeavePracticeResponse:
        await self._tables.leave_practice(current_player().player_id, checked_table_id(request.table_id))
        return pb.LeavePracticeResponse()
