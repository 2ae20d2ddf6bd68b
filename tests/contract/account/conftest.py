"""The account service on a real server in the test process, with a clock that tests set."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from mahjong_account.__main__ import open_server
from mahjong_account.settings import AccountSettings
from mahjong_kit.metrics import ServiceMetrics
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.kit.serving import stub_of
from tests.kit.tokens import SERVICE_KEY


@dataclass
class SetClock:
    """A clock that stands still until it is moved."""

    now: float = field(default_factory=time.time)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["sqlite-grpc", "postgresql-grpc", "sqlite-native"])
def settings(request: pytest.FixtureRequest) -> AccountSettings:
    database, _, transport = request.param.partition("-")
    return AccountSettings(
        port=0,
        metrics_port=0,
        service_key=SERVICE_KEY,
        probe_period_s=0,
        drain_grace_s=2,
        database_dsn=request.getfixturevalue("sqlite_dsn" if database == "sqlite" else "postgres_dsn"),
        transport=transport,
    )


@pytest.fixture
async def account(settings: AccountSettings, clock: SetClock) -> AsyncIterator[AccountServiceStub]:
    async with (
        open_server(settings, ServiceMetrics("account"), clock) as built,
        stub_of(built, AccountServiceStub, settings) as stub,
    ):
        yield stub
