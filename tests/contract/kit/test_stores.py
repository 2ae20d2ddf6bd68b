"""Databases and Redis as the kit opens them."""

import asyncio
import gc
import multiprocessing
import sqlite3
from types import ModuleType

import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from mahjong_account.settings import AccountSettings
from mahjong_kit.backoff import until_reachable
from mahjong_kit.errors import UnavailableError
from mahjong_kit.redis import RedisUrl, open_redis
from mahjong_kit.redis import store_error as redis_error
from mahjong_kit.settings import SettingsError, StoreRefusedError, load_settings
from mahjong_kit.sql import open_database
from mahjong_kit.sql_errors import store_error as sql_error
from tests.kit.stores import crash_postgres, postgres_server, start_postgres, valkey_server

FIRST = """
import sqlalchemy as sa
from alembic import op
revision = "r0001"
down_revision = None
def upgrade():
    op.create_table("tile", sa.Column("code", sa.String(4), primary_key=True), sa.Column("tile_count", sa.Integer()))
    op.execute("INSERT INTO tile VALUES ('E', 4)")
"""
SECOND = """
import sqlalchemy as sa
from alembic import op
revision = "r0002"
down_revision = "r0001"
def upgrade():
    op.add_column("tile", sa.Column("wind", sa.Boolean()))
"""
BROKEN = """
import sqlalchemy as sa
from alembic import op
revision = "r0002"
down_revision = "r0001"
def upgrade():
    op.add_column("tile", sa.Column("wind", sa.Boolean()))
    raise ValueError("half done")
"""


def package(directory, *revisions):
    """Returns a package `migrations` of these revisions, as `open_database` takes it."""
    directory.mkdir()
    for number, source in enumerate(revisions, 1):
        (directory / f"r{number:04}.py").write_text(source)
    module = ModuleType("migrations")
    module.__file__ = str(directory / "__init__.py")
    return module


async def everything(dsn, migrations, sql="SELECT * FROM tile"):
    async with open_database(dsn, migrations) as database, database.reading() as session:
        return [tuple(row) for row in (await (await session.connection()).execute(text(sql))).all()]


async def test_empty_database_is_brought_to_the_last_revision(database_dsn, tmp_path):
    assert await everything(database_dsn, package(tmp_path / "two", FIRST, SECOND)) == [("E", 4, None)]


async def test_database_of_an_older_release_is_brought_up_to_date_and_keeps_its_rows(database_dsn, tmp_path):
    await everything(database_dsn, package(tmp_path / "one", FIRST))
    assert await everything(database_dsn, package(tmp_path / "two", FIRST, SECOND)) == [("E", 4, None)]


async def test_database_of_a_newer_release_is_left_alone(database_dsn, tmp_path):
    await everything(database_dsn, package(tmp_path / "two", FIRST, SECOND))
    assert await everything(database_dsn, package(tmp_path / "one", FIRST)) == [("E", 4, None)]


async def test_revision_that_fails_leaves_nothing_behind(database_dsn, tmp_path):
    with pytest.raises(ValueError, match="half done"):
        await everything(database_dsn, package(tmp_path / "broken", FIRST, BROKEN))
    assert await everything(database_dsn, package(tmp_path / "one", FIRST)) == [("E", 4)]


def start_at_once(dsn, directory, barrier, results):
    module = ModuleType("migrations")
    module.__file__ = str(directory / "__init__.py")
    barrier.wait(30)
    results.put(asyncio.run(everything(dsn, module)))


def test_processes_that_start_at_once_apply_each_revision_once(database_dsn, tmp_path):
    count = 3
    package(tmp_path / "two", FIRST, SECOND)
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(count), context.Queue()
    arguments = (database_dsn, tmp_path / "two", barrier, results)
    processes = [context.Process(target=start_at_once, args=arguments) for _ in range(count)]
    for process in processes:
        process.start()
    assert [results.get(timeout=60) for _ in processes] == [[("E", 4, None)]] * count
    for process in processes:
        process.join(30)
    assert [process.exitcode for process in processes] == [0] * count


@pytest.fixture
async def database(database_dsn, tmp_path):
    async with open_database(database_dsn, package(tmp_path / "one", FIRST)) as database:
        yield database


async def count_tiles(database):
    async with database.reading() as session:
        return (await (await session.connection()).execute(text("SELECT count(*) FROM tile"))).scalar_one()


async def test_what_a_session_wrote_is_there_for_the_next(database):
    async with database.writing() as session:
        await (await session.connection()).execute(text("UPDATE tile SET tile_count = 3"))
    async with database.reading() as session:
        assert (await (await session.connection()).execute(text("SELECT tile_count FROM tile"))).scalar_one() == 3


async def test_what_a_session_wrote_before_it_failed_is_taken_back(database):
    async def fail():
        async with database.writing() as session:
            await (await session.connection()).execute(text("UPDATE tile SET tile_count = 3"))
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
    async with database.reading() as session:
        assert (await (await session.connection()).execute(text("SELECT tile_count FROM tile"))).scalar_one() == 4


async def test_sessions_that_add_at_once_lose_nothing(database):
    async def add():
        async with database.writing() as session:
            connection = await session.connection()
            row = "SELECT tile_count FROM tile" + (" FOR UPDATE" if database.engine.dialect.name != "sqlite" else "")
            count = (await connection.execute(text(row))).scalar_one()
            await asyncio.sleep(0)
            await connection.execute(text("UPDATE tile SET tile_count = :count"), {"count": count + 1})

    await asyncio.gather(*(add() for _ in range(40)))
    async with database.reading() as session:
        assert (await (await session.connection()).execute(text("SELECT tile_count FROM tile"))).scalar_one() == 44


class SetTileCount:
    """Sets the count of a tile that is there already by adding it again, if so asked."""

    def __init__(self, count, *, again=False, fault=None):
        self.count, self.again, self.fault = count, again, fault

    def on_sqlite(self, connection):
        connection.execute("UPDATE tile SET tile_count = ?", (self.count,))
        if self.again:
            connection.execute("INSERT INTO tile VALUES ('E', 4)")
        if self.fault is not None:
            raise self.fault
        return self.count

    async def on_postgresql(self, connection):
        await connection.execute("UPDATE tile SET tile_count = $1", self.count)
        if self.again:
            await connection.execute("INSERT INTO tile VALUES ('E', 4)")
        if self.fault is not None:
            raise self.fault
        return self.count


async def test_what_a_transaction_on_the_driver_did_is_there_and_returned(database):
    assert await database.transact(SetTileCount(3)) == 3
    assert await tile_count(database) == 3


async def test_transaction_on_the_driver_that_meets_a_taken_key_is_taken_back(database):
    with pytest.raises(IntegrityError):
        await database.transact(SetTileCount(3, again=True))
    assert await tile_count(database) == 4
    assert await database.transact(SetTileCount(2)) == 2


async def test_transaction_on_the_driver_that_fails_is_taken_back(database):
    with pytest.raises(KeyError):
        await database.transact(SetTileCount(3, fault=KeyError()))
    assert await tile_count(database) == 4
    assert await database.transact(SetTileCount(2)) == 2


async def test_transactions_on_the_driver_and_sessions_take_turns(database):
    async def add():
        async with database.writing() as session:
            await (await session.connection()).execute(text("UPDATE tile SET tile_count = tile_count + 1"))

    await asyncio.gather(*(add() for _ in range(20)), *(database.transact(Add()) for _ in range(20)))
    assert await tile_count(database) == 44


class Add:
    def on_sqlite(self, connection):
        connection.execute("UPDATE tile SET tile_count = tile_count + 1")

    async def on_postgresql(self, connection):
        await connection.execute("UPDATE tile SET tile_count = tile_count + 1")


async def test_database_that_crashed_is_unreachable_to_transactions_on_the_driver_until_it_is_back(tmp_path):
    with postgres_server() as server:
        async with open_database(server.get_uri(), package(tmp_path / "one", FIRST)) as database:
            await database.transact(SetTileCount(3))
            crash_postgres(server)
            for _ in range(3):
                with pytest.raises(UnavailableError):
                    await database.transact(SetTileCount(2))
            start_postgres(server)
            retry = until_reachable("database", lambda: database.transact(SetTileCount(1)), (UnavailableError,))
            assert await retry == 1


async def test_sqlite_file_that_another_process_locks_is_unreachable_to_transactions_on_the_driver(
    sqlite_dsn, tmp_path, monkeypatch
):
    monkeypatch.setattr("mahjong_kit.sql._SQLITE_SETUP", ("PRAGMA busy_timeout = 10",))
    async with open_database(sqlite_dsn, package(tmp_path / "one", FIRST)) as database:
        other = sqlite3.connect(tmp_path / "test.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnavailableError):
            await database.transact(SetTileCount(3))
        other.close()
        assert await database.transact(SetTileCount(3)) == 3


async def tile_count(database):
    async with database.reading() as session:
        return (await (await session.connection()).execute(text("SELECT tile_count FROM tile"))).scalar_one()


async def test_sqlite_writes_to_the_disk_before_it_answers(sqlite_dsn, tmp_path):
    migrations = package(tmp_path / "one", FIRST)
    pragmas = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}
    for name, value in pragmas.items():
        assert await everything(sqlite_dsn, migrations, f"PRAGMA {name}") == [(value,)]


async def test_error_that_is_no_lost_database_is_a_fault_of_ours(database):
    with pytest.raises(IntegrityError) as caught:
        async with database.writing() as session:
            await (await session.connection()).execute(text("INSERT INTO tile VALUES ('E', :seed)"), {"seed": 4242})
    assert sql_error(caught.value) is None
    assert "4242" not in str(caught.value), "parameters do not belong in texts"


async def test_statement_that_is_wrong_is_a_fault_of_ours(database):
    with pytest.raises(DBAPIError) as caught:
        async with database.reading() as session:
            await (await session.connection()).execute(text("SELECT * FROM nothing"))
    assert sql_error(caught.value) is None


async def test_database_that_crashes_is_unreachable_until_it_is_back(tmp_path):
    with postgres_server() as server:
        async with open_database(server.get_uri(), package(tmp_path / "one", FIRST)) as database:
            crash_postgres(server)
            for _ in range(3):
                with pytest.raises(UnavailableError) as caught:
                    await count_tiles(database)
                assert caught.value.metadata == {"store": "database"}
            start_postgres(server)
            assert await until_reachable("database", lambda: count_tiles(database), (UnavailableError,)) == 1


async def test_database_that_crashes_in_a_transaction_is_unreachable(tmp_path):
    async def crash_between_statements(server, database):
        async with database.writing() as session:
            await (await session.connection()).execute(text("UPDATE tile SET tile_count = 3"))
            crash_postgres(server)
            await (await session.connection()).execute(text("UPDATE tile SET tile_count = 2"))

    with postgres_server() as server:
        async with open_database(server.get_uri(), package(tmp_path / "one", FIRST)) as database:
            with pytest.raises(UnavailableError):
                await crash_between_statements(server, database)


async def test_sqlite_file_that_another_process_locks_too_long_is_unreachable(sqlite_dsn, tmp_path):
    async with open_database(sqlite_dsn, package(tmp_path / "one", FIRST)) as database:
        other = sqlite3.connect(tmp_path / "test.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        event.listen(database.engine.sync_engine, "connect", lambda c, _: c.execute("PRAGMA busy_timeout = 10"))
        await database.engine.dispose()
        with pytest.raises(UnavailableError):
            async with database.writing() as session:
                await session.connection()
        other.close()


async def execute(database, *statements):
    async with database.writing() as session:
        for statement in statements:
            await (await session.connection()).execute(text(statement))


async def test_transaction_that_is_cut_off_in_a_statement_keeps_nothing_locked(database):
    change, look = "UPDATE tile SET tile_count = tile_count", "SELECT code FROM tile"
    begun = asyncio.Queue()
    event.listen(database.engine.sync_engine, "before_cursor_execute", lambda *_: begun.put_nowait(None))
    gc.disable()  # It may be long before it frees what was cut off.
    try:
        for cut in range(1, 6):
            task = asyncio.create_task(execute(database, change, look, change, look, change))
            for _ in range(cut):
                await begun.get()
            task.cancel()
            await asyncio.wait([task])
            await execute(database, change)
            while not begun.empty():
                begun.get_nowait()
    finally:
        gc.enable()


async def test_database_that_only_reads_is_unreachable_to_those_who_write(database):
    only_read = "PRAGMA query_only = ON" if database.engine.dialect.name == "sqlite" else "SET TRANSACTION READ ONLY"
    with pytest.raises((UnavailableError, DBAPIError)) as caught:
        await execute(database, only_read, "UPDATE tile SET tile_count = 3")
    assert sql_error(caught.value) or isinstance(caught.value, UnavailableError)


@pytest.mark.parametrize("state", ["40001", "40P01", "XX001", "XX002"])
async def test_database_that_took_a_transaction_back_or_is_damaged_is_unreachable(postgres_dsn, tmp_path, state):
    async with open_database(postgres_dsn, package(tmp_path / "one", FIRST)) as database:
        with pytest.raises((UnavailableError, DBAPIError)) as caught:
            await execute(database, f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$")
        assert sql_error(caught.value) or isinstance(caught.value, UnavailableError)
        assert await count_tiles(database) == 1


async def test_sqlite_file_that_is_damaged_under_way_is_unreachable(sqlite_dsn, tmp_path):
    path = tmp_path / "test.db"
    async with open_database(sqlite_dsn, package(tmp_path / "one", FIRST)) as database:
        assert await count_tiles(database) == 1
        await database.engine.dispose()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        other.close()
        content = path.read_bytes()
        path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
        with pytest.raises(DBAPIError, match="malformed") as caught:
            await count_tiles(database)
        assert sql_error(caught.value)


@pytest.mark.parametrize(
    ("dsn", "problem"),
    [
        ("sqlite:////nowhere/at/all.db", "unable to open database file"),
        ("sqlite:///{path}", "file is not a database"),
        ("{postgres}_missing", "does not exist"),
    ],
)
async def test_database_that_does_not_let_us_in_ends_the_start_with_its_reason(tmp_path, postgres_dsn, dsn, problem):
    (tmp_path / "text").write_text("no database " * 100)
    dsn = dsn.format(path=tmp_path / "text", postgres=postgres_dsn.replace("/postgres?", "/missing?"))
    with pytest.raises(
        StoreRefusedError, match=f"^cannot open the database: .*{problem}; see the setting DATABASE_DSN$"
    ):
        await everything(dsn.removesuffix("_missing"), package(tmp_path / "one", FIRST))


async def test_service_waits_for_a_database_that_is_not_up_yet(postgres_dsn, tmp_path):
    reached = postgres_dsn.replace("?host=", "?host=/nowhere")
    migrations = package(tmp_path / "one", FIRST)
    waiting = asyncio.create_task(everything(reached, migrations))
    done, _ = await asyncio.wait([waiting], timeout=0.5)
    waiting.cancel()
    assert not done


async def test_service_waits_for_a_redis_that_is_not_up_yet(unused_port):
    async def use():
        async with open_redis(f"redis://127.0.0.1:{unused_port}"):
            pass

    waiting = asyncio.create_task(use())
    done, _ = await asyncio.wait([waiting], timeout=0.5)
    waiting.cancel()
    assert not done


@pytest.mark.parametrize("url", ["localhost:6379", "http://localhost", "redis://localhost:many"])
def test_url_of_something_else_than_redis_is_refused(url):
    with pytest.raises(ValidationError):
        TypeAdapter(RedisUrl).validate_python(url)


async def test_redis_answers(redis_url):
    async with open_redis(redis_url) as client:
        await client.set("key", "value")
        assert await client.get("key") == b"value"


async def test_redis_that_goes_away_is_unreachable():
    with valkey_server() as server:
        async with open_redis(f"redis://127.0.0.1:{server.port}") as client:
            server.stop()
            with pytest.raises(Exception) as caught:
                await client.get("key")
    error = redis_error(caught.value)
    assert error is not None
    assert (error.reason, error.metadata) == ("ERROR_REASON_STORE_UNREACHABLE", {"store": "redis"})


def test_error_of_something_else_is_no_lost_store():
    assert redis_error(ValueError()) is None
    assert sql_error(ValueError()) is None


def test_dsn_of_another_database_is_refused(monkeypatch):
    monkeypatch.setenv("ACCOUNT_SERVICE_KEY", "k" * 32)
    for dsn in ("mysql://root:secret@host/name", "secret", "postgresql://root:pass@host:secret1/name"):
        monkeypatch.setenv("ACCOUNT_DATABASE_DSN", dsn)
        with pytest.raises(SettingsError, match="ACCOUNT_DATABASE_DSN is wrong") as caught:
            load_settings(AccountSettings)
        assert "secret" not in str(caught.value)
