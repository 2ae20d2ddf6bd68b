"""The built web client, served from memory: only what was found in its folder has an address."""

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mahjong_kit.log import get_logger

INDEX: Final = "/index.html"
ASSETS: Final = "/assets/"
"""Files below have a hash of their content in their names."""
FILE_BYTES_MAX: Final = 16 << 20
_COMPRESSED_FROM_BYTES: Final = 1024
_IMMUTABLE: Final = b"public, max-age=31536000, immutable"
_REVALIDATED: Final = b"no-cache"
_CONTENT_SECURITY_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; media-src 'self'; "
    b"connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", _CONTENT_SECURITY_POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=()"),
)
_NOT_BUILT: Final = (
    b"The web client is not built. Run `make clients/web/dist/index.html`, then reload this page.\n"
    b"The API is served all the same: see docs/api/gateway.md.\n"
)
_NOT_FOUND: Final = b"There is nothing at this address.\n"

_log = get_logger()


@dataclass(frozen=True, slots=True)
class WebFile:
    """One file, ready to be sent."""

    content_type: str
    content: bytes
    compressed: bytes | None
    etag: bytes
    cache_control: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """What is sent for a request of a page or file."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""


class WebFiles:
    """Answers requests for the page and its files; reads the folder again when the page has been built anew."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._built_at: int | None = None
        self._files: Mapping[str, WebFile] = {}

    def respond(self, path: str, headers: Mapping[bytes, bytes]) -> Response:
        """Returns the response to a GET.

        Args:
            path: path of the request, percent-decoded; addresses of the page's own views get the page.
            headers: headers of the request, by their names in lower case.
        """
        self._reload_if_changed()
        if INDEX not in self._files:
            return _plain(503, _NOT_BUILT, (b"retry-after", b"10"))
        file = self._files.get(path)
        if file is None and not path.startswith(ASSETS) and b"text/html" in headers.get(b"accept", b""):
            file = self._files[INDEX]
        return _plain(404, _NOT_FOUND) if file is None else _response(file, headers)

    def _reload_if_changed(self) -> None:
        try:
            built_at = (self._root / INDEX.strip("/")).stat().st_mtime_ns
        except OSError:
            self._built_at, self._files = None, {}
            return
        if built_at != self._built_at:
            self._files = read_files(self._root)
            self._built_at = built_at
            _log.info("client.loaded", files=len(self._files))


def read_files(root: Path) -> dict[str, WebFile]:
    """Returns the files below a folder by their addresses; no links, nothing hidden, nothing larger than the limit."""
    files = {}
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        is_served = path.is_file() and not any(part.startswith(".") for part in parts)
        if is_served and path.resolve() == root.resolve().joinpath(*parts) and path.stat().st_size <= FILE_BYTES_MAX:
            files["/" + "/".join(parts)] = _web_file("/" + "/".join(parts), path.read_bytes())
    if INDEX in files:
        files["/"] = files[INDEX]
    return files


def _web_file(address: str, content: bytes) -> WebFile:
    kind = mimetypes.guess_type(address)[0] or "application/octet-stream"
    is_text = kind.startswith("text/") or kind in {"application/javascript", "application/json", "image/svg+xml"}
    compressed = gzip.compress(content, 9, mtime=0) if is_text and len(content) >= _COMPRESSED_FROM_BYTES else None
    return WebFile(
        content_type=f"{kind}; charset=utf-8" if is_text else kind,
        content=content,
        compressed=compressed,
        etag=b'"' + hashlib.sha256(content).hexdigest()[:32].encode() + b'"',
        cache_control=_IMMUTABLE if address.startswith(ASSETS) else _REVALIDATED,
    )


def _response(file: WebFile, headers: Mapping[bytes, bytes]) -> Response:
    sent = [*_HEADERS, (b"cache-control", file.cache_control), (b"etag", file.etag), (b"vary", b"accept-encoding")]
    if file.etag in headers.get(b"if-none-match", b""):
        return Response(304, sent)
    sent.append((b"content-type", file.content_type.encode()))
    if file.compressed is not None and b"gzip" in headers.get(b"accept-encoding", b""):
        return Response(200, [*sent, (b"content-encoding", b"gzip")], file.compressed)
    return Response(200, sent, file.content)


def _plain(status: int, text: bytes, *more: Any) -> Response:
    headers = [*_HEADERS, (b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store"), *more]
    return Response(status, headers, text)
