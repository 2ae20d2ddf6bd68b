"""Dashboards: the files say what their description says, and on a real run no panel is empty."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from deploy.observability.boards import BOARDS, OVERVIEW, RANGE
from deploy.observability.grafana import dashboard
from deploy.observability.prometheus import prepare
from mahjong_cli.serve.supervisor import free_ports
from tests.kit.browser import FLAGS
from tests.kit.processes import clean_environment
from tests.kit.stack import AT_ONCE, running_stack
from tests.kit.waiting import wait_until
from tests.observability.test_rules import ALERTS

ROOT = Path(__file__).parents[2]
WAIT_S = 60.0
MATCH_TIMEOUT_S = 500
"""A full match on a busy machine."""
pytestmark = pytest.mark.timeout(MATCH_TIMEOUT_S + 200)  # Whoever comes first waits for the match.
TOO_SLOW = {"DecisionsSlow", "RatingsLate", "DeadlinesOverdue", "LoopLate"}
"""Alerts that rightly fire on a machine that is too busy, with whatever else, to be as fast as was promised."""
PANELS = [(board.name, panel) for board in BOARDS for panel in board.panels]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_file_of_a_dashboard_is_what_its_description_says(board):
    path = ROOT / "deploy/observability/dashboards" / f"{board.name}.json"
    assert path.read_text() == dashboard(board), "run `make dashboards`"


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_dashboard_has_a_source_and_a_query_in_each_panel(board):
    model = json.loads(dashboard(board))
    assert len({panel["id"] for panel in model["panels"]}) == len(board.panels)
    for panel in model["panels"]:
        assert panel["targets"]
        for target in panel["targets"]:
            assert RANGE not in target["expr"]
            assert target["datasource"]["uid"] == "${source}"


def test_what_observe_makes_for_prometheus_is_whole_and_where_the_page_says(tmp_path):
    (tmp_path / "targets.json").write_text("[]")
    folder = prepare(tmp_path, scrape_s=5)
    pages = {path.stem for path in (folder / "consoles").glob("*.html")}
    assert pages == {board.name for board in BOARDS} | {"alerts"}
    for path in (folder / "consoles").glob("*.html"):
        text = path.read_text()
        assert "__" not in text.replace("__name__", ""), "a place was not filled"
        assert "{{" not in text, "Prometheus takes it for a template of its own"
        assert set(re.findall(r'<a href="(\w+)\.html">', text)) == pages
    checked = subprocess.run(
        ["promtool", "check", "config", folder / "prometheus.json"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    page = (ROOT / "docs/operations/observability.md").read_text()
    ports = set(re.findall(r"<http://127\.0\.0\.1:(\d+)/consoles/(?:overview|alerts)\.html>", page))
    assert ports == {
        re.search(r'"--port", type=int, default=(\d+)', (ROOT / "deploy/observability/__main__.py").read_text())[1]
    }
    assert "$(BIN)/python -m deploy.observability run\n" in (ROOT / "Makefile").read_text()
    assert (ROOT / "docs/operations" / re.search(r"!\[[^]]+\]\(([^)]+)\)", page)[1]).stat().st_size > 10_000


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    """A Prometheus, run as `make observe` runs it, that watches a platform on which a match has been played."""
    data = tmp_path_factory.mktemp("watched")
    with running_stack(data, AT_ONCE) as stack:
        (port,) = free_ports(1)
        words = ["-m", "deploy.observability", "run", "--data", str(data), "--port", str(port), "--scrape-s", "1"]
        process = subprocess.Popen(
            [sys.executable, *words], cwd=ROOT, env=clean_environment() | {"PATH": os.environ["PATH"]}
        )
        try:
            played = ["play", "--address", stack.grpc, "--rule-set", "classical", "--auto", "basic"]
            subprocess.run(
                [sys.executable, "-m", "mahjong_cli", *played],
                check=True,
                timeout=MATCH_TIMEOUT_S,
                stdout=subprocess.DEVNULL,
            )
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(WAIT_S)


def asked(address, path, **parameters):
    with urllib.request.urlopen(f"{address}/{path}?{urllib.parse.urlencode(parameters)}", timeout=WAIT_S) as answer:
        return answer.read().decode()


@pytest.mark.parametrize(("board", "panel"), PANELS, ids=lambda each: getattr(each, "title", each))
def test_no_panel_is_empty(prometheus, board, panel):
    for query, _ in panel.lines:
        until_found(prometheus, query.replace(RANGE, "1m"))


def result_of(address, query):
    return json.loads(asked(address, "api/v1/query", query=query))["data"]["result"]


def until_found(address, query):
    """Waits until a query has a result."""
    wait_until(lambda: result_of(address, query), WAIT_S, lambda: query, pause_s=0.5)


def test_every_target_answers_and_every_rule_is_evaluated(prometheus):
    def unwell():
        groups = json.loads(asked(prometheus, "api/v1/rules"))["data"]["groups"]
        ill = [rule["name"] for group in groups for rule in group["rules"] if rule["health"] != "ok"]
        return ill if groups else ["no rules yet"]

    wait_until(lambda: not unwell(), WAIT_S, unwell, pause_s=0.5)
    services = {f"mahjong-{name}" for name in ("account", "gateway", "matchmaker", "rating", "replay", "table")}

    def up():
        targets = json.loads(asked(prometheus, "api/v1/targets"))["data"]["activeTargets"]
        return {target["labels"]["job"] for target in targets if target["health"] == "up"}

    wait_until(lambda: up() == services, WAIT_S, up, pause_s=0.5)  # A busy machine may be late for one scrape.


def test_no_alert_fires_on_a_healthy_run(prometheus):
    until_found(prometheus, "mahjong_table_shards")
    alerts = json.loads(asked(prometheus, "api/v1/alerts"))["data"]["alerts"]
    firing = {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}
    assert firing - TOO_SLOW == set()


def test_the_overview_is_a_page_of_prometheus_that_draws_each_panel_and_leads_to_the_alerts(prometheus):
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS, *sandbox])
        page = browser.new_page()
        complaints = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{prometheus}/consoles/overview.html")
        expect.set_options(timeout=WAIT_S * 1000)
        expect(page.locator("section")).to_have_count(len(OVERVIEW.panels))
        # A quantile of calls that are over is a line only while its range lasts.
        lasting = [panel.title for panel in OVERVIEW.panels if "quantile" not in panel.lines[0][0]]
        for title in lasting:
            section = page.locator("section", has_text=title).first
            expect(section.locator("polyline").first).to_be_attached()
        page.get_by_role("link", name="alerts", exact=True).click()
        page.wait_for_url("**/alerts.html")
        listed = page.locator("tbody tr td:first-child")
        expect(listed).to_have_count(len(ALERTS))
        assert sorted(listed.all_inner_texts()) == sorted(rule["alert"] for rule in ALERTS)
        browser.close()
    assert complaints == []


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_each_dashboard_is_a_page_of_prometheus(prometheus, board):
    page = asked(prometheus, f"consoles/{board.name}.html")
    assert board.title in page
    for panel in board.panels:
        assert json.dumps(panel.title) in page
