"""Sends calls on to the services behind: bytes in, bytes out."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any, Final

import grpc

from mahjong_gateway.routes import GATEWAY, Route
from mahjong_gateway.routing import Routing
from mahjong_kit.call import REQUEST_ID_KEY, current_request_id, time_left_s
from mahjong_kit.errors import ServiceError, UnavailableError
from mahjong_kit.forwarding import forwarded
from mahjong_kit.layers import AUTHORIZATION_KEY
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

_PAUSE_FIRST_S: Final = 0.05
_PAUSE_LONGEST_S: Final = 0.4
_AWAY: Final = frozenset(
    map(
        ErrorReason.Name,
        (
            ErrorReason.ERROR_REASON_SERVICE_UNREACHABLE,
            ErrorReason.ERROR_REASON_DRAINING,
            ErrorReason.ERROR_REASON_LEASE_LOST,
        ),
    )
)
"""Reasons of a service that is restarting or moving: it takes the call soon."""

Answer = Callable[[bytes], Awaitable[bytes]]
"""A method that the gateway answers itself."""


class Forwarder:
    """Makes the calls behind the gateway."""

    def __init__(
        self,
        routing: Routing,
        own: Mapping[str, Answer],
        *,
        call_timeout_s: float,
        hold_s: float,
        stream_age_max_s: float,
    ) -> None:
        self._routing = routing
        self._own = own
        """The gateway's own methods, by path."""
        self._call_timeout_s = call_timeout_s
        self._hold_s = hold_s
        self._stream_age_max_s = stream_age_max_s

    async def answer(self, route: Route, request: bytes, caller: Mapping[str, str | bytes]) -> bytes:
        """Makes a unary call; one that may be repeated is held for a while when its service is away.

        Args:
            route: the method.
            request: the message.
            caller: metadata of the caller.

        Raises:
            ServiceError: what the service says, or `SERVICE_UNREACHABLE`.
        """
        if route.service == GATEWAY:
            return await self._own[route.path](request)
        loop = asyncio.get_running_loop()
        held_until = loop.time() + (self._hold_s if route.is_repeatable else 0.0)
        pause_s = _PAUSE_FIRST_S
        while True:
            try:
                return await self._attempt(route, request, caller)
            except ServiceError as error:
                if error.reason not in _AWAY or loop.time() + pause_s >= held_until:
                    raise
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _PAUSE_LONGEST_S)

    async def stream(
        self, route: Route, request: bytes, caller: Mapping[str, str | bytes]
    ) -> AsyncGenerator[bytes, None]:
        """Makes a streaming call and gives its messages; when the generator is closed, so is the call.

        Raises:
            ServiceError: what the service says; `SERVICE_UNREACHABLE`; `DRAINING` when the stream has grown too old.
        """
        left_s = time_left_s()
        lives_s = self._stream_age_max_s if left_s is None else min(left_s, self._stream_age_max_s)
        start: Any = self._routing.channel_for(route, request).unary_stream(route.path)
        call = start(request, timeout=lives_s, metadata=_metadata(caller))
        try:
            async for message in call:
                yield message
        except grpc.aio.AioRpcError as error:
            told = forwarded(error, route.service)
            if told.code is grpc.StatusCode.DEADLINE_EXCEEDED and lives_s == self._stream_age_max_s:
                told = UnavailableError(ErrorReason.ERROR_REASON_DRAINING, retry_after_s=0.0)
            raise told from error
        finally:
            call.cancel()

    async def _attempt(self, route: Route, request: bytes, caller: Mapping[str, str | bytes]) -> bytes:
        left_s = time_left_s()
        start: Any = self._routing.channel_for(route, request).unary_unary(route.path)
        call = start(request, timeout=self._call_timeout_s if left_s is None else left_s, metadata=_metadata(caller))
        try:
            response: bytes = await call
        except grpc.aio.AioRpcError as error:
            raise forwarded(error, route.service) from error
        finally:
            call.cancel()
        return response


def _metadata(caller: Mapping[str, str | bytes]) -> tuple[tuple[str, str | bytes], ...]:
    metadata: list[tuple[str, str | bytes]] = [(REQUEST_ID_KEY, current_request_id())]
    if authorization := caller.get(AUTHORIZATION_KEY):
        metadata.append((AUTHORIZATION_KEY, authorization))
    return tuple(metadata)
