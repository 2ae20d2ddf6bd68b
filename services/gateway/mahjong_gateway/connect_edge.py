"""The HTTP edge's calls: Connect and gRPC-Web by the connectrpc library, every route by the same two functions."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final

from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message

from mahjong_gateway.codecs import CODECS, Encoded, Undecoded
from mahjong_gateway.connect_errors import ErrorReasons, connect_error
from mahjong_gateway.forwarder import Forwarder
from mahjong_gateway.http_context import Handover, HttpContext
from mahjong_gateway.routes import Route
from mahjong_kit.call import Call
from mahjong_kit.errors import ServiceError, UnknownMethodError, invalid_field
from mahjong_kit.layers import Layer
from mahjong_kit.pipeline import UNKNOWN_RPC, layered
from mahjong_kit.streams import OpenStreams
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

_REFUSED_UNARY: Final = "/refused"
_REFUSED_STREAM: Final = "/refused-stream"
_TIMEOUTS: Final = {b"connect-timeout-ms": re.compile(rb"\d{1,10}"), b"grpc-timeout": re.compile(rb"\d{1,8}[HMSmun]")}
_STREAM_CONTENT_TYPE: Final = b"application/connect+"

_refusal: ContextVar[ServiceError] = ContextVar("refusal")


class ConnectEdge(ConnectASGIApplication[None]):
    """The ASGI application of all routes."""

    def __init__(
        self,
        routes: Mapping[str, Route],
        layers_of: Callable[[str], Sequence[Layer]],
        forwarder: Forwarder,
        streams: OpenStreams,
        message_bytes_max: int,
    ) -> None:
        self._layers_of = layers_of
        self._forwarder = forwarder
        self._streams = streams
        self._routes = routes
        endpoints = {path: self._endpoint(route) for path, route in routes.items()} | self._refusing()
        super().__init__(
            service=None,
            endpoints=lambda _: endpoints,
            interceptors=(ErrorReasons(message_bytes_max),),
            read_max_bytes=message_bytes_max,
            codecs=CODECS,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers one request; what the library would refuse without a reason goes to a method that only refuses."""
        headers = scope["headers"]
        error = _problem(headers)
        if error is None and scope["path"] not in self._routes:
            error = UnknownMethodError(ErrorReason.ERROR_REASON_METHOD_NOT_FOUND, method=scope["path"])
        if error is not None:
            _refusal.set(error)
            is_stream = any(value.startswith(_STREAM_CONTENT_TYPE) for key, value in headers if key == b"content-type")
            kept = [(key, value) for key, value in headers if key not in _CHECKED]
            scope = {**scope, "path": _REFUSED_STREAM if is_stream else _REFUSED_UNARY, "headers": kept}
        await super().__call__(scope, receive, send)

    @property
    def path(self) -> str:
        """Has no prefix."""
        return ""

    def _endpoint(self, route: Route) -> Any:
        kind = StreamType.SERVER_STREAM if route.is_stream else StreamType.UNARY
        method = _method(route.path, route.request, route.response, kind)
        if route.is_stream:
            return Endpoint.server_stream(method, self._streaming(route))
        return Endpoint.unary(method, self._answering(route))

    def _answering(self, route: Route) -> Any:
        async def forward(call: Call) -> bytes:
            return await self._forwarder.answer(route, call.request.checked(), call.metadata)

        handle = layered(forward, self._layers_of(route.path))

        async def answer(request: Undecoded, ctx: RequestContext[Any, Any]) -> Encoded:
            call = Call(route.rpc, request, HttpContext(ctx), _metadata(ctx), is_stream=False)
            response = await handle(call)
            if call.error is not None:
                raise connect_error(call.error, call.trace_id)
            return Encoded(response, route.response)

        return answer

    def _streaming(self, route: Route) -> Any:
        async def forward(call: Call) -> None:
            request = call.request.checked()
            await self._streams.run(lambda: self._forwarder.stream(route, request, call.metadata), call.context)

        handle = layered(forward, self._layers_of(route.path))

        async def stream(request: Undecoded, ctx: RequestContext[Any, Any]) -> AsyncGenerator[Encoded, None]:
            handover = Handover()
            call = Call(route.rpc, request, HttpContext(ctx, handover), _metadata(ctx), is_stream=True)
            task = asyncio.ensure_future(handle(call))
            task.add_done_callback(handover.end)
            try:
                async for message in handover.taken():
                    yield Encoded(message, route.response)
                await task
            finally:  # Also when the client has gone: the call behind ends with the task.
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            if call.error is not None:
                raise connect_error(call.error, call.trace_id)

        return stream

    def _refusing(self) -> dict[str, Any]:
        async def refuse(_: Call) -> None:
            raise _refusal.get()

        handle = layered(refuse, self._layers_of(UNKNOWN_RPC))

        async def answer(request: Undecoded, ctx: RequestContext[Any, Any]) -> Encoded:
            call = Call(UNKNOWN_RPC, request, HttpContext(ctx), _metadata(ctx), is_stream=False)
            await handle(call)
            assert call.error is not None
            raise connect_error(call.error, call.trace_id)

        async def stream(request: Undecoded, ctx: RequestContext[Any, Any]) -> AsyncGenerator[Encoded, None]:
            yield await answer(request, ctx)

        return {
            _REFUSED_UNARY: Endpoint.unary(_method(_REFUSED_UNARY, Empty, Empty, StreamType.UNARY), answer),
            _REFUSED_STREAM: Endpoint.server_stream(
                _method(_REFUSED_STREAM, Empty, Empty, StreamType.SERVER_STREAM), stream
            ),
        }


def _metadata(ctx: RequestContext[Any, Any]) -> dict[str, str]:
    """Returns the headers, those that came in several lines as one: each proxy may add a line of its own."""
    headers = ctx.request_headers
    return {name: ", ".join(headers.getall(name)) for name in headers}


_CHECKED: Final = (*_TIMEOUTS, b"connect-protocol-version")


def _problem(headers: Iterable[tuple[bytes, bytes]]) -> ServiceError | None:
    """Returns what is wrong with headers that the library would refuse without a reason."""
    for key, value in headers:
        if (pattern := _TIMEOUTS.get(key)) is not None and not pattern.fullmatch(value):
            return invalid_field(key.decode(), "no time in the protocol's form")
        if key == b"connect-protocol-version" and value != b"1":
            return invalid_field(key.decode(), "must be 1")
    return None


def _method(path: str, request: type[Message], response: type[Message], kind: StreamType) -> MethodInfo[Any, Any]:
    service, _, name = path.strip("/").partition("/")
    return MethodInfo(
        name=name,
        service_name=service,
        input=request,
        output=response,
        idempotency_level=IdempotencyLevel.UNKNOWN,  # No calls by GET: they would be cached beside their tokens.
        stream_type=kind,
    )
