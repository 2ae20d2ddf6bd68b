"""Starts children, waits until they are healthy, starts them again when they die, and stops them in reverse order."""

import asyncio
import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from mahjong_cli.serve.plan import HOST, Child, Ports

HEALTH_POLL_S: Final = 0.1
START_TIMEOUT_S: Final = 60.0
STOP_TIMEOUT_S: Final = 40.0
RESTARTS_MAX: Final = 5
"""Deaths of one child within `RESTART_WINDOW_S` after which the whole stack is given up."""
RESTART_WINDOW_S: Final = 60.0
LOG_TAIL_LINES: Final = 15
PR_SET_PDEATHSIG: Final = 1


class SupervisorError(Exception):
    """The stack cannot run; the message says what to do."""


def free_ports(count: int) -> list[int]:
    """Returns ports that are free now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for entry in sockets:
            entry.bind((HOST, 0))
        return [int(entry.getsockname()[1]) for entry in sockets]


@contextlib.contextmanager
def claimed(data: Path) -> Iterator[Path]:
    """Keeps a data directory, made if there is none, from every other stack until the block ends.

    Raises:
        SupervisorError: another stack has it.
        OSError: it cannot be written.
    """
    data.mkdir(parents=True, exist_ok=True)
    with (data / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SupervisorError(
                f"{data} belongs to a `mahjong serve` that runs: two stacks would write over each other.\n"
                "Stop the other one, or choose another directory: `mahjong serve --data …`."
            ) from None
        yield data


def check_ports(ports: Ports) -> None:
    """Raises SupervisorError if a port of the stack is taken, or meant for two of its processes."""
    numbers = Counter(ports.named().values())
    taken = [f"{port} ({name})" for name, port in ports.named().items() if _is_taken(port) or numbers[port] > 1]
    if taken:
        raise SupervisorError(
            f"These ports are in use: {', '.join(taken)}.\n"
            "Stop what uses them (another `make run`?), or choose others: `mahjong serve --port … --grpc-port … "
            "--inner-port …`, or let it choose: `mahjong serve --free-ports`."
        )


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


class Supervisor:
    """Runs children until `run_until` returns. Each child's output goes to `<log_directory>/<name>.log`."""

    def __init__(self, log_directory: Path, say: Callable[[str], None]) -> None:
        self._logs = log_directory
        self._say = say
        self._processes: dict[str, Process] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._failure: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def start(self, children: Iterable[Child]) -> None:
        """Starts children and returns when all of them serve.

        Raises:
            SupervisorError: a child died or was not healthy within `START_TIMEOUT_S`.
        """
        children = tuple(children)
        for child in children:
            self._processes[child.name] = await self._spawn(child)
        await asyncio.gather(*(self._wait_healthy(child) for child in children))
        for child in children:
            self._watchers[child.name] = asyncio.create_task(self._watch(child))

    async def run_until(self, stop: asyncio.Event) -> None:
        """Returns when `stop` is set.

        Raises:
            SupervisorError: a child kept dying.
        """
        stopped: asyncio.Future[bool] = asyncio.ensure_future(stop.wait())
        await asyncio.wait((stopped, self._failure), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if self._failure.done():
            self._failure.result()

    async def stop(self) -> None:
        """Sends SIGTERM to the children, last started first, and SIGKILL to one that does not go in time."""
        for watcher in self._watchers.values():
            watcher.cancel()
        if not self._failure.done():
            self._failure.cancel()
        for name, process in reversed(self._processes.items()):
            if process.returncode is not None:
                continue
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
            except TimeoutError:
                self._say(f"{name} did not stop within {STOP_TIMEOUT_S:.0f} s and was killed.")
                process.kill()
                await process.wait()

    async def _spawn(self, child: Child) -> Process:
        with (self._logs / f"{child.name}.log").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *child.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # What the operator has set wins over what the supervisor would choose.
                env={**child.environment, **os.environ},
                # Ctrl-C in a terminal must reach the supervisor alone, which stops the children in order.
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )

    async def _wait_healthy(self, child: Child) -> None:
        process = self._processes[child.name]
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                while process.returncode is None and not await self._is_healthy(child):
                    await asyncio.sleep(HEALTH_POLL_S)
        except TimeoutError:
            raise SupervisorError(self._story(child, f"was not healthy within {START_TIMEOUT_S:.0f} s")) from None
        if process.returncode is not None:
            raise SupervisorError(self._story(child, f"{_fate(process.returncode)} while starting"))

    async def _is_healthy(self, child: Child) -> bool:
        if child.grpc_port is None:
            return True
        async with grpc.aio.insecure_channel(f"{HOST}:{child.grpc_port}") as channel:
            try:
                answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=1.0)
            except grpc.aio.AioRpcError:
                return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    async def _watch(self, child: Child) -> None:
        """Starts a child again whenever it dies."""
        clock = asyncio.get_running_loop().time
        deaths: deque[float] = deque(maxlen=RESTARTS_MAX)
        while True:
            returncode = await self._processes[child.name].wait()
            deaths.append(clock())
            if len(deaths) == RESTARTS_MAX and deaths[-1] - deaths[0] < RESTART_WINDOW_S:
                self._failure.set_exception(SupervisorError(self._story(child, "keeps dying")))
                return
            self._say(f"{child.name} {_fate(returncode)}; starting it again. Its log: {self._logs / child.name}.log")
            self._processes[child.name] = await self._spawn(child)
            try:
                await self._wait_healthy(child)
            except SupervisorError:
                continue
            self._say(f"{child.name} serves again.")

    def _story(self, child: Child, what: str) -> str:
        path = self._logs / f"{child.name}.log"
        tail = path.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:]
        return "\n".join([f"{child.name} {what}. The end of {path}:", *(f"  {line}" for line in tail)])


def _fate(returncode: int) -> str:
    if returncode < 0:
        return f"was killed by {signal.Signals(-returncode).name}"
    return f"exited with status {returncode}"


def _die_with_parent() -> None:
    """Asks the kernel to end this process when the supervisor is gone, however it went."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
