"""Exceptions carry what they were about in their texts: what a log keeps of them tells no tile, seed or token."""

import json
from contextlib import suppress

import grpc
import pytest
from sqlalchemy import text

from mahjong_engine.keys import parse_keys
from mahjong_kit.log import get_logger
from mahjong_kit.settings import SettingsError, load_settings
from mahjong_kit.sql import open_database
from mahjong_kit.sql_driver import Statement, SteppedTransaction
from mahjong_matchmaker.settings import MatchmakerSettings
from tests.contract.kit.test_stores import FIRST, package

SECRET = "5eed5eed5eed"
WRITES = (f"INSERT INTO hand VALUES (NULL, '{SECRET}', 2)", f"INSERT INTO hand VALUES ('{SECRET}', 'E', 1)")
"""A row that lacks a value, a key that is taken: PostgreSQL tells both with what was in them."""
HAND = "1b 1b 1b 1b 1b 2b 3b 4b 5b 6b 7b 8b 9b"


class Insert(SteppedTransaction[None]):
    """A write on the bare driver."""

    def __init__(self, statement: str) -> None:
        self._statement = statement

    def steps(self, share_lock):
        yield Statement(self._statement)


@pytest.fixture
async def hands(postgres_dsn, tmp_path):
    async with open_database(postgres_dsn, package(tmp_path / "one", FIRST)) as database:
        async with database.writing() as session:
            await session.exec(
                text("CREATE TABLE hand (seed VARCHAR PRIMARY KEY, tiles VARCHAR, copies INTEGER NOT NULL)")
            )
            await session.exec(text(f"INSERT INTO hand VALUES ('{SECRET}', 'S', 1)"))
        yield database


@pytest.mark.parametrize("statement", WRITES)
async def test_row_that_a_database_refuses_is_not_in_the_log(bench, hands, logged, statement):
    async def in_a_session():
        async with hands.writing() as session:
            await session.exec(text(statement.replace(SECRET, "' || :seed || '")), params={"seed": SECRET})

    async def on_the_driver():
        await hands.transact(Insert(statement))

    for act in (in_a_session, on_the_driver):
        bench.script.act = act
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await bench.get_my_table()
        assert SECRET not in str(caught.value)
    exceptions = [line["exception"] for line in logged() if line["event"] == "call.failed"]
    assert ["hand" in each and "Traceback" in each for each in exceptions] == [True, True]
    assert SECRET not in json.dumps(logged())


def test_row_that_a_database_refused_is_not_in_the_log_of_a_group_of_failures(logged):
    error = ExceptionGroup("failed", [ValueError("failed")])
    error.exceptions[0].__cause__ = RefusalError()
    get_logger().error("service.crashed", exc_info=error)
    (line,) = logged()
    assert SECRET not in line["exception"]
    assert "the row is refused" in line["exception"]


class RefusalError(Exception):
    """An error as the driver raises them: its text has its detail."""

    detail = f"Failing row contains ({SECRET})."

    def __str__(self) -> str:
        return f"the row is refused\nDETAIL:  {self.detail}"


async def test_hand_that_the_engine_refuses_is_not_in_the_log(bench, logged):
    async def act():
        parse_keys(HAND.split())

    bench.script.act = act
    with suppress(grpc.aio.AioRpcError):
        await bench.get_my_table()
    (failed,) = [line for line in logged() if line["event"] == "call.failed"]
    assert "MalformedTileError" in failed["exception"]
    assert HAND[-5:] not in json.dumps(logged())


@pytest.mark.parametrize(
    "url", ["redis://:secret#word@h:6379", "redis://h:secret/0", "rediss+cluster://:pa:word@h:secret", "secret://h"]
)
def test_url_that_is_wrong_is_not_told(monkeypatch, url):
    monkeypatch.setenv("MATCHMAKER_SERVICE_KEY", "k" * 32)
    monkeypatch.setenv("MATCHMAKER_REDIS_URL", url)
    with pytest.raises(SettingsError, match="MATCHMAKER_REDIS_URL is wrong") as caught:
        load_settings(MatchmakerSettings)
    assert "secret" not in str(caught.value)
