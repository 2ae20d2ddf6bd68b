"""Sends calls on to the services behind: bytes in, bytes out."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import ExitStack, aclosing
from typing import Any, Final

import grpc

from mahjong_gateway.peers import PEER_KEY, current_peer
from mahjong_gateway.routes import ACCOUNTS, GATEWAY, Route
from mahjong_gateway.routing import TABLES, Routing
from mahjong_gateway.shared_views import METHOD_NOT_FOUND, SharedViews
from mahjong_gateway.view import moved
from mahjong_kit import tracing
from mahjong_kit.call import REQUEST_ID_KEY, current_request_id, time_left_s
from mahjong_kit.errors import ServiceError, service_unreachable
from mahjong_kit.forwarding import forwarded
from mahjong_kit.layers import AUTHORIZATION_KEY
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

WATCH_TABLE: Final = "/mahjongplanet.table.v1.TableService/WatchTable"
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
_AWAY_OR_OLD: Final = _AWAY | {METHOD_NOT_FOUND}
"""Of streams also: a worker that does not know shared streams yet is asked for one of its own next."""
_LEASE_LOST: Final = ErrorReason.Name(ErrorReason.ERROR_REASON_LEASE_LOST)
_NOT_DONE: Final = frozenset(
    map(ErrorReason.Name, (ErrorReason.ERROR_REASON_DRAINING, ErrorReason.ERROR_REASON_LEASE_LOST))
)
"""Reasons that tell that nothing has happened: any call may be made again."""

Answer = Callable[[bytes], Awaitable[bytes]]
"""A method that the gateway answers itself."""


class Forwarder:
    """Makes the calls behind the gateway."""

    def __init__(
        self,
        routing: Routing,
        shared: SharedViews,
        own: Mapping[str, Answer],
        *,
        call_timeout_s: float,
        hold_s: float,
        stream_age_max_s: float,
    ) -> None:
        self._routing = routing
        self._shared = shared
        self._own = own
        """The gateway's own methods, by path."""
        self._call_timeout_s = call_timeout_s
        self._hold_s = hold_s
        self._stream_age_max_s = stream_age_max_s

    async def answer(self, route: Route, request: bytes, caller: Mapping[str, str | bytes]) -> bytes:
        """Makes a unary call; one that may be repeated is held for a while when its service is away or its table moves.

        Args:
            route: the method.
            request: the message.
            caller: metadata of the caller.

        Raises:
            ServiceError: what the service says, or `SERVICE_UNREACHABLE`.
        """
        if route.service == GATEWAY:
            return await self._own[route.path](request)
        hold: _Hold | None = None
        while True:
            try:
                return await self._attempt(route, request, caller)
            except ServiceError as error:
                may_repeat = error.reason in (_AWAY if route.is_repeatable else _NOT_DONE)
                hold = hold or _Hold(self._hold_s)
                if not may_repeat or hold.is_over:
                    raise _told(error) from error
            await self._wait(route, hold)

    async def stream(
        self, route: Route, request: bytes, caller: Mapping[str, str | bytes]
    ) -> AsyncGenerator[bytes, None]:
        """Makes a streaming call and gives its messages; when the generator is closed, so is the call.

        Until the first message has come it is held as unary calls are; later it ends and the client resumes it.

        Raises:
            ServiceError: what the service says; `SERVICE_UNREACHABLE`; `DRAINING` when the stream has grown too old.
        """
        hold: _Hold | None = None
        has_begun = False
        source = self._viewed if route.path == WATCH_TABLE else self._messages
        while True:
            try:
                async with aclosing(source(route, request, caller)) as messages:
                    async for message in messages:
                        has_begun = True
                        yield message
            except ServiceError as error:
                hold = hold or _Hold(self._hold_s)
                if has_begun or error.reason not in _AWAY_OR_OLD or hold.is_over:
                    raise _told(error) from error
            else:
                return
            await self._wait(route, hold)

    async def _messages(
        self, route: Route, request: bytes, caller: Mapping[str, str | bytes]
    ) -> AsyncGenerator[bytes, None]:
        left_s = time_left_s()
        lives_s = self._stream_age_max_s if left_s is None else min(left_s, self._stream_age_max_s)
        with self._routing.lane(route, request) as lane:
            start: Any = lane.channel.unary_stream(route.path)
            call = lane.call = start(request, timeout=lives_s, metadata=_metadata(route, caller))
            try:
                async for message in call:
                    yield message
            except grpc.aio.AioRpcError as error:
                told = forwarded(error, route.service)
                if told.code is grpc.StatusCode.DEADLINE_EXCEEDED and lives_s == self._stream_age_max_s:
                    told = moved()
                raise told from error
            except asyncio.CancelledError:
                if lane.has_moved and not _is_cancelled():
                    raise moved() from None
                raise
            finally:
                call.cancel()

    async def _viewed(
        self, route: Route, request: bytes, caller: Mapping[str, str | bytes]
    ) -> AsyncGenerator[bytes, None]:
        """Gives the messages of WatchTable, which its worker sends by the stream that it shares with others."""
        authorization = _authorization(route, caller)
        with ExitStack() as stack:
            lane = stack.enter_context(self._routing.lane(route, request))
            if self._shared.serves(lane.channel):
                view = lane.call = stack.enter_context(self._shared.view(lane.channel, request, authorization))
                age = asyncio.get_running_loop().call_later(self._stream_age_max_s, view.cancel)
                stack.callback(age.cancel)
                messages = view.messages()
            else:  # A worker of the release before.
                messages = self._messages(route, request, caller)
            async with aclosing(messages):
                async for message in messages:
                    yield message

    async def _wait(self, route: Route, hold: "_Hold") -> None:
        """Waits a little; by then it is known where the table has gone."""
        await asyncio.sleep(hold.next_pause_s())
        if route.service == TABLES:
            await self._routing.look_up()

    async def _attempt(self, route: Route, request: bytes, caller: Mapping[str, str | bytes]) -> bytes:
        left_s = time_left_s()
        timeout_s = self._call_timeout_s if left_s is None else left_s
        with self._routing.lane(route, request) as lane:
            start: Any = lane.channel.unary_unary(route.path)
            call = lane.call = start(request, timeout=timeout_s, metadata=_metadata(route, caller))
            try:
                response: bytes = await call
            except grpc.aio.AioRpcError as error:
                raise forwarded(error, route.service) from error
            except asyncio.CancelledError:
                if lane.has_moved and not _is_cancelled():
                    raise service_unreachable(route.service) from None  # Whether it was done, only a retry tells.
                raise
            finally:
                call.cancel()
        return response


class _Hold:
    """How long a call is still made again from its first failure on, and the pauses in between."""

    def __init__(self, hold_s: float) -> None:
        self._until = asyncio.get_running_loop().time() + hold_s
        self._pause_s = _PAUSE_FIRST_S

    @property
    def is_over(self) -> bool:
        """Whether the next pause would be too long."""
        return asyncio.get_running_loop().time() + self._pause_s >= self._until

    def next_pause_s(self) -> float:
        """Returns the next pause; each is longer than the one before."""
        pause_s = self._pause_s
        self._pause_s = min(pause_s * 2, _PAUSE_LONGEST_S)
        return pause_s


def _told(error: ServiceError) -> ServiceError:
    """Returns what a client is told: that a table moves is no concern of its player's, so it only tries again."""
    return moved() if error.reason == _LEASE_LOST else error


def _is_cancelled() -> bool:
    """Whether it is the present task that was cancelled, not only its call."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _metadata(route: Route, caller: Mapping[str, str | bytes]) -> tuple[tuple[str, str], ...]:
    added = {REQUEST_ID_KEY: current_request_id()}
    tracing.inject(added)
    if route.service == ACCOUNTS and (peer := current_peer()):
        added[PEER_KEY] = peer
    if authorization := _authorization(route, caller):
        added[AUTHORIZATION_KEY] = authorization
    return tuple(added.items())


def _authorization(route: Route, caller: Mapping[str, str | bytes]) -> str:
    """Returns what signs the caller in, in a form that every transport carries; of methods of anybody nobody looks."""
    return " ".join(str(caller.get(AUTHORIZATION_KEY, "")).split()) if route.needs_player else ""
