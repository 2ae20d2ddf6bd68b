"""What a gateway writes to the stream that it shares with a worker."""

import asyncio
from contextlib import ExitStack

from mahjong_gateway.metrics import GatewayMetrics
from mahjong_gateway.shared_views import SharedViews
from mahjong_kit.auth import InternalTokens, Service
from mahjong_kit.metrics import ServiceMetrics
from tests.kit.tokens import SERVICE_KEY

TRANSPORT_BYTES_MAX = 4 << 20
REQUEST_BYTES_MAX = 64 << 10


class Stream:
    """The call of WatchTables, and the channel that it is made on."""

    def __init__(self):
        self.written = []

    def unary_unary(self, *_, **__):
        return self

    def stream_stream(self, *_, **__):
        return lambda metadata: self

    async def read(self):
        await asyncio.Event().wait()

    async def write(self, request):
        self.written.append(request)

    def cancel(self):
        """Ends nothing."""


async def opened(count, request):
    """Opens that many views at a time; returns the messages that tell the worker so."""
    stream = Stream()
    views = SharedViews(
        InternalTokens(Service("gateway"), SERVICE_KEY), GatewayMetrics(ServiceMetrics("gateway")), 1 << 10
    )
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(views.view(stream, request, "Bearer token"))
        while sum(len(message.openings) for message in stream.written) < count:
            await asyncio.sleep(0)
    views.close()
    return stream.written


async def test_views_that_open_together_are_told_together():
    assert [len(message.openings) for message in await opened(300, b"request")] == [256, 44]


async def test_large_requests_are_told_in_messages_that_a_worker_takes():
    written = await opened(100, bytes(REQUEST_BYTES_MAX))
    assert max(message.ByteSize() for message in written) < TRANSPORT_BYTES_MAX // 8
    assert sorted(each.watch_id for message in written for each in message.openings) == list(range(1, 101))
