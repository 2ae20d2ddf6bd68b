"""Opens a service's own database, SQLite or PostgreSQL, and brings its schema up to date."""

import asyncio
import sqlite3
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, nullcontext, suppress
from types import ModuleType
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_kit.backoff import until_reachable
from mahjong_kit.errors import UnavailableError
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.migration import upgrade
from mahjong_kit.reach import Reach
from mahjong_kit.settings import StoreRefusedError
from mahjong_kit.sql_driver import SqliteWriter, Transaction, run_on_postgresql
from mahjong_kit.sql_errors import STORE, is_out_of_reach, refusal_of, told_if_away
from mahjong_kit.store_times import StoreTimes, times_of

T = TypeVar("T")

_SQLITE = "sqlite"
_DRIVERS = {_SQLITE: "aiosqlite", "postgresql": "asyncpg"}
_POOL: dict[str, Any] = {"pool_timeout": 5.0, "hide_parameters": True}  # No tokens or seeds in error texts.
_READ_ONLY = "mahjong_read_only"
_POSTGRES_SETUP = {
    # A process that was frozen in the middle of a transaction must not keep its locks from the others.
    "idle_in_transaction_session_timeout": "5000",
}
_ENCRYPTED = ("disable", "allow", "prefer", "require")
_VERIFIED = ("verify-ca", "verify-full")
_SQLITE_SETUP = (
    "PRAGMA busy_timeout = 10000",  # First: changing to WAL may have to wait for another process.
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # A commit is on the disk before it is acknowledged.
    "PRAGMA foreign_keys = ON",
)


def _checked_dsn(dsn: str) -> str:
    try:
        url = make_url(dsn)
    except (ArgumentError, ValueError):  # Their texts may have a part of the password in them.
        raise ValueError("not a database URL; its password must be percent-encoded") from None
    backend = url.get_backend_name()
    if backend not in _DRIVERS:
        raise ValueError("only sqlite:///… and postgresql://… are known")
    if "sslmode" in url.query or url.query.get("ssl", "prefer") not in _ENCRYPTED + _VERIFIED:
        raise ValueError(f"TLS is asked for by `ssl`, which is one of {', '.join(_ENCRYPTED + _VERIFIED)}")
    return url.set(drivername=f"{backend}+{_DRIVERS[backend]}").render_as_string(hide_password=False)


DatabaseDsn = Annotated[str, AfterValidator(_checked_dsn)]
"""Type of a setting `database_dsn`: `sqlite:////path/to/file` or `postgresql://user:password@host/name`; with
`?ssl=require` encrypted, with `?ssl=verify-full` to a server only that an authority of this machine has certified."""


class Database:
    """One service's database: sessions that read and sessions that write."""

    def __init__(self, engine: AsyncEngine, times: StoreTimes) -> None:
        self._times = times
        self.engine = engine
        """For statements without a session; on SQLite each transaction takes the write lock at its start."""
        self._reading = engine.execution_options(**{_READ_ONLY: True})
        self._reach = Reach(STORE)
        # SQLite has one writer: queueing here is fair, and no writer polls for the lock.
        self._turn = asyncio.Lock() if engine.dialect.name == _SQLITE else nullcontext()
        path = engine.url.database
        self._writer = SqliteWriter(path, _set_up_sqlite) if engine.dialect.name == _SQLITE and path else None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """Gives a session of one transaction that changes nothing."""
        with self._times.taking("read"), told_if_away():
            async with AsyncSession(self._reading, expire_on_commit=False) as session:
                await self._reached(session.connection)
                yield session

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncSession]:
        """Gives a session of one transaction; commits at the end of the block, unless it raises."""
        with self._times.taking("write"), told_if_away():
            async with self._turn, AsyncSession(self.engine, expire_on_commit=False) as session, session.begin():
                await self._reached(session.connection)
                yield session

    async def transact(self, transaction: Transaction[T]) -> T:
        """Runs a transaction on the bare driver and returns what it does, once it is committed.

        Raises:
            IntegrityError: a key is taken; nothing has changed.
        """
        with self._times.taking("write"), told_if_away():
            if self._writer is None:
                async with aclosing(await self._reached(self.engine.connect().start)) as connection:
                    return await run_on_postgresql(connection, transaction)
            async with self._turn:
                return await self._writer.run(asyncio.get_running_loop(), transaction)

    async def close(self) -> None:
        """Closes all connections."""
        if self._writer is not None:
            await asyncio.to_thread(self._writer.close)
        await self.engine.dispose()

    async def _reached(self, connect: Callable[[], Awaitable[T]]) -> T:
        """Connects; a server that is away is not asked by every caller."""
        self._reach.try_now()
        try:
            connection = await connect()
        except Exception as error:
            if is_out_of_reach(error):
                self._reach.missed()
            raise
        self._reach.found()
        return connection


@asynccontextmanager
async def open_database(
    dsn: str, migrations: ModuleType, metrics: ServiceMetrics | None = None
) -> AsyncIterator[Database]:
    """Gives the database with its schema up to date; waits until the server answers, however long that takes.

    Args:
        dsn: `sqlite:///…` or `postgresql://…`, as `DatabaseDsn` takes it.
        migrations: The package with the service's Alembic revisions, `mahjong_<name>.migrations`.
        metrics: Where transactions are timed.

    Raises:
        StoreRefusedError: The server or the file system does not let us in.
    """
    engine = _engine(make_url(_checked_dsn(dsn)))
    database = Database(engine, times_of(STORE, metrics))
    try:
        await until_reachable(STORE, lambda: _upgrade(engine, migrations), (UnavailableError,))
        yield database
    finally:
        await database.close()


async def _upgrade(engine: AsyncEngine, migrations: ModuleType) -> None:
    try:
        with told_if_away():
            async with engine.begin() as connection:
                await connection.run_sync(upgrade, migrations)
    except Exception as error:
        if problem := refusal_of(error):
            raise StoreRefusedError(f"cannot open the database: {problem}; see the setting DATABASE_DSN") from error
        raise


def _engine(url: URL) -> AsyncEngine:
    if url.get_backend_name() != _SQLITE:
        setup = {"timeout": 5.0, "command_timeout": 10.0, "server_settings": _POSTGRES_SETUP, **_verification(url)}
        plain = url.difference_update_query(["ssl"] if "ssl" in setup else [])
        return create_async_engine(plain, pool_size=10, max_overflow=10, connect_args=setup, **_POOL)
    engine = create_async_engine(url, pool_size=4, max_overflow=4, **_POOL)
    event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    event.listen(engine.sync_engine, "invalidate", _roll_back_sqlite)
    return engine


def _verification(url: URL) -> dict[str, ssl.SSLContext]:
    """Returns how a server's certificate is verified: by the machine's authorities, or those that SSL_CERT_FILE names.

    The driver's own way knows only a file in the user's home, and fails without it.
    """
    mode = url.query.get("ssl")
    if mode not in _VERIFIED:
        return {}
    context = ssl.create_default_context()
    context.check_hostname = mode == "verify-full"
    return {"ssl": context}


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # The driver opens no transactions of its own: `_begin_sqlite` does.
    cursor = connection.cursor()
    try:
        for statement in _SQLITE_SETUP:
            cursor.execute(statement)
    except BaseException:
        connection.close()  # Its thread would keep the process from ending.
        raise
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes the lock at once: one that reads first could be refused later, in the middle of its transaction.
    is_read_only = connection.get_execution_options().get(_READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if is_read_only else "BEGIN IMMEDIATE")


def _roll_back_sqlite(connection: Any, _: object, __: object) -> None:
    # A statement was cut off. Closing alone would keep its locks until its cursor is collected as garbage.
    with suppress(sqlite3.Error):
        connection.rollback()
