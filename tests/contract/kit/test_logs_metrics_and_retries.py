"""What a call leaves behind, and which calls are made again."""

import asyncio
import time

import grpc
import pytest

from mahjong_kit.client import open_stub
from mahjong_kit.errors import ErrorReason, StaleStateError, UnavailableError
from mahjong_kit.metrics import ServiceMetrics, exposed_metrics
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.kit.serving import plain_settings


def sample(bench, name, **labels):
    return bench.metrics.registry.get_sample_value(f"mahjong_test_{name}", labels)


async def stale():
    raise StaleStateError(ErrorReason.ERROR_REASON_DECISION_CLOSED, decision_id="d")


async def test_call_is_counted_by_method_code_and_reason(bench):
    await bench.get_my_table()
    bench.script.act = stale
    with pytest.raises(grpc.aio.AioRpcError):
        await bench.get_my_table()
    rpc = "TableService/GetMyTable"
    assert sample(bench, "rpc_handled_total", rpc=rpc, code="OK", reason="") == 1
    assert sample(bench, "rpc_handled_total", rpc=rpc, code="ABORTED", reason="ERROR_REASON_DECISION_CLOSED") == 1
    assert sample(bench, "rpc_duration_seconds_count", rpc=rpc) == 2
    assert sample(bench, "rpc_in_flight", rpc=rpc) == 0


async def test_stream_counts_as_in_flight_while_it_is_open(bench):
    go_on = asyncio.Event()

    async def watch():
        yield 1
        await go_on.wait()

    bench.script.watch = watch
    stream = aiter(bench.watch_table())
    await anext(stream)
    assert sample(bench, "rpc_in_flight", rpc="TableService/WatchTable") == 1
    go_on.set()
    assert [response async for response in stream] == []
    assert sample(bench, "rpc_in_flight", rpc="TableService/WatchTable") == 0
    assert sample(bench, "rpc_duration_seconds_count", rpc="TableService/WatchTable") is None


async def test_call_leaves_one_line_in_the_log(bench, logged):
    bench.script.act = stale
    with pytest.raises(grpc.aio.AioRpcError):
        await bench.get_my_table(metadata=(*bench.issuer.player("p1", "Lin"), ("x-request-id", "r1")))
    (line,) = [line for line in logged() if line["event"] == "call.finished"]
    assert line.pop("duration_ms") > 0
    assert line.pop("timestamp")
    assert line == {
        "event": "call.finished",
        "level": "info",
        "service": "account",
        "version": "0.1.0",
        "rpc": "TableService/GetMyTable",
        "code": "ABORTED",
        "reason": "ERROR_REASON_DECISION_CLOSED",
        "request_id": "r1",
        "player_id": "p1",
    }


async def test_calls_do_not_inherit_each_others_log_fields(bench, logged):
    await bench.get_my_table(metadata=bench.issuer.player("p1"))
    await bench.create_table(metadata=bench.issuer.service("replay"))
    player_line, service_line = [line for line in logged() if line["event"] == "call.finished"]
    assert "caller_service" not in player_line
    assert "player_id" not in service_line
    assert player_line["request_id"] != service_line["request_id"]


async def test_loop_that_is_held_up_shows_its_lag():
    metrics = ServiceMetrics("test")
    async with exposed_metrics(metrics, plain_settings()):
        await asyncio.sleep(0)
        time.sleep(0.6)  # noqa: ASYNC251 - holding up the loop is what is tested
        async with asyncio.timeout(60):
            while metrics.registry.get_sample_value("mahjong_test_loop_lag_seconds") < 0.3:
                await asyncio.sleep(0.01)


def failing_first(times, calls):
    async def act():
        calls.append(1)
        if len(calls) <= times:
            raise UnavailableError(ErrorReason.ERROR_REASON_STORE_UNREACHABLE, store="database")

    return act


async def test_method_that_may_be_repeated_is_called_again_while_unavailable(bench):
    calls = []
    bench.script.act = failing_first(2, calls)
    await bench.get_my_table()
    assert len(calls) == 3


async def test_method_that_may_not_be_repeated_is_called_once(bench):
    calls = []

    async def watch():
        calls.append(1)
        raise UnavailableError(ErrorReason.ERROR_REASON_STORE_UNREACHABLE, store="database")
        yield

    bench.script.watch = watch
    with pytest.raises(grpc.aio.AioRpcError):
        await anext(aiter(bench.watch_table()))
    assert len(calls) == 1


async def test_other_failures_are_not_repeated(bench):
    calls = []

    async def act():
        calls.append(1)
        await stale()

    bench.script.act = act
    with pytest.raises(grpc.aio.AioRpcError):
        await bench.get_my_table()
    assert len(calls) == 1


async def test_stub_signs_its_calls_as_its_service_unless_they_bring_a_token(bench):
    address = f"127.0.0.1:{bench.built.port}"
    async with open_stub(TableServiceStub, address, tokens=bench.issuer.internal_tokens("matchmaker")) as stub:
        await stub.CreateTable(pb.CreateTableRequest())
        await stub.GetMyTable(pb.GetMyTableRequest(), metadata=bench.issuer.player())


async def test_stub_of_a_service_that_is_not_up_fails_soon(issuer, unused_port):
    async with open_stub(TableServiceStub, f"127.0.0.1:{unused_port}", tokens=issuer.internal_tokens("x")) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.GetMyTable(pb.GetMyTableRequest())
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
