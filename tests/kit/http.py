"""HTTP/1.1 by hand, so that tests see and send every byte."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

JSON = "application/json"
PROTO = "application/proto"
HEADER_BYTES_MAX = 1 << 20


@dataclass(frozen=True)
class Reply:
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Returns the body read as JSON."""
        return json.loads(self.body)


class Exchange:
    """One request whose response is read piece by piece."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.status = 0
        self.headers: dict[str, str] = {}

    async def read_head(self) -> None:
        """Reads the status and the headers."""
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        pairs = (line.partition(":") for line in lines[1:] if line)
        self.headers = {name.lower(): value.strip() for name, _, value in pairs}

    async def chunks(self) -> AsyncIterator[bytes]:
        """Gives the body as it comes."""
        if self.headers.get("transfer-encoding") != "chunked":
            yield await self._reader.readexactly(int(self.headers.get("content-length", "0")))
            return
        while size := int(await self._reader.readline(), 16):
            yield (await self._reader.readexactly(size + 2))[:-2]

    async def envelopes(self) -> AsyncIterator[tuple[int, bytes]]:
        """Gives the enveloped messages of a Connect or gRPC-Web stream: flags and content."""
        buffer = b""
        async for chunk in self.chunks():
            buffer += chunk
            while len(buffer) >= 5 and len(buffer) >= (end := 5 + int.from_bytes(buffer[1:5], "big")):
                yield buffer[0], buffer[5:end]
                buffer = buffer[end:]
        assert not buffer

    def abandon(self) -> None:
        """Closes the connection in the middle."""
        self._writer.close()


@asynccontextmanager
async def exchange(
    port: int, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> AsyncIterator[Exchange]:
    """Sends a request and gives its exchange, with the head of the response not read yet."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=HEADER_BYTES_MAX)
    fields = {"host": f"127.0.0.1:{port}", "content-length": str(len(body))} | dict(headers or {})
    head = "".join([f"{method} {path} HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in fields.items())])
    try:
        writer.write(head.encode("latin-1") + b"\r\n" + body)
        yield Exchange(reader, writer)
    finally:
        writer.close()


async def fetch(
    port: int, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Reply:
    """Makes a request and reads the whole response."""
    async with asyncio.timeout(60), exchange(port, method, path, headers, body) as made:
        await made.read_head()
        has_body = method != "HEAD" and made.status not in (204, 304)
        content = b"".join([chunk async for chunk in made.chunks()]) if has_body else b""
        return Reply(made.status, made.headers, content)


def envelope(message: bytes, flags: int = 0) -> bytes:
    """Returns a message as Connect streams and gRPC-Web carry it."""
    return bytes([flags]) + len(message).to_bytes(4, "big") + message
