"""One decision is one trace: gateway, worker, commit, Redis, fan-out, as a real collector gets them from a real run."""

import subprocess
import sys

import pytest

from tests.kit.collector import open_collector
from tests.kit.stack import AT_ONCE, running_stack

ACTION = "TableService/SubmitAction"
STEPS = {"table.commit", "table.fan_out", "table.project"}


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    """What a whole match against computers leaves in a collector."""
    with open_collector() as collector:
        traced = {"MAHJONG_OTLP_ENDPOINT": collector.endpoint, "MAHJONG_TRACE_SHARE": "1"}
        with running_stack(tmp_path_factory.mktemp("traced"), AT_ONCE | traced) as stack:
            played = ["play", "--address", stack.grpc, "--rule-set", "taiwanese", "--auto", "basic"]
            subprocess.run(
                [sys.executable, "-m", "mahjong_cli", *played], check=True, timeout=200, stdout=subprocess.DEVNULL
            )
        yield collector  # The services have gone down and sent what they had.


def whole_decisions(collector):
    """Returns the spans of each traced decision, by name."""
    traces = {}
    for span in collector.spans:
        traces.setdefault(span.trace_id, []).append(span)
    return [spans for spans in traces.values() if {span.name for span in spans} >= STEPS]


def test_a_decision_is_one_trace_from_the_gateway_to_commit_redis_and_fan_out(collector):
    decisions = whole_decisions(collector)
    assert len(decisions) > 10
    for spans in decisions:
        (gateway,) = [span for span in spans if span.service == "gateway"]
        (worker,) = [span for span in spans if span.service == "table" and span.name not in STEPS]
        assert gateway.parent_id == ""
        assert worker.parent_id == gateway.span_id
        assert {span.parent_id for span in spans if span.name in STEPS} == {worker.span_id}
        assert not any(span.is_failed for span in spans)


def test_a_decision_is_linked_to_the_streams_that_show_it(collector):
    opened = {
        span.span_id for span in collector.spans if span.name in {"WorkerService/OpenWatch", "TableService/WatchTable"}
    }
    linked = {link for spans in whole_decisions(collector) for span in spans for link in span.links}
    assert linked
    assert linked <= opened


def test_no_span_tells_a_tile_a_seed_or_a_token(collector):
    allowed = {
        "rpc.system.name", "rpc.method", "rpc.response.status_code", "mahjongplanet.request_id",
        "mahjongplanet.stream", "error.type", "entries",
    }  # fmt: skip
    assert {name for span in collector.spans for name in span.attributes} <= allowed
