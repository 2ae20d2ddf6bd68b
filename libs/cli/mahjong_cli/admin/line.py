"""The connection of an operator to one service."""

import asyncio
import getpass
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from mahjong_kit.auth import InternalTokens, Operator
from mahjong_kit.client import open_stub
from mahjong_kit.errors import reason_of
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
            typer.echo(f"{self.command}: {where}: {reason} {error.details() or ''}".rstrip(), err=True)
            raise typer.Exit(1) from None

    async def _call(self, ask: Callable[[Any], Awaitable[Message]], address: str) -> Message:
        tokens = InternalTokens(Operator(self.operator), self._service_key())
        async with open_stub(self.stub, address, tokens=tokens, credentials=_credentials()) as stub:
            async with asyncio.timeout(self.timeout_s):
                return await ask(stub)

    def _service_key(self) -> str:
        """Reads the file, or where there is none, as beside a service in its container, the services' own variable."""
        try:
            return self.key_file.read_text().strip()
        except OSError as error:
            if key := os.environ.get("MAHJONG_SERVICE_KEY"):
                return key
            typer.echo(f"{self.command}: cannot read the service key: {error}", err=True)
            raise typer.Exit(2) from None


def _credentials() -> grpc.ChannelCredentials | None:
    """Reads what secures the call from the files that the services' shared variables name."""
    paths = (os.environ.get(f"MAHJONG_TLS_{name}_FILE") for name in ("CERTIFICATE", "KEY", "AUTHORITY"))
    try:
        return calling_credentials(TlsFiles(*(Path(path) if path else None for path in paths)))
    except OSError as error:
        typer.echo(f"mahjong admin: cannot read what MAHJONG_TLS_…_FILE names: {error}", err=True)
        raise typer.Exit(2) from None


def tell(message: Message) -> None:
    """Writes a message as one line of JSON, every field of it."""
    fields = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    typer.echo(json.dumps(fields, separators=(",", ":")))


def present_operator() -> str:
    """Returns who uses the terminal, for the services' logs; in a container nobody has a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
