"""The way to a gateway: its native gRPC port, by TLS if the address says so."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import grpc
import typer

from mahjong_kit.tls import new_channel

Address = Annotated[
    str, typer.Option(help="Native gRPC address of the gateway: HOST:PORT, or https://HOST[:PORT] to connect by TLS.")
]
Authority = Annotated[
    Path | None,
    typer.Option("--ca-file", help="With https://: trust the certificates of this PEM file, not those of the system."),
]

_TLS: Final = "https://"
_TLS_PORT: Final = 443
_OPTIONS: Final = (("grpc.keepalive_time_ms", 20_000), ("grpc.keepalive_timeout_ms", 10_000))


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway by its address."""

    target: str
    credentials: grpc.ChannelCredentials | None

    def channel(self) -> grpc.aio.Channel:
        """Returns a new channel; it connects when it is first used."""
        return new_channel(self.target, self.credentials, _OPTIONS)


def gateway_at(address: str, authority: Path | None) -> Gateway:
    """Returns the gateway of an address.

    Args:
        address: `HOST:PORT`, or `https://HOST[:PORT]`.
        authority: a file of the certificates to trust, PEM; those of the system if None.

    Raises:
        typer.BadParameter: no such address, or an authority without TLS.
        OSError: the authority cannot be read.
    """
    if address.startswith(_TLS):
        trusted = _system_roots() if authority is None else authority.read_bytes()
        return Gateway(_tls_target(address), grpc.ssl_channel_credentials(trusted))
    if "/" in address:
        raise typer.BadParameter(f"{address!r} is neither HOST:PORT nor https://HOST[:PORT]", param_hint="--address")
    if authority is not None:
        raise typer.BadParameter("it needs an address that begins with https://", param_hint="--ca-file")
    return Gateway(address, None)


def _tls_target(address: str) -> str:
    parts = urlsplit(address)
    try:
        host, port = parts.hostname, parts.port or _TLS_PORT
    except ValueError:
        host, port = None, 0
    if not host or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise typer.BadParameter(f"{address!r} is not https://HOST[:PORT]", param_hint="--address")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _system_roots() -> bytes | None:
    """Returns the certificates that OpenSSL trusts here (SSL_CERT_FILE, SSL_CERT_DIR); gRPC's own for None."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile is not None:
        return Path(paths.cafile).read_bytes()
    files = sorted(Path(paths.capath).glob("*.[0-9]")) if paths.capath is not None else []
    return b"\n".join(file.read_bytes() for file in files) or None
