"""The replay service on a real server over each real database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sa

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server
from mahjong_kit.sql import Database, open_database
from mahjong_replay import migrations
from mahjong_replay.settings import ReplaySettings
from mahjong_replay.wiring import open_servicers
from mahjongplanet.replay.v1.admin_service_pb2_grpc import AdminServiceStub
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceStub
from tests.kit.serving import patient_stub, stub_of
from tests.kit.tokens import SERVICE_KEY, TokenIssuer


@dataclass
class Served:
    """One running replica."""

    stub: Any
    admin: Any
    database: Database
    metrics: ServiceMetrics

    async def rows(self, table: sa.Table) -> list[dict[str, Any]]:
        async with self.database.engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(sa.select(table))).mappings()]

    def count(self, name: str, **labels: str) -> float | None:
        return self.metrics.registry.get_sample_value(f"mahjong_replay_{name}", labels)

    async def until_checked(self, matches: int) -> None:
        """Waits until this replica has verified so many matches."""
        async with asyncio.timeout(60):
            while sum(self.count("matches_checked_total", result=r) for r in ("verified", "failed")) < matches:
                await asyncio.sleep(0.01)


@pytest.fixture(params=["sqlite-grpc", "postgresql-grpc", "sqlite-native"])
def replay_settings(request: pytest.FixtureRequest) -> ReplaySettings:
    database, _, transport = request.param.partition("-")
    return ReplaySettings(
        database_dsn=request.getfixturevalue("sqlite_dsn" if database == "sqlite" else "postgres_dsn"),
        transport=transport,
        service_key=SERVICE_KEY,
        port=0,
        metrics_port=0,
        probe_period_s=0,
        drain_grace_s=1,
        call_timeout_s=60,
        verify_period_s=0.1,
        # Matches of tests ended on a fixed day, and stay however long ago that was.
        keep_casual_days=0,
        keep_private_days=0,
        keep_practice_days=0,
    )


@asynccontextmanager
async def replica(settings: ReplaySettings, issuer: TokenIssuer) -> AsyncIterator[Served]:
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations))
        metrics = ServiceMetrics("replay")
        servicers = await stack.enter_async_context(open_servicers(database, settings, metrics))
        built = build_server(*servicers, settings=settings, metrics=metrics, authenticator=issuer.authenticator())
        stub = await stack.enter_async_context(stub_of(built, ReplayServiceStub, settings))
        address = f"127.0.0.1:{built.port}"
        admin = await stack.enter_async_context(patient_stub(AdminServiceStub, address))
        yield Served(stub, admin, database, metrics)


@pytest.fixture
async def served(replay_settings: ReplaySettings, issuer: TokenIssuer) -> AsyncIterator[Served]:
    async with replica(replay_settings, issuer) as running:
        yield running
