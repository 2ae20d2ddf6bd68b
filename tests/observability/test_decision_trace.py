"""One decision is one trace: gateway, worker, commit, Redis, fan-out, as a real collector gets them from a real run."""

import json
import re
import subprocess
import sys
import urllib.request
from dataclasses import dataclass

import pytest

from tests.kit.collector import Collector, open_collector
from tests.kit.stack import AT_ONCE, running_stack

MATCH_TIMEOUT_S = 500
"""A full match on a busy machine."""
pytestmark = pytest.mark.timeout(MATCH_TIMEOUT_S + 200)  # Whoever comes first waits for the match.
LABELS = {
    "code", "direction", "generation", "kind", "le", "origin", "outcome", "people", "phase", "pool", "reason", "result",
    "rpc", "source", "start", "store", "to",
}  # fmt: skip
STEPS = {"table.commit", "table.fan_out", "table.project"}


@dataclass
class Run:
    """What a whole match against computers has left behind."""

    collector: Collector
    logs: str
    metrics: str
    secrets: list[str]
    """Tokens of the player, and the server's seed."""

    @property
    def spans(self):
        return self.collector.spans


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    data = tmp_path_factory.mktemp("traced")
    session, records = data / "session.json", data / "records"
    with open_collector() as collector:
        noisy = {
            "MAHJONG_OTLP_ENDPOINT": collector.endpoint,
            "MAHJONG_TRACE_SHARE": "1",
            "MAHJONG_LOG_LEVEL": "debug",
        }
        with running_stack(data, AT_ONCE | noisy) as stack:
            where = ["--address", stack.grpc, "--session", str(session), "--records", str(records)]
            command = [
                sys.executable,
                "-m",
                "mahjong_cli",
                "play",
                *where,
                "--rule-set",
                "taiwanese",
                "--auto",
                "basic",
            ]
            subprocess.run(
                command, check=True, timeout=MATCH_TIMEOUT_S, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            targets = json.loads((data / "targets.json").read_text())
            metrics = "".join(_read(f"http://{target['targets'][0]}/metrics") for target in targets)
        # The services have gone down and sent what they had.
        logs = "".join(path.read_text() for path in sorted((data / "log").iterdir()))
        seeds = {
            json.loads(line)["server_seed"] for path in records.iterdir() for line in path.read_text().splitlines()
        }
        tokens = [value for key, value in json.loads(session.read_text()).items() if "token" in key]
        assert tokens
        yield Run(collector, logs, metrics, [*seeds, *tokens])


def _read(address):
    with urllib.request.urlopen(address, timeout=60) as answer:
        return answer.read().decode()


def whole_decisions(run):
    """Returns the spans of each traced decision, by name."""
    traces = {}
    for span in run.spans:
        traces.setdefault(span.trace_id, []).append(span)
    return [spans for spans in traces.values() if {span.name for span in spans} >= STEPS]


def test_a_decision_is_one_trace_from_the_gateway_to_commit_redis_and_fan_out(run):
    decisions = whole_decisions(run)
    assert len(decisions) > 10
    for spans in decisions:
        (gateway,) = [span for span in spans if span.service == "gateway"]
        (worker,) = [span for span in spans if span.service == "table" and span.name not in STEPS]
        assert gateway.parent_id == ""
        assert worker.parent_id == gateway.span_id
        assert {span.parent_id for span in spans if span.name in STEPS} == {worker.span_id}
        assert not any(span.is_failed for span in spans)


def test_a_decision_is_linked_to_the_streams_that_show_it(run):
    opened = {span.span_id for span in run.spans if span.name in {"WorkerService/OpenWatch", "TableService/WatchTable"}}
    linked = {link for spans in whole_decisions(run) for span in spans for link in span.links}
    assert linked
    assert linked <= opened


def test_no_span_tells_a_tile_a_seed_or_a_token(run):
    allowed = {
        "rpc.system.name", "rpc.method", "rpc.response.status_code", "mahjongplanet.request_id",
        "mahjongplanet.stream", "error.type", "entries",
    }  # fmt: skip
    assert {name for span in run.spans for name in span.attributes} <= allowed


def test_no_line_of_a_noisy_log_tells_a_tile_a_seed_or_a_token(run):
    assert len(run.logs.splitlines()) > 100
    for secret in run.secrets:
        assert secret not in run.logs
    assert not re.search(r"\beyJ[\w-]{10,}", run.logs), "a token of any kind"
    assert not tiles_in(run.logs)


def tiles_in(logs):
    """Returns the runs of tiles in lines of a log; the parts of an id such as `a0381483-5c5c-4b2d-…` are none."""
    return re.findall(r"\b[1-9][bcd],? ?[1-9][bcd]\b", re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "", logs))


def test_tiles_are_found_and_ids_are_not_taken_for_them():
    assert tiles_in('{"hand": "1b 2b", "player_id": "a0381483-5c5c-4b2d-8c3d-b671f9add913", "tiles": "5c,5c"}') == [
        "1b 2b",
        "5c,5c",
    ]


def test_labels_of_metrics_are_from_closed_sets(run):
    labels = set(re.findall(r'(\w+)="([^"]*)"', run.metrics))
    assert {name for name, _ in labels} <= LABELS
    for name, value in labels:
        assert len(value) <= 60, (name, value)
        assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}|\d{1,3}\.\d{1,3}\.\d{1,3}", value) or name == "version", (
            name,
            value,
        )
