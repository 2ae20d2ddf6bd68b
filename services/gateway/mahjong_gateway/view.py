"""What one client is sent of a table: a bounded queue between a shared stream and the client's own connection."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence

from mahjong_kit.errors import ServiceError, UnavailableError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


def moved() -> ServiceError:
    """Returns what a client is told whose stream ends through no fault of its own: it resumes at once."""
    return UnavailableError(ErrorReason.ERROR_REASON_DRAINING, retry_after_s=0.0)


class View:
    """Queues messages until the client takes them. One that takes them too slowly gets a resync; nobody waits for it.

    The resync is the worker's, for it knows the numbers: until it has come, messages are dropped.
    """

    def __init__(self, bytes_max: int, fall_behind: Callable[[], None]) -> None:
        self._bytes_max = bytes_max
        self._fall_behind = fall_behind
        self._queue: deque[bytes] = deque()
        self._bytes = 0
        self._woken = asyncio.Event()
        self._is_behind = False
        self._is_ended = False
        self._error: ServiceError | None = None

    def put(self, messages: Sequence[bytes]) -> None:
        """Queues messages; if there are too many, tells so and drops all until the end."""
        if self._is_behind or self._is_ended:
            return
        size = sum(map(len, messages))
        if self._queue and self._bytes + size > self._bytes_max:
            self._is_behind = True
            self._queue.clear()
            self._fall_behind()
            return
        self._queue += messages
        self._bytes += size
        self._woken.set()

    def end(self, error: ServiceError | None) -> None:
        """Ends after what is queued."""
        if not self._is_ended:
            self._is_ended, self._error = True, error
            self._woken.set()

    def end_resynced(self, messages: Sequence[bytes]) -> None:
        """Ends with the resync that the worker has sent."""
        if not self._is_ended:
            self._queue += messages
            self.end(None)

    def end_orderly(self, error: ServiceError | None) -> None:
        """Ends as the worker says; a client whose messages were dropped has to resume to get them."""
        self.end(moved() if error is None and self._is_behind else error)

    def cancel(self) -> None:
        """Ends because another worker has the table: the client resumes."""
        self.end(moved())

    async def messages(self) -> AsyncGenerator[bytes, None]:
        """Gives messages as they come.

        Raises:
            ServiceError: why the view ended.
        """
        while True:
            while self._queue:
                message = self._queue.popleft()
                self._bytes -= len(message)
                yield message
            if self._is_ended:
                break
            self._woken.clear()
            await self._woken.wait()
        if self._error is not None:
            raise self._error.with_traceback(None)
