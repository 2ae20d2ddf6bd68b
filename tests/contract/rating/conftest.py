"""The rating service on a real server over each real database."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server
from mahjong_kit.sql import Database, open_database
from mahjong_rating import migrations
from mahjong_rating.service import RatingService
from mahjong_rating.settings import RatingSettings
from mahjong_rating.wiring import open_ratings
from mahjongplanet.rating.v1.admin_service_pb2_grpc import AdminServiceStub
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from tests.kit.serving import patient_stub, stub_of
from tests.kit.tokens import SERVICE_KEY, TokenIssuer

NOW = datetime(2026, 12, 15, tzinfo=UTC)
"""In the season that reports of tests end in, 2026 Q4."""


@dataclass
class Served:
    """One running replica."""

    stub: Any
    admin: Any
    ratings: RatingService
    database: Database
    metrics: ServiceMetrics


@pytest.fixture(params=["sqlite-grpc", "postgresql-grpc", "sqlite-native"])
def rating_settings(request: pytest.FixtureRequest) -> RatingSettings:
    database, _, transport = request.param.partition("-")
    return RatingSettings(
        database_dsn=request.getfixturevalue("sqlite_dsn" if database == "sqlite" else "postgres_dsn"),
        transport=transport,
        service_key=SERVICE_KEY,
        port=0,
        metrics_port=0,
        probe_period_s=0,
        drain_grace_s=1,
        call_timeout_s=60,
        recheck_period_s=0.05,
    )


@asynccontextmanager
async def replica(settings: RatingSettings, issuer: TokenIssuer) -> AsyncIterator[Served]:
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations))
        metrics = ServiceMetrics("rating")
        wired = await stack.enter_async_context(open_ratings(database, settings, metrics, lambda: NOW))
        built = build_server(*wired.servicers, settings=settings, metrics=metrics, authenticator=issuer.authenticator())
        stub = await stack.enter_async_context(stub_of(built, RatingServiceStub, settings))
        address = f"127.0.0.1:{built.port}"
        admin = await stack.enter_async_context(patient_stub(AdminServiceStub, address))
        yield Served(stub, admin, wired.ratings, database, metrics)


@pytest.fixture
async def served(rating_settings: RatingSettings, issuer: TokenIssuer) -> AsyncIterator[Served]:
    async with replica(rating_settings, issuer) as running:
        yield running
