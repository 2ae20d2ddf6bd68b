"""The database: the service's own statements on a real SQLite in memory, behind connections that fail in every way."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any, Protocol, TypeVar

from sqlalchemy import create_engine
from sqlalchemy.engine import Engine
from sqlalchemy.pool import StaticPool

from mahjong_kit.errors import store_unreachable
from mahjong_kit.migration import upgrade
from mahjong_kit.sql_driver import Transaction, integrity_error
from mahjong_kit.sql_errors import STORE
from mahjong_table import migrations
from tests.dst.host import HOST, START_S, Host
from tests.dst.scale import SHARDS
from tests.dst.statements import DIALECT, Result, execute
from tests.dst.tally import Tally

T = TypeVar("T")

_JULIAN_1970 = 2440587.5
_DAY_S = 86400


@dataclass(slots=True)
class StoreWeather:
    """What is wrong with the database just now."""

    is_down: bool = False
    cut_off: set[Host] = field(default_factory=set)
    """Hosts that can't reach it."""
    lost_before: float = 0.0
    """Share of transactions that fail before their commit."""
    lost_after: float = 0.0
    """Share of commits whose outcome nobody is told."""
    late: float = 0.0
    """Share of transactions that are reported as failed and commit later, if nothing they have read has changed."""
    delay_s: float = 0.002
    clock_step_s: float = 0.0


class Observer(Protocol):
    """Who judges commits."""

    def committed(self) -> None:
        """Looks at what the transaction that was just committed has done."""


class SimulatedDatabase:
    """Stands in for `mahjong_kit.sql.Database`. A transaction is atomic; its host may wait, stop or die around it."""

    def __init__(self, chance: Random, tally: Tally) -> None:
        self.weather = StoreWeather()
        self._chance = chance
        self._tally = tally
        self.observer: Observer | None = None
        self._late: asyncio.Future[None] | None = None
        self.raw = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, cached_statements=512)
        self.raw.deserialize(template())
        self.raw.row_factory = sqlite3.Row
        self.raw.create_function("julianday", 1, lambda _: _JULIAN_1970 + self.now_s() / _DAY_S)

    def now_s(self) -> float:
        """Returns the database's clock in seconds since 1970."""
        return START_S + asyncio.get_running_loop().time() + self.weather.clock_step_s

    @asynccontextmanager
    async def reading(self) -> AsyncIterator["_Session"]:
        """Gives a session that reads."""
        await self._travel()
        self._check_reachable()
        with self._transaction(is_lost=True):
            yield _Session(self.raw, is_remembered=False)
        await self._travel()
        self._check_reachable()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator["_Session"]:
        """Gives a session that writes; fails before or after the commit, or commits behind the caller's back."""
        await self._travel()
        while self._late is not None:  # It holds the locks that a real one would.
            await asyncio.shield(self._late)
        self._check_reachable()
        weather = self.weather
        is_lost = self._chance.random() < weather.lost_before
        is_late = not is_lost and self._chance.random() < weather.late
        session = _Session(self.raw, is_remembered=is_late)
        with self._transaction(is_lost=is_lost or is_late):
            yield session
        if is_lost:
            self._tally.count("transaction lost before its commit")
            raise store_unreachable(STORE)
        if is_late:
            self._commit_later(session)
            raise store_unreachable(STORE)
        self._committed()
        await self._travel()
        if self._chance.random() < self.weather.lost_after:
            self._tally.count("commit whose outcome was lost")
            raise store_unreachable(STORE)
        self._check_reachable()

    @contextmanager
    def _transaction(self, *, is_lost: bool) -> Iterator[None]:
        self.raw.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.raw.execute("ROLLBACK")
            raise
        self.raw.execute("ROLLBACK" if is_lost else "COMMIT")

    async def transact(self, transaction: Transaction[T]) -> T:
        """Runs a transaction on the driver, as `writing` does one of statements."""
        async with self.writing() as session:
            return session.transact(transaction)

    def _commit_later(self, session: "_Session") -> None:
        host = HOST.get()
        late = self._late = asyncio.get_running_loop().create_future()

        def commit() -> None:
            self._late = None
            late.set_result(None)
            self.raw.execute("BEGIN IMMEDIATE")
            if not session.repeats():
                self.raw.execute("ROLLBACK")
                return
            self.raw.execute("COMMIT")
            self._tally.count("commit after its failure was reported")
            if host is not None:
                host.run(self._committed)

        asyncio.get_running_loop().call_later(self._chance.uniform(0, 1), commit, context=Context())

    def _committed(self) -> None:
        if self.observer is not None:
            self.observer.committed()

    async def _travel(self) -> None:
        await asyncio.sleep(self._chance.expovariate(1 / self.weather.delay_s))

    def _check_reachable(self) -> None:
        weather = self.weather
        if weather.is_down or HOST.get() in weather.cut_off:
            raise store_unreachable(STORE)


class _Session:
    """One transaction; may remember what it did, so that it can be done again."""

    dialect = DIALECT

    def __init__(self, raw: sqlite3.Connection, *, is_remembered: bool) -> None:
        self._raw = raw
        self._is_remembered = is_remembered
        self._done: list[tuple[Any, Any, Result]] = []
        self._repeat: Callable[[], bool] | None = None

    async def connection(self) -> "_Session":
        return self

    async def execute(self, statement: Any, parameters: Any = None) -> Result:
        result = execute(self._raw, statement, parameters)
        if self._is_remembered:
            self._done.append((statement, parameters, result))
        return result

    async def scalar(self, statement: Any, parameters: Any = None) -> Any:
        return (await self.execute(statement, parameters)).scalar()

    def transact(self, transaction: Transaction[T]) -> T:
        try:
            outcome = transaction.on_sqlite(self._raw)
        except sqlite3.IntegrityError as error:
            raise integrity_error(error) from error
        self._repeat = lambda: transaction.on_sqlite(self._raw) == outcome
        return outcome

    def repeats(self) -> bool:
        """Does all of it again; returns whether it reads the same as before and nothing is in the way."""
        try:
            if self._repeat is not None:
                return self._repeat()
            for statement, parameters, before in self._done:
                result = execute(self._raw, statement, parameters)
                if "julianday" not in str(statement) and result.rows != before.rows:
                    return False
        except Exception:  # noqa: BLE001 - a key is taken: somebody was faster
            return False
        return True


@lru_cache(maxsize=1)
def template() -> bytes:
    """Returns a database with the service's schema, and only as many shards as the simulation has."""
    raw = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    engine: Engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
    with engine.begin() as connection:
        upgrade(connection, migrations)
    raw.execute("DELETE FROM shard WHERE shard >= ?", (SHARDS,))
    return raw.serialize()
