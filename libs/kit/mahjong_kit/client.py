"""Calls to other services: each has a deadline, the request id and a token, and is ended when it is given up."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions

from mahjong_kit import tracing
from mahjong_kit.auth import InternalTokens
from mahjong_kit.call import REQUEST_ID_KEY, current_request_id, time_left_s
from mahjong_kit.descriptors import service_of
from mahjong_kit.layers import AUTHORIZATION_KEY
from mahjong_kit.tls import new_channel

StubT = TypeVar("StubT")
CallT = TypeVar("CallT")

UNARY_TIMEOUT_S = 5.0
STREAM_TIMEOUT_S = 4 * 3600.0
"""Longer than any match; streams that must live on are watched again."""
_IDEMPOTENT = (MethodOptions.IDEMPOTENT, MethodOptions.NO_SIDE_EFFECTS)
_RETRY_POLICY = {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}


@asynccontextmanager
async def open_stub(
    stub: Callable[[grpc.aio.Channel], StubT],
    address: str,
    *,
    tokens: InternalTokens | None,
    credentials: grpc.ChannelCredentials | None = None,
    timeout_s: float = UNARY_TIMEOUT_S,
) -> AsyncIterator[StubT]:
    """Gives a stub of the service at an address; the connection is made when it is first needed.

    UNAVAILABLE is retried only for methods whose proto says `idempotency_level`.

    Args:
        stub: The generated class, such as `AccountServiceStub`.
        address: Host and port.
        tokens: Who calls, for calls that bring no `authorization` of their own.
        credentials: What the connection is secured by (`tls.channel_credentials`); None makes a plain one.
        timeout_s: Deadline of unary calls that bring none of their own.
    """
    service = service_of(stub, "Stub")  # type: ignore[arg-type]
    async with new_channel(address, credentials, _options(service)) as channel:
        yield stub(_Channel(channel, tokens, timeout_s))


@asynccontextmanager
async def streaming(call: CallT) -> AsyncIterator[CallT]:
    """Gives an open stream and cancels it when the block ends, however it ends (grpc.aio leaks abandoned calls)."""
    try:
        yield call
    finally:
        call.cancel()  # type: ignore[attr-defined]


def _options(service: ServiceDescriptor) -> list[tuple[str, Any]]:
    retried = [
        {"service": service.full_name, "method": method.name}
        for method in service.methods
        if method.GetOptions().idempotency_level in _IDEMPOTENT
    ]
    config: dict[str, Any] = {"loadBalancingConfig": [{"round_robin": {}}]}  # Where an address stands for several.
    if retried:
        config["methodConfig"] = [{"name": retried, "retryPolicy": _RETRY_POLICY}]
    return [
        ("grpc.service_config", json.dumps(config)),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        ("grpc.keepalive_time_ms", 10_000),
        ("grpc.keepalive_timeout_ms", 5_000),
    ]


class _Channel(grpc.aio.Channel):
    """The channel as a stub sees it: adds to each call what every call must have."""

    def __init__(self, channel: grpc.aio.Channel, tokens: InternalTokens | None, timeout_s: float) -> None:
        self._channel = channel
        self._tokens = tokens
        self._timeout_s = timeout_s

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        start = self._channel.unary_unary(*args, **kwargs)

        async def call(request: Any, *, timeout: float | None = None, metadata: Any = None) -> Any:  # noqa: ASYNC109 - gRPC's own signature
            pending = start(request, timeout=_timeout_s(timeout, self._timeout_s), metadata=self._metadata(metadata))
            try:
                return await pending
            finally:
                pending.cancel()

        return call

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        start = self._channel.unary_stream(*args, **kwargs)

        def call(request: Any, *, timeout: float | None = None, metadata: Any = None) -> Any:
            return start(request, timeout=_timeout_s(timeout, STREAM_TIMEOUT_S), metadata=self._metadata(metadata))

        return call

    def _metadata(self, given: Any) -> tuple[tuple[str, str], ...]:
        metadata = dict(given or ())
        if request_id := current_request_id():
            metadata.setdefault(REQUEST_ID_KEY, request_id)
        if self._tokens is not None and AUTHORIZATION_KEY not in metadata:
            metadata[AUTHORIZATION_KEY] = f"Bearer {self._tokens.token()}"
        tracing.inject(metadata)
        return tuple(metadata.items())

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        return self._channel.stream_unary(*args, **kwargs)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        return self._channel.stream_stream(*args, **kwargs)

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        await self._channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002 - gRPC's own signature
        return self._channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self._channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self._channel.channel_ready()


def _timeout_s(given_s: float | None, default_s: float) -> float:
    left_s = time_left_s()
    wanted_s = default_s if given_s is None else given_s
    return wanted_s if left_s is None else min(wanted_s, left_s)
