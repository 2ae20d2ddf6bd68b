"""The image: its steps are run in plain directories, and every entry point is started from what they left."""

import re
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.chart.rendering import CHART
from tests.deploy.conftest import SETTINGS, container_of, environment_of, install, pod_of
from tests.deploy.containerfile import Stage, build, parse
from tests.kit.processes import ServiceProcess, clean_environment

ROOT = CHART.parents[2]
CONTAINERFILE = ROOT / "deploy" / "images" / "Containerfile"
TIMEOUT_S = 120
pytestmark = pytest.mark.timeout(900)  # Whoever comes first builds the image; each of its steps has a limit of its own.
SIZE_MAX_MIB = 260


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The last stage, built; the page was built before by the same commands (`make clients/web/dist/index.html`)."""
    page = ROOT / "clients" / "web" / "dist"
    assert (page / "index.html").exists(), "run `make clients/web/dist/index.html` first"
    web = tmp_path_factory.mktemp("web")
    (web / "src" / "clients" / "web").mkdir(parents=True)
    (web / "src" / "clients" / "web" / "dist").symlink_to(page)
    return build(CONTAINERFILE, ROOT, tmp_path_factory.mktemp("image"), {"web": web})


def command_of(image: Stage, *arguments: str) -> list[str]:
    """Returns what the entry point and the arguments of a container run."""
    python, *rest = image.entry_point
    assert python == "python"
    return [str(image.python), *rest, *arguments]


def run(image: Stage, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a container's command to its end."""
    return subprocess.run(
        command_of(image, *arguments),
        env=clean_environment() | image.variables() | environment,
        cwd="/tmp",
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def here(name: str, redis_url: str, data: Path) -> dict[str, str]:
    """Returns the environment that the chart gives a service, with stores, addresses and ports of this machine."""
    given = environment_of(install("laptop").services()[name], {"MAHJONG_SERVICE_KEY": "k" * 48, "POD_NAME": "table-0"})
    local = {
        "MAHJONG_HOST": "127.0.0.1",
        "MAHJONG_PROBE_PERIOD_S": "0",
        f"{name.upper()}_PORT": "0",
        f"{name.upper()}_METRICS_PORT": "0",
    }
    stores = {"DATABASE_DSN": f"sqlite:///{data}/{name}.db", "REDIS_URL": redis_url}
    local |= {key: stores[key.partition("_")[2]] for key in given if key.partition("_")[2] in stores}
    local |= {key: "127.0.0.1:1" for key in given if key.endswith("_ADDRESS") and "ADVERTISED" not in key}
    return given | local | ({"GATEWAY_HTTP_PORT": "0"} if name == "gateway" else {})


def files_of(image: Stage) -> set[tuple[str, int]]:
    """Returns every file of the image with the time of its last change."""
    return {(str(path), path.stat().st_mtime_ns) for path in (image.root / "opt").rglob("*") if path.is_file()}


def test_every_service_starts_from_the_image_serves_and_stops_and_writes_nothing(image, redis_url, tmp_path):
    before = files_of(image)
    with ExitStack() as stack:
        running = {}
        for name, workload in install("laptop").services().items():
            command = command_of(image, *container_of(workload)["args"])
            process = ServiceProcess(name, image.variables() | here(name, redis_url, tmp_path), command=command)
            stack.callback(process.close)
            running[name] = process
        for name, process in running.items():
            if name == "gateway":
                page = f"http://127.0.0.1:{process.wait_for('http.started')['port']}/"
                address = process.started()
                with urllib.request.urlopen(page, timeout=TIMEOUT_S) as answer:
                    assert b"<title>" in answer.read()
            else:
                address = process.started()
            with grpc.insecure_channel(address) as channel:
                answer = health_pb2_grpc.HealthStub(channel).Check(
                    health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S, wait_for_ready=True
                )
            assert answer.status == health_pb2.HealthCheckResponse.SERVING, name
        for process in running.values():
            process.send(signal.SIGTERM)
        assert {name: process.ended(TIMEOUT_S) for name, process in running.items()} == dict.fromkeys(running, 0)
    assert files_of(image) == before


def test_migrations_hook_runs_from_the_image(image, tmp_path):
    arguments = container_of(install("production").one("Job", "migrations"))["args"]
    services = arguments[1:]
    done = run(
        image,
        *arguments,
        **{f"{name.upper()}_DATABASE_DSN": f"sqlite:///{tmp_path}/{name}.db" for name in services},
    )
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / f"{name}.db").exists() for name in services] == [True] * 4


def test_operators_have_the_command_line_in_the_image(image):
    done = run(image, "mahjong_cli", "admin", "--help")
    assert done.returncode == 0, done.stderr
    assert "drain" in done.stdout.lower()


def test_image_runs_as_the_user_that_pods_run_as(image):
    assert image.user == "10001:10001"
    for workload in install("production").workloads():
        assert f"{pod_of(workload)['securityContext']['runAsUser']}" == image.user.partition(":")[0]


def test_image_has_no_code_generators_and_no_tools_that_build(image):
    packages = {path.name for path in (image.root / "opt" / "mahjong" / "packages").iterdir()}
    assert {f"mahjong_{name}" for name in SETTINGS} | {"mahjong_kit", "mahjongplanet"} <= packages
    assert not packages & {"grpc_tools", "hatchling", "pip", "setuptools", "pytest", "playwright", "mypy"}


def test_image_is_small_and_brings_its_page_and_every_migration(image):
    """What is beside the base image, Python's own compiled files included; it was 190 MiB when this was written."""
    files = [path for path in (image.root / "opt").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < SIZE_MAX_MIB << 20
    assert (image.root / "opt" / "mahjong" / "web" / "index.html").exists()
    for package in ("account", "table", "rating", "replay"):
        revisions = {path.name for path in (ROOT / f"services/{package}/mahjong_{package}/migrations").glob("r*.py")}
        there = image.root / f"opt/mahjong/packages/mahjong_{package}/migrations"
        assert revisions
        assert {path.name for path in there.glob("r*.py")} == revisions


def test_base_images_are_pinned_by_version_and_can_be_by_digest():
    arguments, stages = parse(CONTAINERFILE)
    assert all(re.search(r":\d+\.\d+\.\d+-[a-z-]+$", image) for image in arguments.values())
    assert {stage.base for stage in stages} == set(arguments.values())
    assert stages[-1].base == arguments["PYTHON_IMAGE"]


def test_page_is_built_in_the_image_as_it_is_here():
    web = parse(CONTAINERFILE)[1][0]
    steps = [rest for word, rest in web.instructions if word == "RUN"]
    commands = [command for step in steps for command in re.findall(r"npm [^&]+[^& ]", step)]
    makefile = (ROOT / "Makefile").read_text()
    assert [command for command in commands if f"$(IN_WEB) {command}\n" not in makefile] == []
    assert len(commands) == 3


def test_every_file_that_is_copied_is_sent_to_the_builder():
    lines = [line for line in (ROOT / ".containerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    assert (ROOT / ".dockerignore").readlink() == Path(".containerignore")  # The name that Docker looks for.
    sent = [line.removeprefix("!") for line in lines if line.startswith("!")]
    for stage in parse(CONTAINERFILE)[1]:
        for word, rest in stage.instructions:
            if word == "COPY" and "--from" not in rest:
                for source in rest.split()[:-1]:
                    assert (ROOT / source).exists()
                    assert any(f"{source}/".startswith(f"{folder}/") for folder in sent)


@pytest.mark.parametrize("lock", ["image", "build"])
def test_lock_files_of_the_image_have_the_versions_that_everything_is_tested_with(lock):
    def pins(name: str) -> dict[str, str]:
        return dict(re.findall(r"^([\w.-]+)(==\S+)", (ROOT / "requirements" / f"{name}.txt").read_text(), re.MULTILINE))

    assert pins(lock).items() <= pins("run").items()
    wanted = re.findall(r"^[\w-]+", (ROOT / "requirements" / f"{lock}.in").read_text(), re.MULTILINE)
    assert {name.lower() for name in wanted} <= pins(lock).keys()
