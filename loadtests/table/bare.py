"""What the same work costs without mahjong: a group-committed append of the same rows, a gRPC echo and a
gRPC stream of messages with as many responses to viewers.

`python -m loadtests.table.bare` serves echo and stream, as a process of its own.
"""

import asyncio
import sqlite3
import sys
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import uvloop

from loadtests.table.processes import used
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1 import worker_service_pb2 as workers_pb

_ECHO, _STREAM = "/bare.Bare/SubmitAction", "/bare.Bare/WatchTable"


@dataclass(frozen=True, slots=True)
class Rate:
    """How much was done in a time, and at which cost of the process that did it."""

    done: int
    seconds: float
    cpu_s: float

    @property
    def per_s(self) -> float:
        """By the wall clock."""
        return self.done / self.seconds

    @property
    def per_core_s(self) -> float:
        """By the processor time that was used, however busy the machine was."""
        return self.done / self.cpu_s


def append(source: Path, target: Path, batch: int, seconds: float) -> Rate:
    """Appends the rows of a worker's log to a table of the same shape, so many in a commit, each commit flushed.

    Args:
        source: the worker's SQLite file.
        target: a file that does not exist yet, on the same disk.
        batch: rows in one commit.
        seconds: how long.
    """
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as worker:
        shapes = [
            sql
            for (sql,) in worker.execute("SELECT sql FROM sqlite_master WHERE tbl_name = 'decision' AND sql NOT NULL")
        ]
        rows = worker.execute("SELECT * FROM decision LIMIT 20000").fetchall()
    connection = sqlite3.connect(target, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    for sql in shapes:
        connection.execute(sql)
    statement = f"INSERT INTO decision VALUES ({', '.join('?' * len(rows[0]))})"
    started, cpu, done = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - started < seconds:
        part = _next_rows(rows, done, batch)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(statement, part)
        connection.execute("COMMIT")
        done += batch
    rate = Rate(done, time.perf_counter() - started, time.process_time() - cpu)
    connection.close()
    return rate


def _next_rows(rows: Sequence[tuple[object, ...]], done: int, batch: int) -> list[tuple[object, ...]]:
    """Returns rows, of which each lap through the worker's rows has other keys of the same length."""
    part = []
    for number in range(done, done + batch):
        lap, place = divmod(number, len(rows))
        table_id, *rest = rows[place]
        part.append((f"{lap:08x}{str(table_id)[8:]}", *rest))
    return part


async def echo(seconds: float, callers: int) -> Rate:
    """Calls a bare echo server with SubmitAction's message, so many calls at a time."""
    request = pb.SubmitActionRequest(request_id=str(uuid.uuid4()), table_id=str(uuid.uuid4()), decision_id="12345")
    async with _bare_server() as (pid, address), grpc.aio.insecure_channel(address) as channel:
        call = channel.unary_unary(
            _ECHO,
            request_serializer=pb.SubmitActionRequest.SerializeToString,
            response_deserializer=pb.SubmitActionResponse.FromString,
        )
        await call(request, wait_for_ready=True, timeout=20)
        done = 0
        started, before = time.perf_counter(), used(pid)

        async def keep_calling() -> None:
            nonlocal done
            while time.perf_counter() - started < seconds:
                await call(request)
                done += 1

        await asyncio.gather(*(keep_calling() for _ in range(callers)))
        return Rate(done, time.perf_counter() - started, used(pid).cpu_s - before.cpu_s)


async def fan_out(seconds: float, in_message: int) -> Rate:
    """Reads one bare stream as fast as it comes, of messages with so many responses to viewers; counts responses."""
    async with _bare_server() as (pid, address), grpc.aio.insecure_channel(address) as channel:
        open_stream = channel.unary_stream(
            _STREAM,
            request_serializer=pb.WatchTableRequest.SerializeToString,
            response_deserializer=workers_pb.WatchTablesResponse.FromString,
        )
        call = open_stream(pb.WatchTableRequest(after_sequence=in_message), wait_for_ready=True)
        await call.read()
        done = 0
        started, before = time.perf_counter(), used(pid)
        while time.perf_counter() - started < seconds:
            done += len((await call.read()).parts)
        rate = Rate(done, time.perf_counter() - started, used(pid).cpu_s - before.cpu_s)
        call.cancel()
        return rate


@asynccontextmanager
async def _bare_server() -> AsyncIterator[tuple[int, str]]:
    command = (sys.executable, "-m", "loadtests.table.bare")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        port = await process.stdout.readline()
        yield process.pid, f"127.0.0.1:{port.decode().strip()}"
    finally:
        process.terminate()
        await process.wait()


async def _serve() -> None:
    async def answer(request: pb.SubmitActionRequest, context: object) -> pb.SubmitActionResponse:  # noqa: ARG001
        return pb.SubmitActionResponse(sequence=len(request.decision_id))

    async def show(request: pb.WatchTableRequest, context: Any) -> None:
        event = event_pb2.TableEvent(discarded=event_pb2.Discarded(seat=1, tile="5s"))
        response = pb.WatchTableResponse(epoch=1, sequence=1_000, event=event).SerializeToString()
        parts = [
            workers_pb.WatchPart(watch_id=number, responses=[response])
            for number in range(1, request.after_sequence + 1)
        ]
        while True:
            await context.write(workers_pb.WatchTablesResponse(parts=parts))

    handlers: dict[str, Any] = {
        "SubmitAction": grpc.unary_unary_rpc_method_handler(
            answer, pb.SubmitActionRequest.FromString, pb.SubmitActionResponse.SerializeToString
        ),
        "WatchTable": grpc.unary_stream_rpc_method_handler(
            show, pb.WatchTableRequest.FromString, workers_pb.WatchTablesResponse.SerializeToString
        ),
    }
    server = grpc.aio.server()
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("bare.Bare", handlers)])
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve())
