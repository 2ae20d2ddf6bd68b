"""The response streams that are open now, so that a process going down can end them in order."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from mahjong_kit.errors import UnavailableError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

_RECONNECT_AFTER_S = 0.1

Responses = AsyncGenerator[Any, None] | Awaitable[None]


class OpenStreams:
    """Runs the streams of a server and can end them all with UNAVAILABLE `DRAINING`: clients resume elsewhere."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Task[Any]] = set()
        self._ended: set[asyncio.Task[Any]] = set()
        self._is_draining = False

    async def end_all(self) -> None:
        """Ends every open stream, and every later one as soon as it opens."""
        self._is_draining = True
        self._ended.update(self._waiting)
        for task in self._ended:
            task.cancel()

    async def run(self, start: Callable[[], Responses], context: Any) -> None:
        """Sends the responses as they come. A stream is cut between two of them only, never while one is sent.

        Raises:
            UnavailableError: `DRAINING`.
        """
        self._check()
        responses = start()
        if inspect.isawaitable(responses):  # The handler writes the responses itself, as that of gRPC health does.
            await self._interruptible(responses)
            return
        async with aclosing(responses) as source:
            while (response := await self._interruptible(anext(source, None))) is not None:
                await context.write(response)
                self._check()

    def _check(self) -> None:
        if self._is_draining:
            raise UnavailableError(ErrorReason.ERROR_REASON_DRAINING, retry_after_s=_RECONNECT_AFTER_S)

    async def _interruptible(self, step: Awaitable[Any]) -> Any:
        task = asyncio.current_task()
        assert task is not None
        self._waiting.add(task)
        try:
            return await step
        except asyncio.CancelledError:
            # Our own request to cancel is taken back; if the client has gone too, that one stands.
            if task in self._ended and task.uncancel() == 0:
                self._check()
            raise
        finally:
            self._waiting.discard(task)
            self._ended.discard(task)
