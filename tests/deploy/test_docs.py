"""The pages for operators: their commands run, and what they name is there."""

import re
import shlex
import subprocess
import sys

import pytest
import yaml

from deploy.chart.rendering import CHART, read_values
from loadtests.faults.injections import FAULTS
from tests.deploy.conftest import PRODUCTION, container_of, install

ROOT = CHART.parents[2]
PAGES = [ROOT / "docs" / "operations" / f"{name}.md" for name in ("install", "upgrade", "security")]
INSTALL = (ROOT / "docs" / "operations" / "install.md").read_text()
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
    shown = re.search(r"^values-production: .*: 0 problems ", INSTALL, re.MULTILINE)
    assert done.stdout.startswith(shown[0])


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
    made = re.findall(r"create secret generic (\S+)", INSTALL)
    values = read_values(PRODUCTION)
    assert made == [
        values["secrets"]["serviceKey"]["name"],
        values["postgresql"]["external"]["secretName"],
        values["redis"]["external"]["secretName"],
    ]


def test_databases_that_the_page_makes_are_those_that_the_back_up_copies_and_the_bundled_server_has():
    named = re.findall(r"--from-literal=(\w+)='postgresql://(\w+):…@db\.example:5432/(\w+)\?ssl=require'", INSTALL)
    databases = {service: f"mahjong_{service}" for service in ("account", "table", "rating", "replay")}
    assert named == [(service, database, database) for service, database in databases.items()]
    backup = (ROOT / "docs" / "operations" / "backup.md").read_text()
    assert 'pg_dump --format=custom --file="$BACKUP/$service.dump" "mahjong_$service"' in backup
    sql = install("laptop").one("ConfigMap", "postgresql-databases")["data"]["databases.sql"]
    assert sorted(re.findall(r"CREATE DATABASE (\w+);", sql)) == sorted(databases.values())


def test_commands_for_a_cluster_name_the_namespace_and_objects_that_there_are():
    names = {item["metadata"]["name"] for item in install("production").objects}
    for page in PAGES:
        for line in commands(page.read_text()):
            if not line.startswith("kubectl") or "namespace games" in line.replace("create namespace", "--namespace"):
                for name in re.findall(r"(?:statefulset|deployment|service)/(mahjong-planet-\S+)", line):
                    assert name in names, line
            else:
                assert "label namespace games" in line or "try-" in line, line


def test_figures_of_the_capacity_page_are_those_that_were_measured():
    page = (ROOT / "docs" / "operations" / "capacity.md").read_text()
    measured = (ROOT / "loadtests" / "README.md").read_text()
    cores, p99_ms, full_at = re.search(r"1,000 at (\S+) cores, p99 (\d+) ms .*full at about (\S+) ", page).groups()
    (run,) = re.findall(r"^live: 1,000 tables.*?\n\n", measured, re.MULTILINE | re.DOTALL)
    assert f"worker: {cores} cores" in run
    assert f"p99 {p99_ms}, max" in run
    assert f"at about {full_at} tables" in measured
    empty_mib, low_kib, high_kib = re.search(r"\| (\d+) MiB and (\d+) to (\d+) KiB a table", page).groups()
    assert f"memory: {low_kib} KiB a table ({empty_mib} MiB empty)" in run
    assert f"memory: {high_kib} KiB a table" in measured


def test_failures_that_the_page_says_were_tried_are_tried():
    page = (ROOT / "docs" / "operations" / "failures.md").read_text()
    rows = [re.split(r"\s*\|\s*", row) for row in re.findall(r"^\| (?!what fails|---)(.*) \|$", page, re.MULTILINE)]
    assert len(rows) > 15
    names = {fault.name for fault in FAULTS}
    simulated = (ROOT / "tests" / "dst" / "chaos.py").read_text()
    untried = set()
    for what, noticed, _, tried in rows:
        assert noticed, what
        found = re.findall(r"`([^`]+)`", tried)
        for name in set(found) - {"make faults"}:
            assert name in names or name.startswith("tests/") or f'"{name}"' in simulated, (what, name)
        if not found and "simulation" not in tried:
            untried.add(what)
    assert len(untried) <= 2, untried  # A replica that forgets, a disk that is full: said to be untried.


def test_laptop_runs_the_image_that_the_page_builds():
    """Kubernetes takes a name without a registry for one of docker.io, podman for one of localhost."""
    (image,) = {container_of(workload)["image"] for workload in install("laptop").services().values()}
    lines = "\n".join(commands(INSTALL.partition("## A laptop")[2]))
    assert f"--tag docker.io/{image} ." in lines
    assert re.search(rf"podman save --output (\S+) docker\.io/{re.escape(image)}\nkind load image-archive \1\n", lines)


def test_helm_waits_longer_for_migrations_than_they_may_take():
    lines = [line for page in PAGES for line in commands(page.read_text()) if "--values my-values.yaml" in line]
    assert sorted(line.split()[1] for line in lines) == ["install", "upgrade"]
    for line in lines:
        assert int(re.search(r"--timeout (\d+)m ", line)[1]) * 60 > DEFAULTS["migrations"]["deadlineSeconds"], line


def test_files_that_commands_name_are_there():
    for page in PAGES:
        for line in commands(page.read_text()):
            for path in re.findall(r"deploy/[\w./-]+", line):
                assert (ROOT / path).exists(), path
