"""A stub of TableService whose WatchTable goes over a shared stream, as that of a gateway's clients does."""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from typing import Any

import grpc
from grpc.aio import Metadata

from mahjong_gateway.metrics import GatewayMetrics
from mahjong_gateway.shared_views import SharedViews
from mahjong_gateway.view import View
from mahjong_kit.auth import InternalTokens
from mahjong_kit.errors import STATUS_KEY, ServiceError, error_status
from mahjong_kit.metrics import ServiceMetrics
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub

_VIEW_BYTES_MAX = 256 << 10


class SharedStub:
    """The calls of TableService at one worker."""

    def __init__(self, channel: grpc.aio.Channel, tokens: InternalTokens) -> None:
        self._channel = channel
        self._stub: Any = TableServiceStub(channel)
        self._views = SharedViews(tokens, GatewayMetrics(ServiceMetrics("gateway")), _VIEW_BYTES_MAX)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stub, name)

    def WatchTable(self, request: pb.WatchTableRequest, *, metadata: Any) -> "SharedCall":
        """Watches a table."""
        authorization = dict(metadata)["authorization"]
        return SharedCall(self._views.view(self._channel, request.SerializeToString(), authorization))


class SharedCall:
    """WatchTable, as far as players use calls of gRPC."""

    def __init__(self, opened: AbstractContextManager[View]) -> None:
        self._opened: AbstractContextManager[View] | None = opened
        self._view = opened.__enter__()

    async def __aiter__(self) -> AsyncIterator[pb.WatchTableResponse]:
        """Gives the responses as they come.

        Raises:
            AioRpcError: how the view ended.
        """
        try:
            async for message in self._view.messages():
                yield pb.WatchTableResponse.FromString(message)
        except ServiceError as error:
            trailers = Metadata((STATUS_KEY, error_status(error).SerializeToString()))
            raise grpc.aio.AioRpcError(error.code, Metadata(), trailers, error.message) from error

    def cancel(self) -> None:
        """Closes the view."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.__exit__(None, None, None)
