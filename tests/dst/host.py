"""A simulated machine: whatever runs in its context stops, piles up or dies with it, and reads its clocks."""

import asyncio
import random
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from tests.dst.loop import Due, VirtualLoop

START_S = 1_800_000_000
"""Virtual time 0 as seconds since 1970."""

HOST: ContextVar["Host | None"] = ContextVar("HOST", default=None)


class Host:
    """One machine with one process on it."""

    def __init__(self, name: str, loop: "VirtualLoop", chance: Random, skew_s: float) -> None:
        self.name = name
        self.is_frozen = False
        self.is_dead = False
        self.piled_up: list[Due] = []
        """What became ready while the host was frozen."""
        self.chance = chance
        self._loop = loop
        self._skew_s = skew_s
        self._suspended_s = 0.0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._context = copy_context()
        self._context.run(HOST.set, self)

    @property
    def is_stopped(self) -> bool:
        """Whether nothing runs."""
        return self.is_frozen or self.is_dead

    def monotonic(self) -> float:
        """Returns the monotonic clock in seconds."""
        return self._loop.time() - self._suspended_s

    def wall_ns(self) -> int:
        """Returns the wall clock in nanoseconds: only whoever starts reads it."""
        return round((START_S + self._loop.time() + self._skew_s) * 1_000_000_000)

    def run(self, function: Callable[[], Any]) -> Any:
        """Calls a function on this host."""
        return self._context.run(function)

    def spawn(self, job: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Runs a job on this host."""
        task = self._loop.create_task(job, context=self._context.copy())
        self._tasks.add(task)  # Kept for good if the host dies, so that nothing of it is ever finalised.
        task.add_done_callback(self._tasks.discard)
        return task

    def crash(self) -> None:
        """Loses everything."""
        self.is_dead, self.is_frozen = True, False
        self.piled_up.clear()

    def freeze(self) -> None:
        """Stops everything; messages and timers pile up."""
        self.is_frozen = True

    def thaw(self, suspended_s: float = 0) -> None:
        """Goes on: all that has piled up happens at once.

        Args:
            suspended_s: for how long the monotonic clock stood still too, as when a virtual machine is suspended.
        """
        if self.is_frozen:
            self.is_frozen = False
            self._suspended_s += suspended_s
            handles, self.piled_up = self.piled_up, []
            self._loop.thaw(handles)


@contextmanager
def simulated_machines() -> Iterator[None]:
    """Lets the clocks, the ids and the chance of the standard library be those of the host that asks."""
    monotonic, monotonic_ns, time_ns, uuid4 = time.monotonic, time.monotonic_ns, time.time_ns, uuid.uuid4

    def of_host(simulated: Callable[..., Any], real: Callable[..., Any]) -> Callable[[], Any]:
        def read(*arguments: Any) -> Any:
            host = HOST.get()
            return real(*arguments) if host is None else simulated(host, *arguments)

        return read

    with (
        patch.object(time, "monotonic", of_host(Host.monotonic, monotonic)),
        patch.object(time, "monotonic_ns", of_host(lambda h: round(h.monotonic() * 1_000_000_000), monotonic_ns)),
        patch.object(time, "time_ns", of_host(Host.wall_ns, time_ns)),
        patch.object(random, "uniform", of_host(lambda h, *between: h.chance.uniform(*between), random.uniform)),
        patch.object(uuid, "uuid4", of_host(lambda h: random_uuid(h.chance), uuid4)),
    ):
        yield


def random_uuid(chance: Random) -> uuid.UUID:
    """Draws a UUIDv4."""
    return uuid.UUID(int=chance.getrandbits(128), version=4)
