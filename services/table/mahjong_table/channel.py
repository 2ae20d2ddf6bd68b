"""What waits to be sent to one viewer: a bounded queue between a table and a connection."""

import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mahjong_kit import tracing
from mahjong_kit.errors import ServiceError
from mahjong_table.clock import WallClock
from mahjong_table.wire.response import HEARTBEAT, RESYNC, payload_of, response_of
from mahjongplanet.table.v1 import table_service_pb2 as pb

Queued = tuple[int, bytes]
"""A response to be sent: its sequence, and its serialised payload."""


@dataclass(slots=True)
class Backlog:
    """How much waits on one connection, in the channels of all viewers that share it."""

    size: int = sys.maxsize
    waiting: int = 0

    @property
    def is_full(self) -> bool:
        """Whether the next message is one too many."""
        return self.waiting >= self.size


@dataclass(frozen=True, slots=True)
class Outlet:
    """The connection that takes what waits in a channel."""

    wake: Callable[[], None]
    """Called whenever there is something to take, or the channel has ended."""
    backlog: Backlog


class Channel:
    """Queues what a viewer is sent. A viewer that reads too slowly gets a resync and is let go; nobody waits for it."""

    def __init__(self, clock: WallClock, size: int, outlet: Outlet) -> None:
        self._clock = clock
        self._size = size
        self._outlet = outlet
        self._queue: deque[Queued] = deque()
        self._counted = 0
        """How much of the queue counts in the backlog."""
        self._status: bytes | None = None
        self.opened_by = tracing.current()
        """The call that opened it, if that is traced."""
        self.sequence = 0
        """Sequence of the newest event that was queued."""
        self.is_ready = False
        """Whether the viewer has all up to `sequence`, so that live events may follow."""
        self.quiet_since = clock.now()
        """When something was last sent, in ms."""
        self.is_ended = False
        """Whether nothing more will be queued."""
        self.error: ServiceError | None = None
        """Why it ended; None if in order."""
        self.fell_behind = False
        """Whether it ended with a resync."""

    def put(self, sequence: int, payload: bytes) -> bool:
        """Queues a message; returns False if the viewer has fallen behind, which ends the channel."""
        if self.is_ended:
            return False
        if len(self._queue) >= self._size or self._outlet.backlog.is_full:
            self.fall_behind()
            return False
        self._count(1)
        self._push(sequence, payload)
        return True

    def preload(self, missed: Iterable[Queued]) -> None:
        """Queues what a viewer missed, however much it is: only what comes after it counts as falling behind."""
        for sequence, payload in missed:
            self._size += 1
            self._push(sequence, payload)

    def put_status(self, payload: bytes) -> None:
        """Sends the newest status after all that is queued; an older one that was not sent is dropped."""
        if self.is_ready and not self.is_ended:
            self._status = payload
            self._outlet.wake()

    def beat(self) -> None:
        """Queues a heartbeat."""
        if self.is_ready and not self.is_ended and not self._queue:
            self._push(self.sequence, HEARTBEAT)

    def ask_echo(self, echo_id: str) -> None:
        """Queues a heartbeat that is to be echoed."""
        self._push(self.sequence, payload_of(heartbeat=pb.Heartbeat(echo_id=echo_id)))

    def fall_behind(self) -> None:
        """Sends a resync instead of what is queued, and ends."""
        if self.is_ended:
            return
        self._clear()
        self._push(self.sequence, RESYNC)
        self.fell_behind = True
        self.end()

    def end(self, error: ServiceError | None = None) -> None:
        """Ends after what is queued; with an error at once."""
        if self.is_ended:
            return
        self.is_ended, self.error, self._status = True, error, None
        if error is not None:
            self._clear()
        self._outlet.wake()

    def abandon(self) -> None:
        """Ends and sends nothing of what is queued, for nobody takes it any more."""
        self.end()
        self._clear()

    def take(self) -> list[bytes]:
        """Returns the serialised responses that are to be sent now."""
        now = self._clock.now()
        taken = [response_of(sequence, now, payload) for sequence, payload in self._queue]
        self._clear()
        if self._status is not None:
            taken.append(response_of(self.sequence, now, self._status))
            self._status = None
        if taken:
            self.quiet_since = now
        return taken

    def _push(self, sequence: int, payload: bytes) -> None:
        self._queue.append((sequence, payload))
        self.sequence = sequence
        self._outlet.wake()

    def _clear(self) -> None:
        self._queue.clear()
        self._count(-self._counted)

    def _count(self, change: int) -> None:
        self._counted += change
        self._outlet.backlog.waiting += change
