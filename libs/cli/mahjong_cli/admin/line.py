"""The connection of an operator to one service."""

import asyncio
import getpass
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import typer
from google.protobuf.message import Message

from mahjong_kit.auth import InternalTokens, Operator
from mahjong_kit.client import open_stub
from mahjong_kit.errors import reason_of
from mahjong_kit.settings import SERVICE_KEY_BYTES_MIN
from mahjong_kit.tls import TlsFiles, calling_credentials
from mahjongplanet.table.v1.admin_service_pb2_grpc import AdminServiceStub

_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Line:
    """Where the service is, and who speaks to it; a table worker unless another stub is named."""

    address: str
    key_file: Path
    operator: str
    stub: Callable[[grpc.aio.Channel], Any] = AdminServiceStub
    timeout_s: float = _TIMEOUT_S
    command: str = "mahjong admin"
    """What stands before errors."""

    def call(self, ask: Callable[[Any], Awaitable[Message]], address: str = "") -> Any:
        """Makes a call by a stub of the service, or of the one at another address; ends the command if it fails."""
        try:
            return asyncio.run(self._call(ask, address or self.address))
        except grpc.aio.AioRpcError as error:
            reason = reason_of(error).removeprefix("ERROR_REASON_") or error.code().name
            where = address or self.address
            raise self._failure(f"{where}: {reason} {error.details() or ''}".rstrip(), 1) from None
        except TimeoutError:
            raise self._failure(f"{address or self.address}: DEADLINE_EXCEEDED", 1) from None

    async def _call(self, ask: Callable[[Any], Awaitable[Message]], address: str) -> Message:
        tokens = InternalTokens(Operator(self.operator), self._service_key())
        async with open_stub(self.stub, address, tokens=tokens, credentials=_credentials()) as stub:
            async with asyncio.timeout(self.timeout_s):
                return await ask(stub)

    def _service_key(self) -> str:
        """Reads the file, or where there is none, as beside a service in its container, the services' own variable."""
        try:
            key = self.key_file.read_text().strip()
        except UnicodeDecodeError:
            key = ""
        except OSError as error:
            key = os.environ.get("MAHJONG_SERVICE_KEY", "")
            if not key:
                raise self._failure(f"cannot read the service key: {error}", 2) from None
        if len(key.encode()) < SERVICE_KEY_BYTES_MIN:
            raise self._failure(f"the service key is no text of at least {SERVICE_KEY_BYTES_MIN} bytes", 2)
        return key

    def _failure(self, words: str, status: int) -> typer.Exit:
        """Tells people why the command ends; returns what ends it."""
        typer.echo(f"{self.command}: {words}", err=True)
        return typer.Exit(status)


def _credentials() -> grpc.ChannelCredentials | None:
    """Reads what secures the call from the files that the services' shared variables name."""
    paths = (os.environ.get(f"MAHJONG_TLS_{name}_FILE") for name in ("CERTIFICATE", "KEY", "AUTHORITY"))
    try:
        return calling_credentials(TlsFiles(*(Path(path) if path else None for path in paths)))
    except OSError as error:
        typer.echo(f"mahjong admin: cannot read what MAHJONG_TLS_…_FILE names: {error}", err=True)
        raise typer.Exit(2) from None


def present_operator() -> str:
    """Returns who uses the terminal, for the services' logs; in a container nobody has a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
