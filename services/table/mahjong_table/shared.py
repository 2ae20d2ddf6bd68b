"""The watches of many players on one stream to a gateway: all that is to be sent at a time goes in one message.

A watch is opened through the layers of a call of its player's own. A gateway that reads too slowly leaves what is to be
sent in the channels; those that grow too long, or that are sent more when all together have grown too long, end with a
resync.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Final

from google.protobuf.message import DecodeError

from mahjong_kit.auth import current_player
from mahjong_kit.call import REQUEST_ID_KEY, Call
from mahjong_kit.errors import InvalidRequestError, ServiceError, error_status, invalid_field
from mahjong_kit.layers import AUTHORIZATION_KEY, Handler, Layer
from mahjong_kit.pipeline import layered
from mahjong_kit.tracing import TRACEPARENT_KEY
from mahjong_table.channel import Backlog, Outlet
from mahjong_table.metrics import TableMetrics
from mahjong_table.service import TableService
from mahjong_table.settings import TableSettings
from mahjong_table.watch import Watch
from mahjong_table.wire.request import checked_watch
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1 import table_service_pb2, worker_service_pb2

OPEN_WATCH: Final = "WorkerService/OpenWatch"
"""Name of an opening in logs and metrics."""
_OPENINGS_MAX: Final = 256
"""Watches of one stream that are being opened at a time; more wait in the transport."""
_MESSAGE_BYTES: Final = 64 << 10
"""A message that has grown to this is sent; what there is beyond it goes in the next."""
_CLOSED_AT_ONCE: Final = 32


class SharedStreams:
    """Serves the streams of gateways."""

    def __init__(
        self, tables: TableService, layers: Sequence[Layer], settings: TableSettings, metrics: TableMetrics
    ) -> None:
        self._tables = tables
        self._open_watch = layered(self._open, layers)
        self._settings = settings
        self._metrics = metrics
        self._closing: set[asyncio.Task[None]] = set()

    async def responses(
        self, requests: AsyncIterator[worker_service_pb2.WatchTablesRequest]
    ) -> AsyncIterator[worker_service_pb2.WatchTablesResponse]:
        """Yields the messages of one stream until the gateway ends it.

        Raises:
            InvalidRequestError: `INVALID_FIELD`: a `watch_id` that may not be used.
        """
        stream = _SharedStream(self._open_watch, self._settings, self._metrics)
        self._metrics.shared_streams.inc()
        try:
            async for message in stream.messages(requests):
                yield message
        finally:
            self._metrics.shared_streams.dec()
            closing = asyncio.create_task(_close_all(stream.abandon()))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def _open(self, call: Call) -> Watch:
        opening, outlet = call.request
        try:
            request = checked_watch(table_service_pb2.WatchTableRequest.FromString(opening.request))
        except DecodeError as error:
            raise InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_MESSAGE) from error
        player_id = current_player().player_id
        return await self._tables.open_watch(player_id, request.table_id, request.epoch, request.after_sequence, outlet)


class _SharedStream:
    """One stream: its watches, and which of them have something to send."""

    def __init__(self, open_watch: Handler, settings: TableSettings, metrics: TableMetrics) -> None:
        self._open_watch = open_watch
        self._backlog = Backlog(settings.shared_queue_max)
        self._pace_s = settings.shared_pace_ms / 1000
        self._metrics = metrics
        self._watches: dict[int, Watch] = {}
        self._opening: dict[int, asyncio.Task[None]] = {}
        self._refused: dict[int, ServiceError] = {}
        self._ready: dict[int, None] = {}
        """Watches that have something to send, longest first."""
        self._woken = asyncio.Event()
        self._room = asyncio.Semaphore(_OPENINGS_MAX)

    async def messages(
        self, requests: AsyncIterator[worker_service_pb2.WatchTablesRequest]
    ) -> AsyncIterator[worker_service_pb2.WatchTablesResponse]:
        """Yields messages until the requests end; after each, and while it is being sent, the next one gathers."""
        reading = asyncio.create_task(self._read(requests))
        reading.add_done_callback(lambda _: self._woken.set())
        try:
            while not reading.done():
                await self._woken.wait()
                self._woken.clear()
                while self._ready:
                    if (message := self._next_message()).parts:
                        yield message
                await asyncio.sleep(self._pace_s)
            reading.result()
        finally:
            reading.cancel()

    def abandon(self) -> list[Watch]:
        """Opens and sends nothing any more; returns the watches that are to be closed."""
        for task in self._opening.values():
            task.cancel()
        watches = list(self._watches.values())
        self._watches.clear()
        return watches

    async def _read(self, requests: AsyncIterator[worker_service_pb2.WatchTablesRequest]) -> None:
        async for request in requests:
            for opening in request.openings:
                watch_id = opening.watch_id
                if watch_id < 1 or watch_id in self._watches or watch_id in self._opening:
                    raise invalid_field("watch_id", "is in use or not positive")
                await self._room.acquire()
                task = self._opening[watch_id] = asyncio.create_task(self._open(opening))
                task.add_done_callback(partial(self._opened, watch_id))
            for closing in request.closings:
                self._close(closing)

    async def _open(self, opening: worker_service_pb2.WatchOpening) -> None:
        watch_id = opening.watch_id
        outlet = Outlet(partial(self._wake, watch_id), self._backlog)
        metadata = {
            AUTHORIZATION_KEY: opening.authorization,
            REQUEST_ID_KEY: opening.request_id,
            TRACEPARENT_KEY: opening.traceparent,
        }
        call = Call(OPEN_WATCH, (opening, outlet), _OpeningContext(), metadata, is_stream=False)
        watch = await self._open_watch(call)
        if call.error is None:
            self._watches[watch_id] = watch
        else:
            self._refused[watch_id] = call.error
        self._wake(watch_id)

    def _opened(self, watch_id: int, _: asyncio.Task[None]) -> None:
        """Makes room for the next. Not in the task itself: one that is cancelled before it begins runs not at all."""
        self._room.release()
        del self._opening[watch_id]

    def _close(self, closing: worker_service_pb2.WatchClosing) -> None:
        watch_id = closing.watch_id
        if (watch := self._watches.get(watch_id)) is None:
            self._refused.pop(watch_id, None)
            if (opening := self._opening.get(watch_id)) is not None:
                opening.cancel()
        elif closing.fell_behind:
            watch.fall_behind()
        else:
            del self._watches[watch_id]
            watch.close()

    def _wake(self, watch_id: int) -> None:
        self._ready[watch_id] = None
        self._woken.set()

    def _next_message(self) -> worker_service_pb2.WatchTablesResponse:
        parts: list[worker_service_pb2.WatchPart] = []
        size = count = 0
        while self._ready and size < _MESSAGE_BYTES:
            watch_id = next(iter(self._ready))
            del self._ready[watch_id]
            if (part := self._part(watch_id)) is not None:
                parts.append(part)
                size += sum(map(len, part.responses))
                count += len(part.responses)
        if parts:
            self._metrics.shared_messages.inc()
            self._metrics.shared_responses.inc(count)
        return worker_service_pb2.WatchTablesResponse(parts=parts)

    def _part(self, watch_id: int) -> worker_service_pb2.WatchPart | None:
        if (error := self._refused.pop(watch_id, None)) is not None:
            return worker_service_pb2.WatchPart(watch_id=watch_id, end=_end(error))
        if (watch := self._watches.get(watch_id)) is None:
            return None  # It is being opened, or was closed.
        responses = watch.take()
        if watch.is_ended:
            del self._watches[watch_id]
            watch.close()
            end = _end(watch.error, fell_behind=watch.fell_behind)
            return worker_service_pb2.WatchPart(watch_id=watch_id, responses=responses, end=end)
        return worker_service_pb2.WatchPart(watch_id=watch_id, responses=responses) if responses else None


class _OpeningContext:
    """What layers ask the context of gRPC, for an opening: its own call is the player's, at the gateway."""

    def time_remaining(self) -> float | None:
        """Returns None: only the gateway knows."""
        return None

    def set_trailing_metadata(self, metadata: Sequence[tuple[str, str]]) -> None:
        """Tells nobody: the gateway has given the request id."""


def _end(error: ServiceError | None, *, fell_behind: bool = False) -> worker_service_pb2.WatchEnd:
    status = b"" if error is None else error_status(error).SerializeToString()
    return worker_service_pb2.WatchEnd(status=status, fell_behind=fell_behind)


async def _close_all(watches: Iterable[Watch]) -> None:
    """Closes watches, a few at a time: tables go on meanwhile."""
    for number, watch in enumerate(watches, 1):
        watch.close()
        if number % _CLOSED_AT_ONCE == 0:
            await asyncio.sleep(0)
