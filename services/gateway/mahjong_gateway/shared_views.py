"""One stream to each table worker, by which it sends what all clients of this gateway see of its tables.

A client's view is opened by the client's own access token, which the worker verifies: the gateway says for nobody who
they are. Messages pass as bytes (docs/decisions/shared-streams.md).
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from itertools import count, islice
from typing import Any, Final

import grpc

from mahjong_gateway.metrics import GatewayMetrics
from mahjong_gateway.view import View, moved
from mahjong_kit import tracing
from mahjong_kit.auth import InternalTokens
from mahjong_kit.call import current_request_id
from mahjong_kit.errors import ServiceError, internal_error, service_unreachable
from mahjong_kit.forwarding import forwarded, forwarded_status
from mahjong_kit.layers import AUTHORIZATION_KEY
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1 import worker_service_pb2 as pb
from mahjongplanet.table.v1.worker_service_pb2_grpc import WorkerServiceStub

TABLES: Final = "table"
METHOD_NOT_FOUND: Final = ErrorReason.Name(ErrorReason.ERROR_REASON_METHOD_NOT_FOUND)
_OPENINGS_AT_ONCE: Final = 256
"""Openings in one message; more go in the next."""
_OPENINGS_BYTES: Final = 256 << 10
"""Size of a message's openings, unless it has one alone: a worker takes 4 MiB, and ends the stream by more."""
_ASKED_AGAIN_AFTER_S: Final = 60.0
"""How long a worker of an older release is not asked for shared streams again."""


class SharedViews:
    """The shared streams of a gateway, opened when they are first needed and closed with their last view."""

    def __init__(self, tokens: InternalTokens, metrics: GatewayMetrics, view_bytes_max: int) -> None:
        self._tokens = tokens
        self._metrics = metrics
        self._view_bytes_max = view_bytes_max
        self._streams: dict[grpc.aio.Channel, _SharedStream] = {}
        self._asked_again_at: dict[grpc.aio.Channel, float] = {}
        """Workers that do not know shared streams yet."""

    def serves(self, channel: grpc.aio.Channel) -> bool:
        """Returns whether the worker knows shared streams, as far as it has told."""
        return asyncio.get_running_loop().time() >= self._asked_again_at.get(channel, 0.0)

    @contextmanager
    def view(self, channel: grpc.aio.Channel, request: bytes, authorization: str) -> Iterator[View]:
        """Opens a client's view at a worker, and closes it when the block ends.

        Args:
            channel: to the worker.
            request: a serialised WatchTableRequest.
            authorization: of the client's own call.
        """
        stream = self._streams.get(channel)
        if stream is None:
            stream = self._streams[channel] = self._open(channel)
        self._metrics.views.inc()
        try:
            with stream.view(request, authorization, self._view_bytes_max) as view:
                yield view
        finally:
            self._metrics.views.dec()
            if not stream.has_views and self._streams.get(channel) is stream:
                self._forget(channel, stream)

    def close(self) -> None:
        """Ends all streams."""
        for channel, stream in list(self._streams.items()):
            self._forget(channel, stream)

    def _open(self, channel: grpc.aio.Channel) -> "_SharedStream":
        def ended(error: ServiceError) -> None:
            if error.reason == METHOD_NOT_FOUND:
                self._asked_again_at[channel] = asyncio.get_running_loop().time() + _ASKED_AGAIN_AFTER_S
            if self._streams.get(channel) is stream:
                self._forget(channel, stream)

        metadata = ((AUTHORIZATION_KEY, f"Bearer {self._tokens.token()}"),)
        call: Any = WorkerServiceStub(channel).WatchTables(metadata=metadata)
        stream = _SharedStream(call, ended, self._metrics)
        self._metrics.shared_streams.inc()
        return stream

    def _forget(self, channel: grpc.aio.Channel, stream: "_SharedStream") -> None:
        del self._streams[channel]
        self._metrics.shared_streams.dec()
        stream.close()


class _SharedStream:
    """One stream, its views by the ids that they have on it."""

    def __init__(self, call: Any, ended: Callable[[ServiceError], None], metrics: GatewayMetrics) -> None:
        self._call = call
        self._ended = ended
        self._metrics = metrics
        self._views: dict[int, View] = {}
        self._ids = count(1)
        self._openings: dict[int, pb.WatchOpening] = {}
        self._closings: dict[int, pb.WatchClosing] = {}
        self._woken = asyncio.Event()
        # Not in the context of the client that happens to be the first.
        self._tasks = [asyncio.create_task(job, context=Context()) for job in (self._read(), self._write())]

    @property
    def has_views(self) -> bool:
        """Whether anybody watches."""
        return bool(self._views)

    @contextmanager
    def view(self, request: bytes, authorization: str, bytes_max: int) -> Iterator[View]:
        """Opens a view, and closes it when the block ends."""
        watch_id = next(self._ids)
        trace: dict[str, str] = {}
        tracing.inject(trace)
        view = self._views[watch_id] = View(bytes_max, lambda: self._fall_behind(watch_id))
        self._openings[watch_id] = pb.WatchOpening(
            watch_id=watch_id,
            authorization=authorization,
            request_id=current_request_id(),
            request=request,
            traceparent=trace.get(tracing.TRACEPARENT_KEY, ""),
        )
        self._woken.set()
        try:
            yield view
        finally:
            if self._views.pop(watch_id, None) is not None and self._openings.pop(watch_id, None) is None:
                self._tell(pb.WatchClosing(watch_id=watch_id))

    def close(self) -> None:
        """Ends the stream; views that are still open tell their clients to resume."""
        for task in self._tasks:
            task.cancel()
        self._call.cancel()
        self._end_views(moved())

    def _fall_behind(self, watch_id: int) -> None:
        self._metrics.views_behind.inc()
        self._tell(pb.WatchClosing(watch_id=watch_id, fell_behind=True))

    def _tell(self, closing: pb.WatchClosing) -> None:
        self._closings[closing.watch_id] = closing
        self._woken.set()

    async def _write(self) -> None:
        while True:
            await self._woken.wait()
            openings = self._next_openings()
            closings, self._closings = list(self._closings.values()), {}
            if not self._openings:
                self._woken.clear()
            try:
                await self._call.write(pb.WatchTablesRequest(openings=openings, closings=closings))
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                return  # The reader knows why.

    def _next_openings(self) -> list[pb.WatchOpening]:
        openings: list[pb.WatchOpening] = []
        size = 0
        for watch_id in list(islice(self._openings, _OPENINGS_AT_ONCE)):
            size += self._openings[watch_id].ByteSize()
            if openings and size > _OPENINGS_BYTES:
                break
            openings.append(self._openings.pop(watch_id))
        return openings

    async def _read(self) -> None:
        error: ServiceError = internal_error("")
        try:
            while (message := await self._call.read()) is not grpc.aio.EOF:
                for part in message.parts:
                    self._take(part)
            error = moved()
        except grpc.aio.AioRpcError as problem:
            error = forwarded(problem, TABLES)
        except asyncio.CancelledError:
            error = service_unreachable(TABLES)
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise  # Else it is the channel that was closed.
        finally:
            self._end_views(error)
            self._ended(error)

    def _take(self, part: pb.WatchPart) -> None:
        view = self._views.get(part.watch_id)
        if view is None:
            return  # The client has gone meanwhile.
        if not part.HasField("end"):
            view.put(part.responses)
            return
        del self._views[part.watch_id]
        if part.end.fell_behind:
            view.end_resynced(part.responses)
        else:
            view.put(part.responses)
            view.end_orderly(forwarded_status(part.end.status) if part.end.status else None)

    def _end_views(self, error: ServiceError) -> None:
        views = list(self._views.values())
        self._views.clear()
        for view in views:
            view.end_orderly(error)
