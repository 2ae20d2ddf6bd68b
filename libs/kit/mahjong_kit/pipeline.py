"""The one interceptor of a server: puts the layers around every handler, once."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from mahjong_kit.call import REQUEST_ID_KEY, Call
from mahjong_kit.errors import STATUS_KEY, InvalidRequestError, MessageTooLargeError, UnknownMethodError, error_status
from mahjong_kit.layers import Handler, Layer
from mahjong_kit.streams import OpenStreams
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

UNKNOWN_RPC = "unknown"
"""Stands for all methods that do not exist, so that labels stay a closed set."""


class Pipeline(grpc.aio.ServerInterceptor):
    """Wraps every handler in the layers that `layers_of` gives for its method."""

    def __init__(
        self, layers_of: Callable[[str], Sequence[Layer]], streams: OpenStreams, message_bytes_max: int
    ) -> None:
        self._layers_of = layers_of
        self._streams = streams
        self._message_bytes_max = message_bytes_max
        self._handlers: dict[str, Any] = {}

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        """Returns the wrapped handler of a method; methods that do not exist get one that says so."""
        method = handler_call_details.method
        handler = self._handlers.get(method)
        if handler is None:
            bare = await continuation(handler_call_details)
            if bare is None:
                return self._refusing(method)
            handler = self._handlers[method] = self._wrapped(method, bare)
        return handler

    def _wrapped(self, method: str, bare: Any) -> Any:
        layers, rpc = self._layers_of(method), _rpc_name(method)
        if bare.request_streaming:
            return self._wrapped_request_stream(bare, layers, rpc)
        decode = self._decoder(bare.request_deserializer)

        async def answer(call: Call) -> Any:
            return await bare.unary_unary(decode(call.request), call.context)

        async def stream(call: Call) -> None:
            request = decode(call.request)
            await self._streams.run(lambda: bare.unary_stream(request, call.context), call.context)

        handle = layered(stream if bare.response_streaming else answer, layers)
        return _method_handler(handle, rpc, bare.response_serializer, is_stream=bare.response_streaming)

    def _wrapped_request_stream(self, bare: Any, layers: Sequence[Layer], rpc: str) -> Any:
        """Only services and reflection send streams of requests; the transport decodes them and bounds their size."""

        async def stream(call: Call) -> None:
            await self._streams.run(lambda: bare.stream_stream(call.request, call.context), call.context)

        behave = _behaviour(layered(stream, layers), rpc, is_stream=True)
        return grpc.stream_stream_rpc_method_handler(behave, bare.request_deserializer, bare.response_serializer)

    def _refusing(self, method: str) -> Any:
        async def refuse(_: Call) -> None:
            raise UnknownMethodError(ErrorReason.ERROR_REASON_METHOD_NOT_FOUND, method=method)

        handle = layered(refuse, self._layers_of(UNKNOWN_RPC))
        return _method_handler(handle, UNKNOWN_RPC, None, is_stream=False)

    def _decoder(self, deserialize: Callable[[bytes], Any]) -> Callable[[Any], Any]:
        limit = self._message_bytes_max

        def decode(message: bytes) -> Any:
            if len(message) > limit:
                raise MessageTooLargeError(ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE, limit_bytes=limit)
            try:
                return deserialize(message)
            except DecodeError as error:
                raise InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_MESSAGE) from error

        return decode


def layered(handle: Handler, layers: Sequence[Layer]) -> Handler:
    """Returns the handler within the layers, outermost first."""
    for layer in reversed(layers):
        handle = layer(handle)
    return handle


def _method_handler(handle: Handler, rpc: str, serialize: Any, *, is_stream: bool) -> Any:
    # Without a deserializer the handler gets the bytes: decoding happens inside of the layers, behind auth.
    make = grpc.unary_stream_rpc_method_handler if is_stream else grpc.unary_unary_rpc_method_handler
    return make(_behaviour(handle, rpc, is_stream=is_stream), None, serialize)


def _behaviour(handle: Handler, rpc: str, *, is_stream: bool) -> Callable[[Any, Any], Awaitable[Any]]:
    async def behave(request: Any, context: Any) -> Any:
        metadata = dict(context.invocation_metadata() or ())
        call = Call(rpc, request, context, metadata, is_stream=is_stream)
        response = await handle(call)
        if call.error is not None:
            trailers = (
                (REQUEST_ID_KEY, call.request_id),
                (STATUS_KEY, error_status(call.error, call.trace_id).SerializeToString()),
            )
            await context.abort(call.error.code, call.error.message, trailers)
        return response

    return behave


def _rpc_name(method: str) -> str:
    service, _, name = method.removeprefix("/").partition("/")
    return f"{service.rpartition('.')[2]}/{name}"
