"""The open stream of one viewer: a bounded queue between a table and a connection."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from mahjong_kit.errors import ServiceError
from mahjong_table.clock import WallClock
from mahjong_table.core.state import EPOCH
from mahjong_table.wire.times import timestamp
from mahjongplanet.table.v1 import table_service_pb2 as pb


class Channel:
    """Queues what a viewer is sent. A viewer that reads too slowly gets a resync and is let go; nobody waits for it."""

    def __init__(self, clock: WallClock, size: int) -> None:
        self._clock = clock
        self._size = size
        self._queue: deque[pb.WatchTableResponse] = deque()
        self._status: pb.TableStatus | None = None
        self._wake = asyncio.Event()
        self._is_ended = False
        self._error: ServiceError | None = None
        self.sequence = 0
        """Sequence of the newest event that was queued."""
        self.is_ready = False
        """Whether the viewer has all up to `sequence`, so that live events may follow."""
        self.quiet_since = clock.now()
        """When something was last queued, in ms."""

    @property
    def is_ended(self) -> bool:
        """Whether nothing more will be queued."""
        return self._is_ended

    def put(self, response: pb.WatchTableResponse) -> bool:
        """Queues a message; returns False if the viewer has fallen behind, which ends the stream."""
        if self._is_ended:
            return False
        if len(self._queue) >= self._size:
            self._queue.clear()
            self._queue.append(pb.WatchTableResponse(epoch=EPOCH, sequence=self.sequence, resync=pb.Resync()))
            self.end()
            return False
        self._push(response)
        return True

    def preload(self, responses: list[pb.WatchTableResponse]) -> None:
        """Queues what a viewer missed, however much it is: only what comes after it counts as falling behind."""
        self._size += len(responses)
        for response in responses:
            self._push(response)

    def put_status(self, status: pb.TableStatus) -> None:
        """Sends the newest status after all that is queued; an older one that was not sent is dropped."""
        if self.is_ready and not self._is_ended:
            self._status = status
            self._wake.set()

    def beat(self) -> None:
        """Queues a heartbeat."""
        if self.is_ready and not self._queue:
            self._push(pb.WatchTableResponse(epoch=EPOCH, sequence=self.sequence, heartbeat=pb.Heartbeat()))

    def end(self, error: ServiceError | None = None) -> None:
        """Ends the stream after what is queued; with an error at once."""
        if self._is_ended:
            return
        self._is_ended, self._error = True, error
        if error is not None:
            self._queue.clear()
        self._wake.set()

    async def responses(self) -> AsyncIterator[pb.WatchTableResponse]:
        """Yields what is queued until the stream ends.

        Raises:
            ServiceError: why the stream was ended.
        """
        while (response := await self._next()) is not None:
            response.server_time.CopyFrom(timestamp(self._clock.now()))
            yield response

    async def _next(self) -> pb.WatchTableResponse | None:
        while True:
            if self._queue:
                return self._queue.popleft()
            if self._error is not None:
                raise self._error
            if self._is_ended:
                return None
            if self._status is not None:
                status, self._status = self._status, None
                return pb.WatchTableResponse(epoch=EPOCH, sequence=self.sequence, status=status)
            self._wake.clear()
            await self._wake.wait()

    def _push(self, response: pb.WatchTableResponse) -> None:
        self._queue.append(response)
        self.sequence = response.sequence
        self.quiet_since = self._clock.now()
        self._wake.set()
