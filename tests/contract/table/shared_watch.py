"""A gateway's end of WatchTables, as tests drive it: message by message."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from itertools import count
from typing import Any

from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1 import worker_service_pb2 as workers_pb

WAIT_S = 60.0


class SharedWatch:
    """What came of one watch."""

    def __init__(self) -> None:
        self.responses: list[pb.WatchTableResponse] = []
        self.end: workers_pb.WatchEnd | None = None

    @property
    def reason(self) -> str:
        """The reason of the error that it ended with; empty if none."""
        assert self.end is not None
        info = ErrorInfo()
        for detail in Status.FromString(self.end.status).details:
            detail.Unpack(info)
        return info.reason.removeprefix("ERROR_REASON_")

    def of(self, payload: str) -> list[pb.WatchTableResponse]:
        """Returns the responses with one kind of payload."""
        return [response for response in self.responses if response.WhichOneof("payload") == payload]


class SharedStream:
    """One open stream."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.watches: dict[int, SharedWatch] = defaultdict(SharedWatch)
        self.messages: list[workers_pb.WatchTablesResponse] = []
        self.error: BaseException | None = None
        self._ids = count(1)
        self._changed = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def open(self, *watches: tuple[str, pb.WatchTableRequest]) -> list[int]:
        """Opens watches in one message, each by the `authorization` of a player; returns their ids."""
        ids = [next(self._ids) for _ in watches]
        openings = [
            workers_pb.WatchOpening(watch_id=watch_id, authorization=token, request=request.SerializeToString())
            for watch_id, (token, request) in zip(ids, watches, strict=True)
        ]
        await self.call.write(workers_pb.WatchTablesRequest(openings=openings))
        return ids

    async def close(self, *watch_ids: int, fell_behind: bool = False) -> None:
        """Closes watches."""
        closings = [workers_pb.WatchClosing(watch_id=watch_id, fell_behind=fell_behind) for watch_id in watch_ids]
        await self.call.write(workers_pb.WatchTablesRequest(closings=closings))

    def read(self) -> "SharedStream":
        """Begins to read."""
        self._reading = asyncio.create_task(self._read())
        return self

    async def until(self, met: Callable[[], Any]) -> Any:
        """Waits until something is true of what was read; returns it."""
        async with asyncio.timeout(WAIT_S):
            while not (found := met()):
                self._changed.clear()
                await self._changed.wait()
        return found

    async def until_ended(self, watch_id: int) -> SharedWatch:
        """Waits until a watch has ended."""
        await self.until(lambda: self.watches[watch_id].end)
        return self.watches[watch_id]

    def cancel(self) -> None:
        """Cuts the connection."""
        if self._reading is not None:
            self._reading.cancel()
        self.call.cancel()

    async def _read(self) -> None:
        try:
            async for message in self.call:
                self.messages.append(message)
                for part in message.parts:
                    watch = self.watches[part.watch_id]
                    assert watch.end is None, "nothing comes after the end"
                    watch.responses += map(pb.WatchTableResponse.FromString, part.responses)
                    watch.end = part.end if part.HasField("end") else None
                self._changed.set()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            self.error = error
        self._changed.set()
