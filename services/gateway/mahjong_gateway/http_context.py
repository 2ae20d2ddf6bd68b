"""Calls over HTTP as the kit's layers see them: with a context like that of gRPC."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from connectrpc.request import RequestContext


class HttpContext:
    """What layers ask the context of gRPC, for a request over HTTP."""

    def __init__(self, request: RequestContext[Any, Any], handover: "Handover | None" = None) -> None:
        self._request = request
        self._handover = handover

    def peer(self) -> str:
        """Returns the other end of the connection as gRPC names it."""
        return f"http:{self._request.client_address}"

    def time_remaining(self) -> float | None:
        """Returns the time that the caller still gives, in seconds."""
        left_ms = self._request.timeout_ms
        return None if left_ms is None else max(left_ms / 1000, 0.0)

    def set_trailing_metadata(self, metadata: Sequence[tuple[str, str]]) -> None:
        """Sends metadata as headers: it is known before the response, and readable everywhere."""
        for key, value in metadata:
            self._request.response_headers[key] = value

    async def write(self, message: bytes) -> None:
        """Sends a message of a stream."""
        assert self._handover is not None
        await self._handover.give(message)


class Handover:
    """Hands messages from the task that makes them to the one that sends them, one ahead at the most."""

    def __init__(self) -> None:
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(1)

    async def give(self, message: bytes) -> None:
        """Hands a message over; waits until the one before it has been sent."""
        await self._room.acquire()
        self._messages.put_nowait(message)

    def end(self, _: object = None) -> None:
        """Says that there are no more messages."""
        self._messages.put_nowait(None)

    async def taken(self) -> AsyncGenerator[bytes, None]:
        """Gives the messages as they come."""
        while (message := await self._messages.get()) is not None:
            yield message
            self._room.release()
