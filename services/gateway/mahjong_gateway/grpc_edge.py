"""The native gRPC edge: the same routes as generic handlers on the kit's server."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import grpc
from google.protobuf.message import Message

from mahjong_gateway.forwarder import Forwarder
from mahjong_gateway.routes import Route


def register_routes(server: grpc.aio.Server, routes: Mapping[str, Route], forwarder: Forwarder) -> None:
    """Adds a handler for each route to a server."""
    handlers = {path: _handler(route, forwarder) for path, route in routes.items()}
    server.add_generic_rpc_handlers((_Handlers(handlers),))


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, handlers: Mapping[str, Any]) -> None:
        self._handlers = handlers

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return self._handlers.get(handler_call_details.method)


def _handler(route: Route, forwarder: Forwarder) -> Any:
    async def answer(request: bytes, context: Any) -> bytes:
        return await forwarder.answer(route, request, dict(context.invocation_metadata()))

    def stream(request: bytes, context: Any) -> AsyncGenerator[bytes, None]:
        return forwarder.stream(route, request, dict(context.invocation_metadata()))

    check = _checking(route.request)
    if route.is_stream:
        return grpc.unary_stream_rpc_method_handler(stream, check, None)
    return grpc.unary_unary_rpc_method_handler(answer, check, None)


def _checking(message: type[Message]) -> Any:
    """Returns the deserializer that only checks: the bytes go on as they came."""

    def check(data: bytes) -> bytes:
        message.FromString(data)
        return data

    return check
