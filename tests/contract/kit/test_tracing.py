"""Traces: what is exported to a real collector, what joins what, and what is kept."""

import asyncio
import json
import time
from contextlib import contextmanager

import grpc
import pytest
import structlog
from google.rpc import error_details_pb2, status_pb2

from mahjong_kit import tracing
from mahjong_kit.errors import STATUS_KEY, NotFoundError
from mahjong_kit.log import configure_logging
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from tests.kit.collector import open_collector
from tests.kit.serving import plain_settings
from tests.kit.wire import refused

GET_MY_TABLE = "TableService/GetMyTable"
CREATE_TABLE = "TableService/CreateTable"


@contextmanager
def collecting(**changed):
    """Gives a collector and a function that sends what has been recorded so far."""
    with open_collector() as collector:
        defaults = {"otlp_endpoint": collector.endpoint, "trace_share": 1.0}
        # The package of the tests has no distribution of its own to read a version from.
        with tracing.open_tracing(plain_settings(**(defaults | changed)), version="0"):
            yield collector


async def test_a_call_to_another_service_is_in_the_trace_of_the_call_that_makes_it(closed_bench):
    with collecting() as collector:
        async with closed_bench.open() as bench:
            bench.script.act = lambda: _nested(bench)
            await bench.get_my_table()
    (outer,), (inner,) = collector.named(GET_MY_TABLE), collector.named(CREATE_TABLE)
    assert inner.trace_id == outer.trace_id
    assert inner.parent_id == outer.span_id
    assert outer.parent_id == ""
    assert outer.attributes["rpc.response.status_code"] == "OK"
    assert not outer.is_failed


async def _nested(bench):
    bench.script.act = _answer
    await bench.create_table()
    return "t"


async def _answer():
    return "t"


async def test_a_caller_s_trace_goes_on(closed_bench):
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with collecting() as collector:
        async with closed_bench.open() as bench:
            await bench.get_my_table(metadata=(*bench.issuer.player(), (tracing.TRACEPARENT_KEY, parent)))
    (span,) = collector.named(GET_MY_TABLE)
    assert (span.trace_id, span.parent_id) == ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")


@pytest.mark.parametrize("parent", ["", "garbage", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "x" * 5000])
async def test_a_trace_that_makes_no_sense_is_not_joined(closed_bench, parent):
    with collecting() as collector:
        async with closed_bench.open() as bench:
            await bench.get_my_table(metadata=(*bench.issuer.player(), (tracing.TRACEPARENT_KEY, parent)))
    (span,) = collector.named(GET_MY_TABLE)
    assert span.parent_id == ""


async def test_a_refusal_tells_its_trace_and_is_no_failure_of_the_server(closed_bench):
    with collecting() as collector:
        async with closed_bench.open() as bench:
            bench.script.act = _refuse
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await bench.get_my_table()
    (span,) = collector.named(GET_MY_TABLE)
    assert _request_info(caught.value).serving_data == span.trace_id
    assert span.attributes["rpc.response.status_code"] == "NOT_FOUND"
    assert not span.is_failed


async def test_lines_of_the_log_name_the_trace(closed_bench, capsys):
    with collecting() as collector:
        configure_logging("kit", "info")
        try:
            async with closed_bench.open() as bench:
                await bench.get_my_table()
        finally:
            structlog.reset_defaults()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (line,) = [line for line in lines if line["event"] == "call.finished"]
    (span,) = collector.named(GET_MY_TABLE)
    assert line["trace_id"] == span.trace_id


async def test_of_traces_outside_of_the_share_only_slow_and_failed_ones_are_exported(closed_bench):
    with collecting(trace_share=0.0, trace_slow_ms=200.0) as collector:
        async with closed_bench.open() as bench:
            await bench.get_my_table()
            assert not collector.spans
            bench.script.act = _dawdle
            await bench.get_my_table()
            bench.script.act = _crash
            with refused() as refusal:
                await bench.create_table()
    assert refusal.reason == "INTERNAL"
    slow, failed = collector.spans
    assert (slow.name, slow.is_failed) == (GET_MY_TABLE, False)
    assert (failed.name, failed.attributes["error.type"]) == (CREATE_TABLE, "ERROR_REASON_INTERNAL")


async def test_a_long_stream_is_not_slow(closed_bench):
    with collecting(trace_share=0.0, trace_slow_ms=1.0) as collector:
        async with closed_bench.open() as bench:
            bench.script.watch = _watch
            assert [message.sequence async for message in bench.watch_table()] == [1]
    assert not collector.spans


def test_steps_that_many_traces_share_are_in_each_of_them_with_its_span_s_steps_before_and_after():
    with collecting(trace_share=0.0, trace_slow_ms=0.0) as collector:
        started = time.time_ns()
        with tracing.span("one"):
            one = tracing.current()
        with tracing.span("other"):
            other = tracing.current()
        for parent in (one, other):
            tracing.record("table.commit", parent, started, attributes={"tables": 2})
    commits = collector.named("table.commit")
    assert [commit.parent_id for commit in commits] == [f"{one.span_id:016x}", f"{other.span_id:016x}"]
    assert {commit.attributes["tables"] for commit in commits} == {2}


def test_a_step_that_failed_is_exported_though_its_call_was_let_go():
    with collecting(trace_share=0.0, trace_slow_ms=10_000.0) as collector:
        with tracing.span("call"):
            call = tracing.current()
        tracing.record("table.project", call, time.time_ns(), problem="RedisGone")
        tracing.record("table.fan_out", None, time.time_ns(), links=(call,))
    (failed,) = collector.spans
    assert (failed.name, failed.attributes["error.type"]) == ("table.project", "RedisGone")


def test_of_a_trace_with_very_many_steps_only_the_first_are_held():
    with collecting(trace_share=0.0, trace_slow_ms=10_000.0) as collector, tracing.span("call") as call:
        for _ in range(1_000):
            tracing.record("table.commit", tracing.current(), time.time_ns())
        tracing.fail(call, "INTERNAL")
    assert len(collector.named("call")) == 1
    assert len(collector.named("table.commit")) == 64


def test_a_step_is_linked_to_the_streams_that_it_fed():
    with collecting() as collector:
        with tracing.span("TableService/WatchTable"):
            stream = tracing.current()
        tracing.record("table.fan_out", None, time.time_ns(), links=(stream,))
    (step,) = collector.named("table.fan_out")
    assert step.links == (f"{stream.span_id:016x}",)


def test_without_an_endpoint_nothing_is_recorded():
    with tracing.open_tracing(plain_settings()):
        assert not tracing.is_on()
        with tracing.span("anything"):
            assert tracing.current() is None
            assert tracing.current_trace_id() == ""
        assert tracing.record("anything", None, 0) is None


async def test_a_collector_that_is_away_costs_no_call(closed_bench):
    settings = plain_settings(otlp_endpoint="http://127.0.0.1:9", trace_share=1.0)
    with tracing.open_tracing(settings, version="0"):
        async with closed_bench.open() as bench, asyncio.timeout(60):
            bench.script.act = _answer
            answers = [await bench.get_my_table() for _ in range(20)]
    assert {answer.table_id for answer in answers} == {"t"}


async def _refuse():
    raise NotFoundError(ErrorReason.ERROR_REASON_TABLE_NOT_FOUND, table_id="x")


async def _crash():
    raise ZeroDivisionError


async def _dawdle():
    await asyncio.sleep(0.25)
    return "t"


async def _watch():
    await asyncio.sleep(0.05)
    yield 1


def _request_info(error):
    metadata = dict(error.trailing_metadata())
    for detail in status_pb2.Status.FromString(metadata[STATUS_KEY]).details:
        info = error_details_pb2.RequestInfo()
        if detail.Unpack(info):
            return info
    raise AssertionError("the error tells nothing of the request")
