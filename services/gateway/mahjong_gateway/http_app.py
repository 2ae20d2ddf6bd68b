"""What the public HTTP port answers: calls, the page and its files, and whether the gateway is well."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Final

from mahjong_gateway import key_set
from mahjong_gateway.key_set import KeySet
from mahjong_gateway.routes import Route
from mahjong_gateway.web_files import Response, WebFiles
from mahjong_kit.log import get_logger

HEALTH: Final = "/healthz"
_CALLS: Final = "/mahjongplanet."
_NATIVE_GRPC: Final = (b"application/grpc", b"application/grpc+proto", b"application/grpc+json")
_ACCEPT_COMPRESSED: Final = (b"accept-encoding", b"connect-accept-encoding", b"grpc-accept-encoding")
_COMPRESSED_SERVICE: Final = "replay"
"""Only these responses are large enough to be worth the time of compressing them."""
_CALL_HEADERS: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
_REQUEST_HEADERS: Final = (
    b"authorization",
    b"content-type",
    b"connect-protocol-version",
    b"connect-timeout-ms",
    b"grpc-timeout",
    b"x-grpc-web",
    b"x-request-id",
)
_ALLOWED: Final = (
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-allow-headers", b", ".join(_REQUEST_HEADERS)),
    (b"access-control-max-age", b"7200"),
)
_EXPOSED: Final = (
    b"access-control-expose-headers",
    b"grpc-status, grpc-message, grpc-status-details-bin, x-request-id",
)
_TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_log = get_logger()


class HttpApp:
    """The ASGI application of the gateway."""

    def __init__(
        self,
        calls: Any,
        routes: Mapping[str, Route],
        files: WebFiles,
        keys: KeySet,
        is_well: Callable[[], Awaitable[bool]],
        *,
        cors_origins: Collection[str],
        body_timeout_s: float,
        stall_timeout_s: float,
    ) -> None:
        self._calls = calls
        self._routes = routes
        self._files = files
        self._keys = keys
        self._is_well = is_well
        self._cors_origins = {origin.encode() for origin in cors_origins}
        self._body_timeout_s = body_timeout_s
        self._stall_timeout_s = stall_timeout_s

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answers one request; nothing that goes wrong reaches the server or the client as text."""
        sender = _Sender(send, self._stall_timeout_s)
        try:
            await self._dispatch(scope, _Receiver(receive, self._body_timeout_s), sender)
        except StalledError:
            _log.info("client.stalled", path=scope["path"])
        except Exception as error:  # noqa: BLE001 - the server would write the traceback on its own, past the log
            _log.error("request.failed", path=scope["path"], exc_info=error)
            if not sender.started:
                await _send(sender, Response(500, [_TEXT], b"Internal error.\n"))

    async def _dispatch(self, scope: dict[str, Any], receive: "_Receiver", send: "_Sender") -> None:
        method, path, headers = scope["method"], scope["path"], dict(scope["headers"])
        if not all(value.isascii() for value in headers.values()):
            await _send(send, Response(400, [_TEXT], b"Headers must be ASCII.\n"))
        elif path == HEALTH:
            well = await self._is_well()
            await _send(send, Response(200, [_TEXT], b"ok\n") if well else Response(503, [_TEXT], b"going down\n"))
        elif method in {"GET", "HEAD"} and path == key_set.PATH:
            await _send(send, await self._keys.respond(), with_body=method == "GET")
        elif method in {"GET", "HEAD"} and not path.startswith(_CALLS):
            response = self._files.respond(path, headers)
            await _send(send, response, with_body=method == "GET")
        elif method == "OPTIONS":
            await _send(send, Response(204, [*self._cors(headers), *_ALLOWED]))
        elif method != "POST":
            await _send(
                send, Response(405, [_TEXT, (b"allow", b"GET, HEAD, OPTIONS, POST")], b"Calls are made by POST.\n")
            )
        elif headers.get(b"content-type", b"").partition(b";")[0].strip().lower() in _NATIVE_GRPC:
            await _send(send, Response(415, [_TEXT], b"Native gRPC has a port of its own.\n"))
        else:
            send.headers = [*_CALL_HEADERS, *self._cors(headers)]
            await self._calls(self._without_compression(scope), receive, send)

    def _without_compression(self, scope: dict[str, Any]) -> dict[str, Any]:
        route = self._routes.get(scope["path"])
        if route is not None and route.service == _COMPRESSED_SERVICE:
            return scope
        headers = [(key, value) for key, value in scope["headers"] if key not in _ACCEPT_COMPRESSED]
        return {**scope, "headers": headers}

    def _cors(self, headers: Mapping[bytes, bytes]) -> Headers:
        origin = headers.get(b"origin", b"")
        if origin not in self._cors_origins:
            return []
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin"), _EXPOSED]


class StalledError(Exception):
    """The client has not read for too long."""


class _Sender:
    """Sends to a client that must keep reading; adds headers to the response of a call."""

    def __init__(self, send: Send, stall_timeout_s: float) -> None:
        self._send = send
        self._stall_timeout_s = stall_timeout_s
        self.headers: Headers = []
        self.started = False

    async def __call__(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            message = {**message, "headers": [*message["headers"], *self.headers]}
        try:
            async with asyncio.timeout(self._stall_timeout_s):
                await self._send(message)
        except TimeoutError:
            raise StalledError from None


class _Receiver:
    """Receives from a client that must send its request without long pauses."""

    def __init__(self, receive: Receive, body_timeout_s: float) -> None:
        self._receive = receive
        self._deadline: float | None = asyncio.get_running_loop().time() + body_timeout_s

    async def __call__(self) -> dict[str, Any]:
        async with asyncio.timeout_at(self._deadline):
            message = await self._receive()
        if not message.get("more_body", False):
            self._deadline = None  # What is waited for from now on is the end of the connection.
        return message


async def _send(send: _Sender, response: Response, *, with_body: bool = True) -> None:
    headers = [*response.headers, (b"content-length", str(len(response.body)).encode())]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body if with_body else b""})
