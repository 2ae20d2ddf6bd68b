"""Metrics: named and explained by Prometheus's conventions, their labels from closed sets, and read by somebody."""

import json
import re
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.metrics import MetricWrapperBase

from deploy.chart.rendering import CHART
from deploy.observability.boards import BOARDS
from mahjong_account.metrics import AccountMetrics
from mahjong_gateway.metrics import GatewayMetrics
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.store_times import times_of
from mahjong_matchmaker.metrics import MatchmakerMetrics
from mahjong_rating.metrics import RatingMetrics
from mahjong_replay.metrics import ReplayMetrics
from mahjong_table.metrics import TableMetrics
from tests.observability.test_decision_trace import LABELS

ROOT = Path(__file__).parents[2]
OWN = {
    "account": AccountMetrics,
    "gateway": GatewayMetrics,
    "matchmaker": MatchmakerMetrics,
    "rating": RatingMetrics,
    "replay": ReplayMetrics,
    "table": TableMetrics,
}
UNITS = ("_seconds", "_bytes", "_points")
FOREIGN_UNITS = ("_ms", "_milliseconds", "_minutes", "_kib", "_mb", "_percent", "_ratio")

WANTED = {
    "calls by method: how many": "mahjong_gateway_rpc_handled_total",
    "calls by method: errors": 'code="',
    "calls by method: how long": "mahjong_gateway_rpc_duration_seconds",
    "tables by state": "mahjong_table_tables",
    "decisions": "mahjong_table_entries_total",
    "commits: how big": "mahjong_table_commit_tables",
    "commits: how long": "mahjong_table_commit_duration_seconds",
    "loop lag": "loop_lag_seconds",
    "deadlines overdue": "mahjong_table_deadline_overdue_seconds",
    "shards: whose": "mahjong_table_shards",
    "shards: moves": "mahjong_table_hand_over_seconds",
    "shards: moves after a crash": "mahjong_table_take_over_seconds",
    "streams: how many": "mahjong_table_streams",
    "streams: resyncs at workers": "mahjong_table_resyncs_total",
    "streams: resyncs at gateways": "mahjong_gateway_views_behind_total",
    "tickets: waits by pool": "mahjong_matchmaker_ticket_wait_seconds",
    "tickets: spread by pool": "mahjong_matchmaker_table_spread_points",
    "ratings: lag": "mahjong_rating_result_lag_seconds",
    "outbox: lag": "mahjong_table_report_lag_seconds",
    "computers: time": "mahjong_table_computer_duration_seconds",
    "stores: how long": "store_duration_seconds",
    "stores: errors": "store_failures_total",
}
"""What operators were promised to see, and the metric that shows it."""


def metrics_of(service: str) -> dict[str, MetricWrapperBase]:
    """Returns the metrics of a service, by name."""
    made = ServiceMetrics(service)
    OWN[service](made)
    collectors = {each for each in made.registry._names_to_collectors.values() if isinstance(each, MetricWrapperBase)}
    return {each._name: each for each in collectors}


EVERY = [(service, name, metric) for service in OWN for name, metric in sorted(metrics_of(service).items())]


def exposed_names() -> set[str]:
    """Returns every name that a query may have."""
    names = set()
    for _, name, metric in EVERY:
        suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}.get(metric._type, ("",))
        names |= {name + suffix for suffix in suffixes}
    return names


def queries() -> str:
    """Returns all that is asked of Prometheus: by boards, rules, autoscalers."""
    drawn = [query for board in BOARDS for panel in board.panels for query, _ in panel.lines]
    rules = [path.read_text() for path in sorted((ROOT / "deploy/observability/rules").glob("*.yaml"))]
    return "\n".join([*drawn, *rules, (CHART.parent / "prometheus-adapter-values.yaml").read_text()])


@pytest.mark.parametrize(("service", "name", "metric"), EVERY, ids=[name for _, name, _ in EVERY])
def test_a_metric_is_named_and_explained(service, name, metric):
    assert re.fullmatch(rf"mahjong_{service}_[a-z]+(_[a-z]+)*", name)
    assert not name.endswith((*FOREIGN_UNITS, "_total", "_count", "_sum", "_bucket"))
    if "_s" in {f"_{word}" for word in name.split("_")} or metric._type == "histogram":
        assert name.endswith(UNITS) or name == "mahjong_table_commit_tables"
    assert re.fullmatch(r"\S.{8,}\.( A bug\.)?", metric._documentation), metric._documentation
    assert set(metric._labelnames) <= LABELS


def test_what_is_asked_of_prometheus_is_there():
    exposed = exposed_names()
    asked = set(re.findall(r"\bmahjong_[a-z_]+\b", queries())) - {
        "mahjong_table_tables_live",
        "mahjong_gateway_calls_open",
    }
    assert {name for name in asked if name.split("_")[1] in OWN} - exposed == set()
    for pattern in re.findall(r'__name__=~"(mahjong_[^"]+)"', queries()):
        assert [name for name in exposed if re.fullmatch(pattern, name)], pattern


def test_labels_that_queries_go_by_are_labels_of_their_metric():
    labels = {name: {*metric._labelnames, "le"} for _, name, metric in EVERY}
    for board in BOARDS:
        for panel in board.panels:
            for query, _ in panel.lines:
                names = [name for name in labels if re.search(rf"\b{name}(_total|_bucket|_count)?\b", query)]
                for by in re.findall(r"by \(([^)]+)\)", query):
                    known = set.union(*(labels[name] for name in names)) if names else LABELS
                    assert set(by.split(", ")) <= known | {"job", "instance", "__name__"}, query


@pytest.mark.parametrize("wanted", WANTED)
def test_what_operators_were_promised_is_drawn(wanted):
    drawn = " ".join(query for board in BOARDS for panel in board.panels for query, _ in panel.lines)
    drawn += " ".join(path.read_text() for path in sorted((ROOT / "deploy/observability/rules").glob("slo.yaml")))
    if wanted == "calls by method: errors":
        assert "sum by (code, reason) (rate(mahjong_gateway_rpc_handled_total" in drawn
    else:
        assert WANTED[wanted] in drawn


def test_failures_of_stores_count_from_nothing():
    """A counter that is not there before its first failure has no rate of it."""
    metrics = ServiceMetrics("table")
    times_of("database", metrics)
    times_of("redis", metrics)
    shown = generate_latest(metrics.registry).decode()
    for store, kind in (("database", "read"), ("database", "write"), ("redis", "command"), ("redis", "batch")):
        assert f'mahjong_table_store_failures_total{{kind="{kind}",store="{store}"}} 0.0' in shown


def test_dashboards_are_files_of_the_chart():
    for board in BOARDS:
        assert json.loads((CHART / "files" / "dashboards" / f"{board.name}.json").read_text())["title"] == board.title
