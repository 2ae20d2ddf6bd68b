"""The matchmaker as a process, before a table service of one room in the test's own."""

import pytest

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server, serving
from tests.contract.matchmaker.hall import Hall
from tests.kit.serving import plain_settings
from tests.kit.tokens import SERVICE_KEY


@pytest.fixture
async def hall():
    return Hall()


@pytest.fixture
async def fields(hall, issuer, redis_url, account_address):
    """Settings of the matchmaker's process, with a table service of one room in this one.

    However long a process takes to start again, nobody is taken for gone and no computer takes a seat meanwhile.
    """
    settings = plain_settings()
    metrics = ServiceMetrics("test")
    built = build_server(hall, settings=settings, metrics=metrics, authenticator=issuer.authenticator())
    async with serving(built, settings):
        yield {
            "service_key": SERVICE_KEY,
            "redis_url": redis_url,
            "account_address": account_address,
            "table_address": f"127.0.0.1:{built.port}",
            "lease_s": 0.5,
            "check_period_s": 0.05,
            "computer_fill_s": 600,
            "unwatched_s": 600,
            "absent_s": 600,
            "room_gone_s": 600,
        }
