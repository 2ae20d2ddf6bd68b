"""How long calls live and how they end."""

import asyncio

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from mahjong_kit.call import time_left_s
from mahjong_kit.client import streaming
from mahjong_kit.errors import retry_after_s
from tests.kit.serving import PATIENCE_S
from tests.kit.wire import refused

LONG_S = 60
DEADLINE_S = 5.0
"""Longer than a busy machine stands still: the handler has begun by then."""


async def wait_for_ever():
    await asyncio.Event().wait()


def counted_for_ever(closed):
    """A stream that sends 1 and then waits; sets the event when it is closed."""

    async def watch():
        try:
            yield 1
            await wait_for_ever()
        finally:
            closed.set()

    return watch


async def test_stream_sends_what_the_handler_gives_in_order(bench):
    async def watch():
        for sequence in range(100):
            yield sequence

    bench.script.watch = watch
    assert [response.sequence async for response in bench.watch_table()] == list(range(100))


async def test_stream_that_is_open_at_the_stop_ends_with_draining(closed_bench):
    closed = asyncio.Event()
    async with closed_bench.open(drain_grace_s=LONG_S) as bench:
        bench.script.watch = counted_for_ever(closed)
        stream = aiter(bench.watch_table())
        await anext(stream)
        await bench.stop()
        with refused() as refusal:
            await anext(stream)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
    assert retry_after_s(refusal.error) == pytest.approx(0.1)
    assert closed.is_set()


async def test_stream_that_opens_while_streams_end_is_told_to_go_elsewhere(bench):
    await bench.built.streams.end_all()
    with refused() as refusal:
        await anext(aiter(bench.watch_table()))
    assert refusal.reason == "DRAINING"


async def test_stream_that_sends_without_a_pause_ends_with_draining_too(bench):
    async def watch():
        sequence = 0
        while True:
            yield (sequence := sequence + 1)

    bench.script.watch = watch
    stream = aiter(bench.watch_table())
    await anext(stream)
    ending = asyncio.create_task(bench.built.streams.end_all())
    with refused() as refusal:
        async for _ in stream:
            pass
    await ending
    assert refusal.reason == "DRAINING"


async def test_unary_call_that_is_open_at_the_stop_is_answered(closed_bench):
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def act():
        begun.set()
        await go_on.wait()

    closed_bench.script.act = act
    async with closed_bench.open(drain_grace_s=LONG_S) as bench:
        call = asyncio.create_task(bench.get_my_table())
        await begun.wait()
        asyncio.get_running_loop().call_later(0.05, go_on.set)
        await bench.stop()
        await call


async def test_health_watch_does_not_hold_up_the_stop(closed_bench):
    seen = []
    async with closed_bench.open(drain_grace_s=LONG_S) as bench:
        stream = aiter(health_pb2_grpc.HealthStub(bench.channel).Watch(health_pb2.HealthCheckRequest()))
        seen.append((await anext(stream)).status)
        await bench.stop()
        with refused() as refusal:
            while True:
                seen.append((await anext(stream)).status)
    assert seen[0] == health_pb2.HealthCheckResponse.SERVING
    assert refusal.reason == "DRAINING"


async def test_reflection_names_the_services_and_does_not_hold_up_the_stop(closed_bench):
    async with closed_bench.open(drain_grace_s=LONG_S) as bench:
        stream = reflection_pb2_grpc.ServerReflectionStub(bench.channel).ServerReflectionInfo()
        await stream.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        services = (await stream.read()).list_services_response.service
        assert "mahjongplanet.table.v1.TableService" in {service.name for service in services}
        await bench.stop()
        with refused() as refusal:
            await stream.read()
    assert refusal.reason == "DRAINING"


async def test_client_that_leaves_ends_the_stream_of_the_handler(bench):
    closed = asyncio.Event()
    bench.script.watch = counted_for_ever(closed)
    async with streaming(bench.watch_table()) as responses:
        await anext(aiter(responses))
    async with asyncio.timeout(60):
        await closed.wait()


async def test_caller_that_is_cancelled_ends_the_handler(bench):
    begun, ended = asyncio.Event(), asyncio.Event()

    async def act():
        begun.set()
        try:
            await wait_for_ever()
        finally:
            ended.set()

    bench.script.act = act
    call = asyncio.create_task(bench.get_my_table())
    await begun.wait()
    call.cancel()
    async with asyncio.timeout(60):
        await ended.wait()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_call_over_the_time_of_the_server_ends_with_its_reason(closed_bench):
    closed_bench.script.act = wait_for_ever
    async with closed_bench.open(call_timeout_s=0.05) as bench:
        with refused() as refusal:
            await bench.get_my_table()
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")


async def test_call_over_the_deadline_of_the_caller_ends_the_handler(bench, logged):
    ended = asyncio.Event()

    async def act():
        try:
            await wait_for_ever()
        finally:
            ended.set()

    bench.script.act = act
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await bench.get_my_table(timeout=DEADLINE_S)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    async with asyncio.timeout(60):
        await ended.wait()
    await bench.stop()
    (line,) = [line for line in logged() if line["event"] == "call.finished"]
    assert line["code"] == "DEADLINE_EXCEEDED"


async def test_time_out_of_something_else_is_a_fault_of_ours(bench):
    async def act():
        raise TimeoutError

    bench.script.act = act
    with refused() as refusal:
        await bench.get_my_table()
    assert refusal.reason == "INTERNAL"


async def test_handler_knows_how_long_it_may_take(bench):
    left_s = []

    async def act():
        left_s.append(time_left_s())

    bench.script.act = act
    await bench.get_my_table(timeout=30.0)
    await bench.get_my_table(timeout=3000.0)
    assert 0.0 < left_s[0] < 30.1 < left_s[1] < PATIENCE_S + 0.1


async def test_outgoing_call_takes_no_longer_than_the_call_that_it_serves(bench):
    left_s = []

    async def inner():
        left_s.append(time_left_s())

    async def outer():
        bench.script.act = inner
        await bench.create_table(timeout=PATIENCE_S)

    bench.script.act = outer
    await bench.get_my_table(timeout=PATIENCE_S / 2)
    assert 0.0 < left_s[0] < PATIENCE_S / 2 + 1.0  # Deadlines are rounded up on the wire.


async def test_task_that_outlives_its_call_is_free_of_its_deadline(bench):
    left_s, is_over = [], asyncio.Event()
    tasks = []

    async def outlive():
        left_s.append(time_left_s())
        await is_over.wait()
        left_s.append(time_left_s())

    async def act():
        tasks.append(asyncio.create_task(outlive()))
        await asyncio.sleep(0)

    bench.script.act = act
    await bench.get_my_table(timeout=30.0)
    is_over.set()
    await tasks[0]
    assert 0.0 < left_s[0] < 30.1
    assert left_s[1] is None


async def test_stream_with_a_deadline_ends_at_it(bench):
    closed = asyncio.Event()
    bench.script.watch = counted_for_ever(closed)
    stream = aiter(bench.watch_table(timeout=DEADLINE_S))
    await anext(stream)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await anext(stream)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    async with asyncio.timeout(60):
        await closed.wait()


async def test_outgoing_call_has_a_deadline_of_its_own(bench):
    left_s = []

    async def act():
        left_s.append(time_left_s())

    bench.script.act = act
    await bench.create_table()
    assert 0.0 < left_s[0] < 5.1


async def test_outgoing_call_carries_the_request_id_on(bench, logged):
    async def inner():
        return None

    async def outer():
        bench.script.act = inner
        await bench.create_table()

    bench.script.act = outer
    await bench.get_my_table(metadata=(*bench.issuer.player(), ("x-request-id", "request-9")))
    finished = [(line["rpc"], line["request_id"]) for line in logged() if line["event"] == "call.finished"]
    assert finished == [("TableService/CreateTable", "request-9"), ("TableService/GetMyTable", "request-9")]
