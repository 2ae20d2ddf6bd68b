"""Services behind the gateway that do what tests tell them; on the wire they are real."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from typing_extensions import override

from mahjong_kit.call import current_request_id
from mahjong_kit.errors import ServiceError, error_status
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server, serving
from mahjongplanet.replay.v1.replay_service_pb2 import GetHandRecordResponse
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceServicer
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1 import worker_service_pb2 as workers_pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceServicer
from mahjongplanet.table.v1.worker_service_pb2_grpc import WorkerServiceServicer
from tests.kit.serving import plain_settings
from tests.kit.tokens import TokenIssuer


class Tables(TableServiceServicer):
    """Answers as `act` says; streams what is put into `sent`."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.request_ids: list[str] = []
        self.metadata: list[dict[str, str]] = []
        self.act: Callable[[], Awaitable[None]] | None = None
        """Runs before SubmitAction is answered; what it raises is the answer."""
        self.sent: asyncio.Queue[pb.WatchTableResponse | Exception | None] = asyncio.Queue()
        """What WatchTable sends next; None ends the stream."""
        self.flood_bytes = 0
        """If not 0, WatchTable sends messages of this size without end."""
        self.flooded = 0
        self.watching = 0
        self.unwatched = asyncio.Event()
        """Set whenever a WatchTable has ended."""

    @override
    async def SubmitAction(self, request: pb.SubmitActionRequest, context: Any) -> pb.SubmitActionResponse:
        self.requests.append(request)
        self.request_ids.append(current_request_id())
        self.metadata.append(dict(context.invocation_metadata()))
        if self.act is not None:
            await self.act()
        return pb.SubmitActionResponse(sequence=len(self.requests))

    @override
    async def WatchTable(self, request: pb.WatchTableRequest, context: Any) -> AsyncIterator[pb.WatchTableResponse]:
        self.watching += 1
        try:
            while self.flood_bytes:
                self.flooded += 1
                yield flood(self.flooded, self.flood_bytes)
            while (sent := await self.sent.get()) is not None:
                if isinstance(sent, Exception):
                    raise sent
                yield sent
        finally:
            self.watching -= 1
            self.unwatched.set()


class Workers(WorkerServiceServicer):
    """Carries the WatchTable of a fake's players over shared streams."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.streams = 0
        self.openings: list[workers_pb.WatchOpening] = []

    @override
    async def LocateShards(
        self, request: workers_pb.LocateShardsRequest, context: Any
    ) -> workers_pb.LocateShardsResponse:
        return workers_pb.LocateShardsResponse()

    @override
    async def WatchTables(
        self, request: AsyncIterator[workers_pb.WatchTablesRequest], context: Any
    ) -> AsyncIterator[workers_pb.WatchTablesResponse]:
        parts: asyncio.Queue[workers_pb.WatchPart] = asyncio.Queue(1)
        watches: dict[int, asyncio.Task[None]] = {}
        self.streams += 1
        reading = asyncio.create_task(self._read(request, watches, parts))
        try:
            while True:
                yield workers_pb.WatchTablesResponse(parts=[await parts.get()])
        finally:
            self.streams -= 1
            for task in (reading, *watches.values()):
                task.cancel()

    async def _read(self, requests: Any, watches: dict[int, asyncio.Task[None]], parts: Any) -> None:
        async for request in requests:
            for opening in request.openings:
                self.openings.append(opening)
                watches[opening.watch_id] = asyncio.create_task(self._watch(opening, parts))
            for closing in request.closings:
                watches.pop(closing.watch_id).cancel()
                if closing.fell_behind:
                    end = workers_pb.WatchEnd(fell_behind=True)
                    responses = [pb.WatchTableResponse(epoch=1, sequence=99, resync=pb.Resync()).SerializeToString()]
                    await parts.put(workers_pb.WatchPart(watch_id=closing.watch_id, responses=responses, end=end))

    async def _watch(self, opening: workers_pb.WatchOpening, parts: Any) -> None:
        status = b""
        try:
            async with aclosing(
                self.tables.WatchTable(pb.WatchTableRequest.FromString(opening.request), None)  # type: ignore[type-var]
            ) as responses:
                async for response in responses:
                    await parts.put(
                        workers_pb.WatchPart(watch_id=opening.watch_id, responses=[response.SerializeToString()])
                    )
        except ServiceError as error:
            status = error_status(error).SerializeToString()
        await parts.put(workers_pb.WatchPart(watch_id=opening.watch_id, end=workers_pb.WatchEnd(status=status)))


class Replays(ReplayServiceServicer):
    """Returns large records."""

    @override
    async def GetHandRecord(self, request: Any, context: Any) -> GetHandRecordResponse:
        return GetHandRecordResponse(record_json=b"a" * 50_000)


def heartbeat(sequence: int) -> pb.WatchTableResponse:
    """Returns a small message of WatchTable."""
    return pb.WatchTableResponse(epoch=1, sequence=sequence, heartbeat=pb.Heartbeat())


def flood(sequence: int, size: int) -> pb.WatchTableResponse:
    """Returns a message of WatchTable of about this size."""
    snapshot = pb.WatchTableResponse(sequence=sequence)
    snapshot.snapshot.table_id = "t" * size
    return snapshot


@asynccontextmanager
async def upstream(issuer: TokenIssuer, *servicers: object, port: int = 0) -> AsyncIterator[str]:
    """Serves servicers; gives their address."""
    settings = plain_settings(port=port, drain_grace_s=0.2)
    built = build_server(
        *servicers, settings=settings, metrics=ServiceMetrics("test"), authenticator=issuer.authenticator()
    )
    async with serving(built, settings):
        yield f"127.0.0.1:{built.port}"
