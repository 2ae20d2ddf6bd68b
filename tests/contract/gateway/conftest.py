"""The gateway on its real ports, before a real account service and services that do what tests tell them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from mahjong_gateway.__main__ import open_gateway, serving_edges
from mahjong_gateway.settings import GatewaySettings
from mahjong_kit.metrics import ServiceMetrics
from tests.contract.gateway.upstreams import Replays, Tables, Workers, upstream
from tests.kit.http import JSON, Reply, fetch
from tests.kit.tokens import SERVICE_KEY, TokenIssuer


@dataclass(frozen=True)
class Ports:
    """Where the gateway listens."""

    http: int
    grpc: int
    metrics: ServiceMetrics

    def metric(self, name: str, **labels: str) -> float:
        """Returns the value of a metric."""
        return self.metrics.registry.get_sample_value(f"mahjong_gateway_{name}", labels) or 0.0

    async def call(self, path: str, body: bytes = b"{}", content_type: str = JSON, **headers: str) -> Reply:
        """Makes a unary Connect call."""
        fields = {"content-type": content_type} | {name.replace("_", "-"): value for name, value in headers.items()}
        return await fetch(self.http, "POST", path, fields, body)

    def channel(self) -> grpc.aio.Channel:
        """Returns a channel to the native port."""
        return grpc.aio.insecure_channel(f"127.0.0.1:{self.grpc}")


GatewayMaker = Callable[..., AbstractAsyncContextManager[Ports]]


@pytest.fixture
async def tables() -> Tables:
    return Tables()


@pytest.fixture
async def workers(tables: Tables) -> Workers:
    return Workers(tables)


@pytest.fixture
async def upstream_address(tables: Tables, workers: Workers, issuer: TokenIssuer) -> AsyncIterator[str]:
    async with upstream(issuer, tables, workers, Replays()) as address:
        yield address


@pytest.fixture
def serve_gateway(account_address: str, tmp_path: Path) -> GatewayMaker:
    """Starts gateways with settings of the test's own."""

    @asynccontextmanager
    async def started(address: str, **changed: Any) -> AsyncIterator[Ports]:
        fields: dict[str, Any] = {
            "host": "127.0.0.1",
            "http_port": 0,
            "port": 0,
            "metrics_port": 0,
            "service_key": SERVICE_KEY,
            "probe_period_s": 0,
            "drain_grace_s": 1,
            "hold_s": 20,
            "account_address": account_address,
            "table_address": address,
            "replay_address": address,
            "matchmaker_address": "127.0.0.1:1",
            "rating_address": "127.0.0.1:1",
            "web_root": tmp_path / "dist",
        }
        settings, metrics = GatewaySettings(**(fields | changed)), ServiceMetrics("gateway")
        async with open_gateway(settings, metrics) as built, serving_edges(built, settings):
            yield Ports(built.http_port.port, built.grpc.port, metrics)

    return started


@pytest.fixture
async def gateway(serve_gateway: GatewayMaker, upstream_address: str) -> AsyncIterator[Ports]:
    async with serve_gateway(upstream_address) as ports:
        yield ports


@pytest.fixture
def token(issuer: TokenIssuer) -> str:
    """The `authorization` header of a player."""
    return f"Bearer {issuer.access_token('6b0f9d1e-6f3c-4a57-9a9a-3f8a4e1f7c11')}"
