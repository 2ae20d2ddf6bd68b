"""The other workers, called to make a change of owner quick; a call that fails is only logged."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

import grpc

from mahjong_kit.auth import InternalTokens
from mahjong_kit.client import open_stub
from mahjong_kit.errors import reason_of
from mahjong_kit.log import get_logger
from mahjongplanet.table.v1 import worker_service_pb2 as pb
from mahjongplanet.table.v1.worker_service_pb2_grpc import WorkerServiceStub

_CONNECTIONS_MAX = 64
"""Connections that are kept; workers come and go, and whoever was not called for longest is let go."""

_log = get_logger()


class Peers:
    """Stubs of other workers, by address."""

    def __init__(
        self, tokens: InternalTokens, *, timeout_s: float, credentials: grpc.ChannelCredentials | None = None
    ) -> None:
        self._tokens = tokens
        self._credentials = credentials
        self._timeout_s = timeout_s
        self._stubs: dict[str, tuple[Any, AsyncExitStack]] = {}
        """By address, with what closes each; whoever was called last stands last."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        while self._stubs:
            await self._close(next(iter(self._stubs)))

    async def prepare(self, address: str, shards: Sequence[int]) -> bool:
        """Asks a worker to build tables ahead; returns whether it did."""
        stub = await self._stub(address)
        return await self._call("PrepareShards", stub.PrepareShards, pb.PrepareShardsRequest(shards=shards), address)

    async def offer(self, address: str, shards: Sequence[int]) -> bool:
        """Asks a worker to take shards that were released; returns whether it did."""
        stub = await self._stub(address)
        return await self._call("TakeShards", stub.TakeShards, pb.TakeShardsRequest(shards=shards), address)

    async def _call(self, name: str, call: Any, request: Any, address: str) -> bool:
        try:
            await call(request, timeout=self._timeout_s)
        except grpc.aio.AioRpcError as error:
            reason = reason_of(error) or error.code().name
            _log.warning("peer.missed", call=name, address=address, reason=reason)
            return False
        return True

    async def _stub(self, address: str) -> Any:
        if (known := self._stubs.pop(address, None)) is None:
            if len(self._stubs) >= _CONNECTIONS_MAX:
                await self._close(next(iter(self._stubs)))
            stack = AsyncExitStack()
            opened = open_stub(WorkerServiceStub, address, tokens=self._tokens, credentials=self._credentials)
            known = await stack.enter_async_context(opened), stack
        self._stubs[address] = known
        return known[0]

    async def _close(self, address: str) -> None:
        _, stack = self._stubs.pop(address)
        await stack.aclose()
