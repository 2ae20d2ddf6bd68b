"""Transactions on the bare driver, for the few that everything else waits for.

SQLAlchemy costs several times what its statement does, and its SQLite driver one change of threads for each statement.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import asyncpg
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

_CACHED_STATEMENTS = 512


class Transaction(Protocol[T_co]):
    """What is done in one transaction, in the words of either driver. May be done again from the start."""

    def on_sqlite(self, connection: sqlite3.Connection) -> T_co:
        """Does it on SQLite, in a thread: it must touch nothing that changes."""

    async def on_postgresql(self, connection: Any) -> T_co:
        """Does it on a connection of asyncpg."""


class Statement(NamedTuple):
    """A statement with its values at places $1, $2, …"""

    text: str
    values: Sequence[Any] = ()


Steps = Generator[Statement, Sequence[Any], T]
"""Yields statements, is sent the rows of each, returns what the transaction comes to."""


class SteppedTransaction(ABC, Generic[T]):
    """A transaction that is the same on either driver, one statement after another."""

    @abstractmethod
    def steps(self, share_lock: str) -> Steps[T]:
        """Goes through the transaction.

        Args:
            share_lock: ends a SELECT whose rows nobody may change until the end; empty where there is one writer.
        """

    def on_sqlite(self, connection: sqlite3.Connection) -> T:
        """Does it on SQLite."""
        steps = self.steps("")
        rows: Any = None
        while True:
            try:
                statement = steps.send(rows)
            except StopIteration as end:
                outcome: T = end.value
                return outcome
            rows = connection.execute(_sqlite_text(statement.text), statement.values).fetchall()

    async def on_postgresql(self, connection: Any) -> T:
        """Does it on a connection of asyncpg."""
        steps = self.steps(" FOR SHARE")
        rows: Any = None
        while True:
            try:
                statement = steps.send(rows)
            except StopIteration as end:
                outcome: T = end.value
                return outcome
            rows = await connection.fetch(statement.text, *statement.values)


@lru_cache(maxsize=128)
def _sqlite_text(text: str) -> str:
    return text.replace("$", "?")


class SqliteWriter:
    """One connection that writes, in a thread of its own: a transaction costs one change of threads and back."""

    def __init__(self, path: str, setup: Callable[[sqlite3.Connection, object], None]) -> None:
        self._path = path
        self._setup = setup
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite-writer")
        self._connection: sqlite3.Connection | None = None

    def run(self, loop: Any, transaction: Transaction[T]) -> Awaitable[T]:
        """Runs a transaction and returns what it does, once it is on the disk."""
        done: Awaitable[T] = loop.run_in_executor(self._thread, self._run, transaction)
        return done

    def close(self) -> None:
        """Ends the thread; what it was given is done before."""
        self._thread.submit(self._disconnect)
        self._thread.shutdown()

    def _run(self, transaction: Transaction[T]) -> T:
        connection = self._connection or self._connect()
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcome = transaction.on_sqlite(connection)
            connection.execute("COMMIT")
        except sqlite3.IntegrityError as error:
            connection.rollback()
            raise integrity_error(error) from error
        except BaseException:
            self._disconnect()
            raise
        return outcome

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, cached_statements=_CACHED_STATEMENTS
        )
        self._setup(connection, None)
        self._connection = connection
        return connection

    def _disconnect(self) -> None:
        """Takes back what was not committed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


async def run_on_postgresql(pooled: AsyncConnection, transaction: Transaction[T]) -> T:
    """Runs a transaction on a connection of the pool."""
    connection: Any = (await pooled.get_raw_connection()).driver_connection
    try:
        async with connection.transaction():
            return await transaction.on_postgresql(connection)
    except asyncpg.IntegrityConstraintViolationError as error:
        raise integrity_error(error) from error
    except BaseException as error:
        await pooled.invalidate()  # The pool can't see what happened to it.
        if isinstance(error, asyncpg.InterfaceError) and connection.is_closed():
            raise ConnectionError("the connection was lost") from error
        raise


def integrity_error(error: Exception) -> IntegrityError:
    """Returns what SQLAlchemy would raise; without the parameters, which do not belong in texts."""
    return IntegrityError(None, None, error, hide_parameters=True)
