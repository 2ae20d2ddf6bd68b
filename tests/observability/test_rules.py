"""Alerts: each is right by Prometheus's own tests, and leads to a runbook whose every step exists."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from deploy.observability.boards import BOARDS
from mahjong_cli.admin.command import admin

ROOT = Path(__file__).parents[2]
RULES = sorted((ROOT / "deploy/observability/rules").glob("*.yaml"))
TESTS = sorted((Path(__file__).parent / "alerts").glob("*.yaml"))
RUNBOOKS = sorted((ROOT / "docs/runbooks").glob("*.md"))
CODE = "\n".join(
    path.read_text() for folder in ("services", "libs") for path in sorted((ROOT / folder).rglob("mahjong_*/**/*.py"))
)

ALERTS = [
    rule
    for path in RULES
    for group in yaml.safe_load(path.read_text())["groups"]
    for rule in group["rules"]
    if "alert" in rule
]
TITLES = {board.name.capitalize() for board in BOARDS} | {panel.title for board in BOARDS for panel in board.panels}
NAMES = sorted({rule["alert"] for rule in ALERTS})


def promtool(*arguments):
    return subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, check=False)


def test_the_rules_are_well_formed():
    done = promtool("check", "rules", *RULES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_fires_when_it_should_and_only_then():
    done = promtool("test", "rules", *TESTS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_has_a_test_in_which_it_fires_and_one_in_which_it_does_not(name):
    outcomes = {
        bool(expected["exp_alerts"])
        for path in TESTS
        for test in yaml.safe_load(path.read_text())["tests"]
        for expected in test["alert_rule_test"]
        if expected["alertname"] == name
    }
    assert outcomes == {True, False}


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: f"{rule['alert']}-{rule['labels'].get('window', '')}")
def test_an_alert_says_how_urgent_it_is_and_where_its_runbook_is(rule):
    assert rule["labels"]["severity"] in {"page", "ticket"}
    runbook = ROOT / rule["annotations"]["runbook_url"]
    assert f"Alert `{rule['alert']}`." in runbook.read_text()


@pytest.mark.parametrize("runbook", RUNBOOKS, ids=lambda path: path.stem)
def test_a_runbook_names_only_what_exists(runbook):
    text = runbook.read_text()
    for words in re.findall(r"`mahjong admin ([^`]+)`", text):
        understood = CliRunner().invoke(admin, [*words.split(), "--help"])
        assert understood.exit_code == 0, f"{words}: {understood.output}"
    for words in re.findall(r"`(?:kubectl|helm) ([^`]+)`", text):
        assert words.startswith("--namespace games ") or words == "drain", "as in docs/operations/install.md"
    for title in re.findall(r"(?<!\*)\*(\w[^*]*)\*(?!\*)", text):
        assert title in TITLES, title
    for event in re.findall(r"`([a-z_]+\.[a-z_]+)`", text):
        assert f'"{event}"' in CODE, event
    for link in re.findall(r"\]\(([\w-]+\.md)\)", text):
        assert (runbook.parent / link).exists(), link


def test_each_runbook_is_that_of_an_alert():
    assert {ROOT / rule["annotations"]["runbook_url"] for rule in ALERTS} == set(RUNBOOKS)
