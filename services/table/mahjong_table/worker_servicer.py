"""The wire of WorkerService: the workers among themselves, and gateways that look for an owner or watch for many."""

from collections.abc import AsyncIterator, Iterable

from mahjong_kit.errors import invalid_field
from mahjong_table.holder import Holder
from mahjong_table.keeper import Keeper
from mahjong_table.shards import SHARD_COUNT
from mahjong_table.shared import SharedStreams
from mahjongplanet.table.v1 import worker_service_pb2 as pb
from mahjongplanet.table.v1 import worker_service_pb2_grpc


class WorkerServicer(worker_service_pb2_grpc.WorkerServiceServicer):
    """Answers the calls of WorkerService."""

    def __init__(self, holder: Holder, keeper: Keeper, streams: SharedStreams) -> None:
        self._holder = holder
        self._keeper = keeper
        self._streams = streams

    async def LocateShards(self, request: pb.LocateShardsRequest, context: object) -> pb.LocateShardsResponse:
        owners = await self._holder.locate()
        workers = [pb.WorkerShards(address=address, shards=shards) for address, shards in owners.items()]
        return pb.LocateShardsResponse(workers=workers)

    async def PrepareShards(self, request: pb.PrepareShardsRequest, context: object) -> pb.PrepareShardsResponse:
        await self._keeper.build_ahead(_checked(request.shards))
        return pb.PrepareShardsResponse()

    async def TakeShards(self, request: pb.TakeShardsRequest, context: object) -> pb.TakeShardsResponse:
        return pb.TakeShardsResponse(shards=await self._holder.take(_checked(request.shards)))

    async def WatchTables(
        self, request: AsyncIterator[pb.WatchTablesRequest], context: object
    ) -> AsyncIterator[pb.WatchTablesResponse]:
        async for response in self._streams.responses(request):
            yield response


def _checked(shards: Iterable[int]) -> list[int]:
    checked = list(shards)
    if any(not 0 <= shard < SHARD_COUNT for shard in checked):
        raise invalid_field("shards", f"not 0 to {SHARD_COUNT - 1}")
    return checked
