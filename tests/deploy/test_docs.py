"""The pages for operators: their commands run, and what they name is there."""

import re
import shlex
import subprocess
import sys

import pytest
import yaml

from deploy.chart.rendering import CHART, read_values
from tests.deploy.conftest import PRODUCTION

ROOT = CHART.parents[2]
PAGES = [ROOT / "docs" / "operations" / f"{name}.md" for name in ("install", "upgrade", "security")]
DEFAULTS = yaml.safe_load((CHART / "values.yaml").read_text())
TIMEOUT_S = 120


def commands(text: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines()]


CHECKS = sorted({line for page in PAGES for line in commands(page.read_text()) if "deploy.chart" in line})


@pytest.mark.parametrize("line", CHECKS)
def test_check_without_a_cluster_runs_as_it_is_written(line, tmp_path):
    python, *rest = shlex.split(line.replace("var/", f"{tmp_path}/"))
    assert python == ".venv/bin/python"
    done = subprocess.run(
        [sys.executable, *rest], cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.match(r"values-production: \d+ objects, .*: 0 problems", done.stdout)


def test_pages_have_checks():
    assert len(CHECKS) == 2


def test_values_that_the_pages_name_are_values_of_the_chart():
    named = {
        path
        for page in PAGES
        for path in re.findall(r"`([a-z][A-Za-z]+(?:\.[A-Za-z]+)+)(?::[^`]*)?`", page.read_text())
        if path.partition(".")[0] in DEFAULTS
    }
    assert len(named) > 15
    for path in named:
        place = DEFAULTS
        for key in path.split("."):
            assert key in place, path
            place = place[key]


def test_secrets_that_the_page_makes_are_those_of_the_production_install():
    made = re.findall(r"create secret generic (\S+)", (ROOT / "docs" / "operations" / "install.md").read_text())
    values = read_values(PRODUCTION)
    assert made == [
        values["secrets"]["serviceKey"]["name"],
        values["postgresql"]["external"]["secretName"],
        values["redis"]["external"]["secretName"],
    ]


def test_files_that_commands_name_are_there():
    for page in PAGES:
        for line in commands(page.read_text()):
            for path in re.findall(r"deploy/[\w./-]+", line):
                assert (ROOT / path).exists(), path
