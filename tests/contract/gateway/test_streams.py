"""Streams through both ports."""

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager

import grpc
import pytest

from mahjong_cli.serve.supervisor import free_ports
from mahjong_kit.errors import StaleStateError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1.table_service_pb2 import WatchTableRequest, WatchTableResponse
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.contract.gateway.paths import WATCH_TABLE, told, told_by_status
from tests.contract.gateway.upstreams import Tables, Workers, flood, heartbeat, upstream
from tests.kit.http import envelope, exchange
from tests.kit.waiting import until
from tests.kit.wire import refused

CONNECT_JSON, CONNECT_PROTO = "application/connect+json", "application/connect+proto"
GRPC_WEB = "application/grpc-web+proto"
REQUEST = WatchTableRequest(table_id="table").SerializeToString()


@asynccontextmanager
async def watching(gateway, token, content_type=CONNECT_JSON):
    """Opens WatchTable; the head of the response comes with the first message."""
    body = envelope(b'{"tableId": "table"}' if content_type == CONNECT_JSON else REQUEST)
    fields = {"content-type": content_type, "authorization": token}
    async with asyncio.timeout(60), exchange(gateway.http, "POST", WATCH_TABLE, fields, body) as made:
        yield made


async def end_of(made):
    """Reads a Connect stream to its end; returns its messages and its error."""
    await made.read_head()
    frames = [frame async for frame in made.envelopes()]
    (flags, end) = frames.pop()
    assert flags == 2
    error = json.loads(end).get("error")
    return [content for _, content in frames], None if error is None else told(error)


@pytest.mark.parametrize("content_type", [CONNECT_JSON, CONNECT_PROTO, GRPC_WEB])
async def test_messages_come_one_by_one_as_the_service_sends_them(gateway, tables, token, content_type):
    async with watching(gateway, token, content_type) as made:
        tables.sent.put_nowait(heartbeat(1))
        await made.read_head()
        assert (made.status, made.headers["content-type"]) == (200, content_type)
        frames = aiter(made.envelopes())
        for sequence in range(1, 5):
            flags, content = await anext(frames)
            assert flags == 0
            if content_type == CONNECT_JSON:
                assert json.loads(content) == {"epoch": "1", "sequence": str(sequence), "heartbeat": {}}
            else:
                assert WatchTableResponse.FromString(content) == heartbeat(sequence)
            tables.sent.put_nowait(heartbeat(sequence + 1))
        tables.sent.put_nowait(None)
        assert (await anext(frames))[0] == 0
        flags, end = await anext(frames)
        assert (flags, end) == ((0x80, b"grpc-status: 0\r\n") if content_type == GRPC_WEB else (2, b"{}"))
    await until(lambda: tables.watching == 0)


async def test_native_stream_passes_messages_and_its_end(gateway, tables, token):
    async with gateway.channel() as channel, asyncio.timeout(60):
        call = TableServiceStub(channel).WatchTable(WatchTableRequest(), metadata=(("authorization", token),))
        for sequence in (1, 2):
            tables.sent.put_nowait(heartbeat(sequence))
            assert (await call.read()).sequence == sequence
        tables.sent.put_nowait(None)
        assert await call.read() is grpc.aio.EOF
        assert await call.code() is grpc.StatusCode.OK


async def test_error_after_messages_keeps_its_reason(gateway, tables, token):
    error = StaleStateError(ErrorReason.ERROR_REASON_SEAT_TAKEN_BY_NEWER_CONNECTION)
    for sent in (heartbeat(1), error, heartbeat(1), error, heartbeat(1), error):
        tables.sent.put_nowait(sent)
    async with watching(gateway, token) as made:
        messages, end = await end_of(made)
    assert (len(messages), end.code, end.reason) == (1, "aborted", "SEAT_TAKEN_BY_NEWER_CONNECTION")
    async with watching(gateway, token, GRPC_WEB) as made:
        await made.read_head()
        *_, (flags, trailer) = [frame async for frame in made.envelopes()]
    trailers = dict(line.split(": ", 1) for line in trailer.decode().strip().split("\r\n"))
    assert (flags, trailers["grpc-status"]) == (0x80, "10")
    assert told_by_status("", trailers["grpc-status-details-bin"]).reason == "SEAT_TAKEN_BY_NEWER_CONNECTION"
    async with gateway.channel() as channel:
        with refused() as refusal:
            async for _ in TableServiceStub(channel).WatchTable(
                WatchTableRequest(), metadata=(("authorization", token),)
            ):
                pass
    assert refusal.reason == "SEAT_TAKEN_BY_NEWER_CONNECTION"


async def test_stream_of_a_stranger_is_refused_before_any_message(gateway, tables):
    async with watching(gateway, "Bearer x") as made:
        messages, end = await end_of(made)
    assert (messages, end.reason) == ([], "TOKEN_INVALID")
    assert tables.watching == 0


@pytest.mark.parametrize("content_type", [CONNECT_JSON, GRPC_WEB])
@pytest.mark.parametrize("is_silent", [True, False])
async def test_client_that_has_gone_ends_the_stream_behind_at_once(gateway, tables, token, content_type, is_silent):
    async with watching(gateway, token, content_type) as made:
        if not is_silent:
            tables.sent.put_nowait(heartbeat(1))
            await made.read_head()
        await until(lambda: tables.watching == 1)
        made.abandon()
        async with asyncio.timeout(60):
            await tables.unwatched.wait()
    assert tables.watching == 0


async def test_native_client_that_has_gone_ends_the_stream_behind(gateway, tables, token):
    async with gateway.channel() as channel:
        call = TableServiceStub(channel).WatchTable(WatchTableRequest(), metadata=(("authorization", token),))
        await until(lambda: tables.watching == 1)
        call.cancel()
        async with asyncio.timeout(60):
            await tables.unwatched.wait()


async def test_client_that_does_not_read_is_given_up(serve_gateway, upstream_address, tables, token):
    for sequence in range(1, 400):
        tables.sent.put_nowait(flood(sequence, 50_000))
    settings = {"stall_timeout_s": 1.0, "view_bytes_max": 64_000_000}
    async with serve_gateway(upstream_address, **settings) as ports, watching(ports, token) as made:
        await made.read_head()
        await until(lambda: ports.metric("rpc_in_flight", rpc="TableService/WatchTable") == 0)
        with pytest.raises((asyncio.IncompleteReadError, ValueError, ConnectionError)):
            async for _ in made.chunks():
                pass


async def test_client_that_reads_too_slowly_gets_a_resync_at_the_end_of_what_it_has(gateway, tables, token):
    tables.flood_bytes = 50_000
    async with watching(gateway, token, CONNECT_PROTO) as made:
        await made.read_head()
        await tables.unwatched.wait()
        frames = [frame async for frame in made.envelopes()]
    *messages, last = [WatchTableResponse.FromString(content) for _, content in frames[:-1]]
    assert last.HasField("resync")
    assert [message.sequence for message in messages] == list(range(1, len(messages) + 1))
    assert frames[-1] == (2, b"{}")
    assert tables.flooded * tables.flood_bytes < 20_000_000, "buffers are bounded"
    assert gateway.metric("views_behind_total") == 1


async def test_account_has_a_bounded_number_of_streams(serve_gateway, upstream_address, tables, token, issuer):
    async with serve_gateway(upstream_address, player_streams_max=2) as ports, AsyncExitStack() as stack:
        first, _ = [await stack.enter_async_context(watching(ports, token)) for _ in range(2)]
        await until(lambda: tables.watching == 2)
        async with watching(ports, token) as made:
            _, end = await end_of(made)
        assert (end.code, end.reason, end.metadata) == ("resource_exhausted", "RATE_LIMITED", {"limit": "streams"})
        assert end.retry_after_s == 5.0
        await stack.enter_async_context(watching(ports, f"Bearer {issuer.access_token('another')}"))
        await until(lambda: tables.watching == 3)
        first.abandon()
        await until(lambda: tables.watching == 2)
        await stack.enter_async_context(watching(ports, token))
        await until(lambda: tables.watching == 3)


async def test_draining_gateway_ends_streams_of_both_ports_with_draining(
    serve_gateway, upstream_address, tables, token
):
    async with AsyncExitStack() as stack:
        serving = serve_gateway(upstream_address)
        ports = await serving.__aenter__()
        made = await stack.enter_async_context(watching(ports, token))
        channel = await stack.enter_async_context(ports.channel())
        native = TableServiceStub(channel).WatchTable(WatchTableRequest(), metadata=(("authorization", token),))
        await until(lambda: tables.watching == 2)
        reading = asyncio.create_task(end_of(made))
        going_down = asyncio.create_task(serving.__aexit__(None, None, None))
        messages, end = await reading
        assert (messages, end.code, end.reason) == ([], "unavailable", "DRAINING")
        assert end.retry_after_s == 0.1
        with refused() as refusal:
            async for _ in native:
                pass
        assert refusal.reason == "DRAINING"
        async with asyncio.timeout(60):
            await going_down
    await until(lambda: tables.watching == 0)


async def test_stream_that_has_grown_too_old_ends_with_draining(serve_gateway, upstream_address, tables, token):
    async with serve_gateway(upstream_address, stream_age_max_s=2.0) as ports, watching(ports, token) as made:
        tables.sent.put_nowait(heartbeat(1))
        messages, end = await end_of(made)
    assert (len(messages), end.reason, end.retry_after_s) == (1, "DRAINING", 0.0)


async def test_callers_own_deadline_ends_a_stream_as_such(gateway, tables, token):
    fields = {"content-type": CONNECT_JSON, "authorization": token, "connect-timeout-ms": "300"}
    async with asyncio.timeout(60), exchange(gateway.http, "POST", WATCH_TABLE, fields, envelope(b"{}")) as made:
        _, end = await end_of(made)
    assert (end.code, end.reason) == ("deadline_exceeded", "DEADLINE_EXCEEDED")
    await until(lambda: tables.watching == 0)


async def test_service_that_ends_in_mid_stream_is_told(serve_gateway, issuer, token):
    tables = Tables()
    async with AsyncExitStack() as stack:
        behind = upstream(issuer, tables)
        address = await behind.__aenter__()
        ports = await stack.enter_async_context(serve_gateway(address))
        made = await stack.enter_async_context(watching(ports, token))
        tables.sent.put_nowait(heartbeat(1))
        await until(lambda: tables.watching == 1)
        reading = asyncio.create_task(end_of(made))
        await behind.__aexit__(None, None, None)
        messages, end = await reading
    assert (len(messages), end.code, end.reason) == (1, "unavailable", "DRAINING")


async def test_clients_share_one_stream_to_their_worker(gateway, tables, workers, issuer):
    tokens = [f"Bearer {issuer.access_token(f'player {number}')}" for number in range(40)]
    async with AsyncExitStack() as stack:
        made = [await stack.enter_async_context(watching(gateway, token)) for token in tokens]
        await until(lambda: tables.watching == len(tokens))
        assert (workers.streams, gateway.metric("shared_streams"), gateway.metric("views")) == (1, 1, 40)
        assert sorted(opening.authorization for opening in workers.openings) == sorted(tokens)
        assert {len(opening.request_id) for opening in workers.openings} == {32}
        for each in made:
            each.abandon()
        await until(lambda: tables.watching == 0)
    await until(lambda: (workers.streams, gateway.metric("views")) == (0, 0))


async def test_worker_of_the_release_before_is_asked_for_a_stream_of_its_own(serve_gateway, issuer, tables, token):
    async with upstream(issuer, tables) as address, serve_gateway(address) as ports, ports.channel() as channel:
        for sequence in (1, 2):
            tables.sent.put_nowait(heartbeat(sequence))
            call = TableServiceStub(channel).WatchTable(WatchTableRequest(), metadata=(("authorization", token),))
            assert (await call.read()).sequence == sequence
            call.cancel()
            await until(lambda: tables.watching == 0)
        assert ports.metric("shared_streams") == 0


async def test_streams_of_a_worker_that_dies_end_and_resume_at_the_next(serve_gateway, issuer, tables, token):
    (port,) = free_ports(1)
    async with AsyncExitStack() as stack:
        behind = upstream(issuer, tables, Workers(tables), port=port)
        await behind.__aenter__()
        ports = await stack.enter_async_context(serve_gateway(f"127.0.0.1:{port}", hold_s=20))
        made = await stack.enter_async_context(watching(ports, token))
        tables.sent.put_nowait(heartbeat(1))
        await until(lambda: tables.watching == 1)
        reading = asyncio.create_task(end_of(made))
        await behind.__aexit__(None, None, None)
        messages, end = await reading
        assert (len(messages), end.code, end.reason) == (1, "unavailable", "DRAINING")
        made = await stack.enter_async_context(watching(ports, token))
        await stack.enter_async_context(upstream(issuer, tables, Workers(tables), port=port))
        tables.sent.put_nowait(heartbeat(2))
        tables.sent.put_nowait(None)
        messages, end = await end_of(made)
    assert ([json.loads(message)["sequence"] for message in messages], end) == (["2"], None)
