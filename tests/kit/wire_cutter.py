"""A way to a server that a test can cut, as a lost network does, and mend again."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class WireCutter:
    """Passes bytes between clients and a server on loopback; while it is cut, connections break at once."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._open: set[asyncio.StreamWriter] = set()
        self._is_cut = False
        self.port = 0
        """Where clients connect to."""

    def start(self) -> None:
        """Takes a free port."""
        self._thread.start()
        self.port = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def stop(self) -> None:
        """Breaks every connection for good."""
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def cut(self) -> None:
        """Breaks every connection, and each new one."""
        self._is_cut = True
        asyncio.run_coroutine_threadsafe(self._break_all(), self._loop).result()

    def mend(self) -> None:
        """Lets new connections through again."""
        self._is_cut = False

    async def _listen(self) -> int:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(server.sockets[0].getsockname()[1])

    async def _break_all(self) -> None:
        for writer in tuple(self._open):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        if self._is_cut:  # Or was cut just now.
            writer.transport.abort()
            far_writer.transport.abort()
            return
        self._open |= {writer, far_writer}
        try:
            await asyncio.gather(_pass_on(reader, far_writer), _pass_on(far_reader, writer))
        finally:
            self._open -= {writer, far_writer}


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


@contextmanager
def wire_cutter(address: str) -> Iterator[WireCutter]:
    """Gives a cuttable way to a server at `host:port`."""
    host, port = address.rsplit(":", 1)
    cutter = WireCutter(host, int(port))
    cutter.start()
    try:
        yield cutter
    finally:
        cutter.stop()
