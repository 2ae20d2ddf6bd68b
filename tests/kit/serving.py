"""Servicers on real servers in the test process."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final, TypeVar

import grpc

from mahjong_kit.auth import Authenticator
from mahjong_kit.client import open_stub
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import BuiltServer, build_server, serving
from mahjong_kit.settings import ServiceSettings
from tests.kit.tokens import SERVICE_KEY

StubT = TypeVar("StubT")


PATIENCE_S: Final = 60.0
"""How long a call may take on a machine that stands still now and then."""


class PlainSettings(ServiceSettings):
    """What a service without settings of its own is set up by in tests."""

    service = "test"


def plain_settings(**changed: Any) -> PlainSettings:
    """Returns settings with free ports and no pauses."""
    fields: dict[str, Any] = {
        "port": 0,
        "metrics_port": 0,
        "service_key": SERVICE_KEY,
        "probe_period_s": 0,
        "drain_grace_s": 2,
        "call_timeout_s": PATIENCE_S,
    }
    return PlainSettings(**(fields | changed))


@asynccontextmanager
async def served(
    servicer: object, stub: Callable[[grpc.aio.Channel], StubT], authenticator: Authenticator, **settings: Any
) -> AsyncIterator[StubT]:
    """Serves a servicer and gives a stub of it, whose calls carry only the token that they are given."""
    plain = plain_settings(**settings)
    metrics = ServiceMetrics("test")
    built = build_server(servicer, settings=plain, metrics=metrics, authenticator=authenticator)
    async with stub_of(built, stub, plain) as opened:
        yield opened


@asynccontextmanager
async def stub_of(
    built: BuiltServer, stub: Callable[[grpc.aio.Channel], StubT], settings: ServiceSettings
) -> AsyncIterator[StubT]:
    """Starts a built server and gives a stub of it."""
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(patient_stub(stub, f"127.0.0.1:{built.port}"))
        await stack.enter_async_context(serving(built, settings))
        yield opened


def patient_stub(
    stub: Callable[[grpc.aio.Channel], StubT], address: str, **options: Any
) -> AbstractAsyncContextManager[StubT]:
    """Opens a stub whose calls carry only the token that they are given, and have time."""
    return open_stub(stub, address, **{"tokens": None, "timeout_s": PATIENCE_S} | options)
