"""The HTTP server: granian, in this process and on this event loop."""

import asyncio
import math
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings, HTTP2Settings
from granian.server.embed import Server

from mahjong_kit.log import get_logger

HEAD_BYTES_MAX: Final = 16 << 10
"""Largest head of a request: its line and headers."""
_HEAD_TIMEOUT_MS: Final = 10_000
_START_TIMEOUT_S: Final = 10.0
_START_POLL_S: Final = 0.01
_CONNECTIONS_WAITING: Final = 1024

_log = get_logger()


class ReservedPort(NamedTuple):
    """A port that nobody else can take, held by a socket that never listens."""

    socket: socket.socket
    port: int


def reserve_port(host: str, port: int) -> ReservedPort:
    """Takes a port for the server, which cannot say itself that one is taken: it shares ports (SO_REUSEPORT).

    Binding without that option fails if anybody listens on the port. Setting it afterwards lets the server in.

    Raises:
        OSError: somebody listens on the port.
    """
    held = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind((host, port))
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    except OSError:
        held.close()
        raise
    return ReservedPort(held, held.getsockname()[1])


@asynccontextmanager
async def serving_http(
    app: Any, host: str, reserved: ReservedPort, *, connections_max: int, grace_s: float
) -> AsyncIterator[None]:
    """Serves an ASGI application until the block ends, then lets open requests finish for a while.

    Args:
        app: the application.
        host: address to listen on.
        reserved: port to listen on.
        connections_max: connections beyond wait until others close.
        grace_s: time for open requests at the end; those that are left are cut off.
    """
    server = Server(
        app,
        address=host,
        port=reserved.port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.auto,
        websockets=False,
        backlog=_CONNECTIONS_WAITING,
        backpressure=connections_max,
        http1_settings=HTTP1Settings(header_read_timeout=_HEAD_TIMEOUT_MS, max_buffer_size=HEAD_BYTES_MAX),
        http2_settings=HTTP2Settings(max_headers_size=HEAD_BYTES_MAX, keep_alive_interval=20_000),
        log_enabled=False,  # The application logs what happens; a port that is taken was found out before.
    )
    server.workers_kill_timeout = max(math.ceil(grace_s), 1)
    task = asyncio.ensure_future(server.serve())
    try:
        await _until_listening(task, host, reserved.port)
        _log.info("http.started", port=reserved.port)
        yield
    finally:
        server.stop()  # type: ignore[no-untyped-call]
        with suppress(TimeoutError):  # Requests were still open; they are cut off.
            await task
        _log.info("http.stopped")


async def _until_listening(task: "asyncio.Future[None]", host: str, port: int) -> None:
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only compared
    async with asyncio.timeout(_START_TIMEOUT_S):
        while not task.done():
            try:
                _, writer = await asyncio.open_connection(address, port)
            except OSError:
                await asyncio.sleep(_START_POLL_S)
            else:
                writer.close()
                return
    task.result()
    raise RuntimeError("the HTTP server has ended while it started")
