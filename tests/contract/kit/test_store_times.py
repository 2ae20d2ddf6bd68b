"""How long work at real stores takes is told in the metrics of the service."""

import pytest
import redis.exceptions

from mahjong_account import migrations
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.redis import open_redis
from mahjong_kit.sql import open_database


def count(metrics, store, kind, what="duration_seconds_count"):
    labels = {"store": store, "kind": kind}
    return metrics.registry.get_sample_value(f"mahjong_test_store_{what}", labels) or 0


async def test_transactions_are_timed_and_failures_counted(database_dsn):
    metrics = ServiceMetrics("test")
    async with open_database(database_dsn, migrations, metrics) as database:
        async with database.reading():
            pass
        async with database.writing():
            pass
        with pytest.raises(ZeroDivisionError):
            async with database.writing():
                raise ZeroDivisionError
    assert (count(metrics, "database", "read"), count(metrics, "database", "write")) == (1, 2)
    assert count(metrics, "database", "write", "failures_total") == 1


async def test_commands_are_timed_and_failures_counted(redis_url):
    metrics = ServiceMetrics("test")
    async with open_redis(redis_url, is_awaited=False, metrics=metrics) as client:
        await client.set("k", "v")
        await client.send_all([("GET", "k"), ("GET", "k")])
        with pytest.raises(redis.exceptions.ResponseError):
            await client.lpush("k", "no list")
    assert (count(metrics, "redis", "command"), count(metrics, "redis", "batch")) == (2, 1)
    assert count(metrics, "redis", "command", "failures_total") == 1
