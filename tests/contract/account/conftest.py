"""The account service on a real server in the test process, with a clock that tests set."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from mahjong_account.__main__ import open_server
from mahjong_account.settings import AccountSettings
from mahjong_kit.auth import InternalTokens, Operator
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import serving
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.account.v1.admin_service_pb2_grpc import AccountAdminServiceStub
from mahjongplanet.account.v1.friend_service_pb2_grpc import FriendServiceStub
from tests.kit.serving import PATIENCE_S, patient_stub
from tests.kit.tokens import SERVICE_KEY, TokenIssuer


@dataclass
class SetClock:
    """A clock that stands still until it is moved."""

    now: float = field(default_factory=time.time)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["sqlite-native", "postgresql-grpc"])
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
        password_memory_kib=8 << 10,
        password_passes=1,
        password_lanes=1,
        call_timeout_s=PATIENCE_S,
    )


@pytest.fixture
async def account_port(settings: AccountSettings, clock: SetClock) -> AsyncIterator[int]:
    async with open_server(settings, ServiceMetrics("account"), clock) as built, serving(built, settings):
        yield built.port


@pytest.fixture
async def account(account_port: int) -> AsyncIterator[AccountServiceStub]:
    async with patient_stub(AccountServiceStub, f"127.0.0.1:{account_port}") as stub:
        yield stub


@pytest.fixture
async def friends(account_port: int) -> AsyncIterator[FriendServiceStub]:
    async with patient_stub(FriendServiceStub, f"127.0.0.1:{account_port}") as stub:
        yield stub


@pytest.fixture
async def admin(account_port: int, issuer: TokenIssuer, clock: SetClock) -> AsyncIterator[AccountAdminServiceStub]:
    tokens = InternalTokens(Operator("ada"), issuer.service_key, clock)
    async with patient_stub(AccountAdminServiceStub, f"127.0.0.1:{account_port}", tokens=tokens) as stub:
        yield stub
