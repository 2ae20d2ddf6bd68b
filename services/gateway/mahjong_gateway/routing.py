"""Where the services behind the gateway are.

Today each has one address. The look-up of the worker that owns a table's shard comes here: `channel_for` sees the
request, and whoever gets LEASE_LOST asks again.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import grpc

from mahjong_gateway.routes import Route

_OPTIONS: Final = (
    ("grpc.enable_retries", 0),  # What may be repeated is repeated by the forwarder, within its own time.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
)


class Routing:
    """Knows the channel for each call."""

    def __init__(self, channels: Mapping[str, grpc.aio.Channel]) -> None:
        self._channels = channels

    def channel_for(self, route: Route, request: bytes) -> grpc.aio.Channel:
        """Returns the channel that a request goes by."""
        del request
        return self._channels[route.service]


@asynccontextmanager
async def open_routing(addresses: Mapping[str, str]) -> AsyncIterator[Routing]:
    """Gives the routing over channels to the services; connections are made when they are first needed.

    Args:
        addresses: host and port of each service, by its name.
    """
    async with AsyncExitStack() as stack:
        channels = {
            name: await stack.enter_async_context(grpc.aio.insecure_channel(address, options=_OPTIONS))
            for name, address in addresses.items()
        }
        yield Routing(channels)
