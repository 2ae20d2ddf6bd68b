"""TLS between services: each has a certificate, signed by an authority of the platform's own, in mounted files."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from cryptography import x509

from mahjong_kit.log import get_logger
from mahjong_kit.settings import ServiceSettings, SettingsError, prefix_of

_log = get_logger()


class TlsFiles(NamedTuple):
    """Where a process finds its certificate with its key, and the certificates of the authority; all PEM."""

    certificate: Path | None = None
    key: Path | None = None
    authority: Path | None = None


def channel_credentials(settings: ServiceSettings) -> grpc.ChannelCredentials | None:
    """Returns what a service's calls to others are secured by, or None if they are not.

    Raises:
        SettingsError: A file can't be read.
    """
    try:
        return calling_credentials(_files_of(settings))
    except OSError as error:
        raise _unreadable(settings, error) from error


def calling_credentials(files: TlsFiles) -> grpc.ChannelCredentials | None:
    """Returns what calls are secured by: TLS if there is an authority, with a certificate of our own if there is one.

    Raises:
        OSError: A file can't be read.
    """
    if files.authority is None:
        return None
    if files.certificate is None or files.key is None:
        return grpc.ssl_channel_credentials(files.authority.read_bytes())
    return grpc.ssl_channel_credentials(
        files.authority.read_bytes(), files.key.read_bytes(), files.certificate.read_bytes()
    )


def certificate_end(settings: ServiceSettings) -> float:
    """Returns when the certificate ends that calls are made by, in seconds since the epoch; infinite without one.

    Calls keep what they read at the start: a renewed certificate counts for them once the process starts again.

    Raises:
        SettingsError: The file can't be read, or is none.
    """
    file = settings.tls_certificate_file
    try:
        return (
            math.inf
            if file is None
            else x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc.timestamp()
        )
    except OSError as error:
        raise _unreadable(settings, error) from error
    except ValueError as error:
        raise SettingsError(f"{prefix_of(type(settings))}TLS_CERTIFICATE_FILE is wrong: no certificate") from error


def server_credentials(settings: ServiceSettings) -> grpc.ServerCredentials | None:
    """Returns what a service's port is secured by, or None if it is not; renewed files count from the next connection.

    Raises:
        SettingsError: A file is not set or can't be read.
    """
    if settings.tls == "off":
        return None
    is_mutual = settings.tls == "mutual"
    files = _files_of(settings)
    for name in ("certificate", "key", "authority") if is_mutual else ("certificate", "key"):
        if getattr(files, name) is None:
            raise SettingsError(f"{prefix_of(type(settings))}TLS_{name.upper()}_FILE is not set")
    try:
        return grpc.dynamic_ssl_server_credentials(
            _configuration(files, is_mutual=is_mutual), _Renewal(files, is_mutual=is_mutual), is_mutual
        )
    except OSError as error:
        raise _unreadable(settings, error) from error


def new_channel(
    address: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
) -> grpc.aio.Channel:
    """Returns a channel, by TLS if there are credentials; the other end's certificate must name its host."""
    if credentials is None:
        return grpc.aio.insecure_channel(address, options=options)
    return grpc.aio.secure_channel(address, credentials, options=options)


class _Renewal:
    """Reads the server's files again once they have changed; gRPC asks at each new connection."""

    def __init__(self, files: TlsFiles, *, is_mutual: bool) -> None:
        self._files = files
        self._is_mutual = is_mutual
        self._read = self._state()

    def __call__(self) -> Any:
        """Returns the new configuration, or None if the present one stays."""
        try:
            state = self._state()
            if state == self._read:
                return None
            configuration = _configuration(self._files, is_mutual=self._is_mutual)
        except OSError as error:  # In the middle of a renewal; the next connection asks again.
            _log.warning("certificate.unreadable", problem=error.strerror)
            return None
        self._read = state
        _log.info("certificate.renewed")
        return configuration

    def _state(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(None if path is None else (path.stat().st_mtime_ns, path.stat().st_ino) for path in self._files)


def _configuration(files: TlsFiles, *, is_mutual: bool) -> Any:
    assert files.certificate is not None
    assert files.key is not None
    pair = (files.key.read_bytes(), files.certificate.read_bytes())
    authority = files.authority.read_bytes() if is_mutual and files.authority is not None else None
    return grpc.ssl_server_certificate_configuration([pair], authority)


def _files_of(settings: ServiceSettings) -> TlsFiles:
    return TlsFiles(settings.tls_certificate_file, settings.tls_key_file, settings.tls_authority_file)


def _unreadable(settings: ServiceSettings, error: OSError) -> SettingsError:
    names = ("certificate", "key", "authority")
    name = next((name for name in names if str(getattr(_files_of(settings), name)) == error.filename), "certificate")
    return SettingsError(f"{prefix_of(type(settings))}TLS_{name.upper()}_FILE is wrong: {error.strerror}")
