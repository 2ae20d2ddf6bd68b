"""The wire of AdminService."""

from mahjong_kit.errors import InvalidRequestError
from mahjong_kit.fields import is_uuid
from mahjong_table.admin import Admin
from mahjong_table.errors import table_not_found
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1 import admin_service_pb2 as pb
from mahjongplanet.table.v1 import admin_service_pb2_grpc

_PAGE_MAX = 100


class AdminServicer(admin_service_pb2_grpc.AdminServiceServicer):
    """Answers the calls of AdminService."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    async def ListWorkers(self, request: pb.ListWorkersRequest, context: object) -> pb.ListWorkersResponse:
        return pb.ListWorkersResponse(workers=await self._admin.workers())

    async def ListShards(self, request: pb.ListShardsRequest, context: object) -> pb.ListShardsResponse:
        return pb.ListShardsResponse(shards=await self._admin.shards())

    async def ListTables(self, request: pb.ListTablesRequest, context: object) -> pb.ListTablesResponse:
        size = request.page_size or _PAGE_MAX
        if not 1 <= size <= _PAGE_MAX:
            raise InvalidRequestError(ErrorReason.ERROR_REASON_PAGE_SIZE_OUT_OF_RANGE, page_size=request.page_size)
        if request.page_token and not is_uuid(request.page_token):
            raise InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_PAGE_TOKEN)
        tables = await self._admin.tables(request.page_token, size + 1)
        token = tables[size - 1].table_id if len(tables) > size else ""
        return pb.ListTablesResponse(tables=tables[:size], next_page_token=token)

    async def DrainWorker(self, request: pb.DrainWorkerRequest, context: object) -> pb.DrainWorkerResponse:
        return pb.DrainWorkerResponse(shard_count=await self._admin.drain())

    async def GetTable(self, request: pb.GetTableRequest, context: object) -> pb.GetTableResponse:
        return await self._admin.table(_table_id(request.table_id), reveal=request.reveal)

    async def EndTable(self, request: pb.EndTableRequest, context: object) -> pb.EndTableResponse:
        await self._admin.end_table(_table_id(request.table_id))
        return pb.EndTableResponse()


def _table_id(table_id: str) -> str:
    if not is_uuid(table_id):
        raise table_not_found(table_id[:36])
    return table_id
