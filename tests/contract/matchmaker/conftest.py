"""The matchmaker on a real server and Valkey, before a table service of one room, with a clock that tests set."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server, serving
from mahjong_matchmaker.__main__ import open_server
from mahjong_matchmaker.settings import MatchmakerSettings
from mahjongplanet.game.v1.terms_pb2 import RULE_SET_CLASSICAL
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2_grpc import MatchmakerServiceStub
from tests.contract.matchmaker.hall import Hall
from tests.kit.clock import SetClock
from tests.kit.serving import plain_settings, stub_of
from tests.kit.tokens import SERVICE_KEY, Metadata, TokenIssuer


class Person:
    """A player with a token, who calls the matchmaker."""

    def __init__(self, stub: Any, issuer: TokenIssuer, name: str = "Somebody") -> None:
        self.player_id = str(uuid.uuid4())
        self.stub = stub
        self.token: Metadata = issuer.player(self.player_id, name)

    async def join(
        self, *, request_id: str | None = None, rated: bool = True, rule_set: Any = RULE_SET_CLASSICAL
    ) -> Any:
        request = pb.JoinQueueRequest(request_id=request_id or str(uuid.uuid4()), rule_set=rule_set, rated=rated)
        return (await self.stub.JoinQueue(request, metadata=self.token)).ticket

    async def cancel(self, ticket_id: str) -> Any:
        return (await self.stub.CancelTicket(pb.CancelTicketRequest(ticket_id=ticket_id), metadata=self.token)).ticket

    async def mine(self) -> Any:
        return (await self.stub.GetMyTicket(pb.GetMyTicketRequest(), metadata=self.token)).ticket

    def watch(self, ticket_id: str) -> Any:
        return self.stub.WatchTicket(pb.WatchTicketRequest(ticket_id=ticket_id), metadata=self.token)

    async def end_of(self, ticket_id: str) -> Any:
        """Watches a ticket until something has become of it."""
        async with asyncio.timeout(20):
            async for update in self.watch(ticket_id):
                last = update.ticket
            return last


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def hall() -> Hall:
    return Hall()


@pytest.fixture
async def table_address(hall: Hall, issuer: TokenIssuer) -> AsyncIterator[str]:
    settings = plain_settings()
    built = build_server(hall, settings=settings, metrics=ServiceMetrics("test"), authenticator=issuer.authenticator())
    async with serving(built, settings):
        yield f"127.0.0.1:{built.port}"


@pytest.fixture
def settings(redis_url: str, table_address: str, account_address: str) -> MatchmakerSettings:
    return MatchmakerSettings(
        port=0,
        metrics_port=0,
        service_key=SERVICE_KEY,
        probe_period_s=0,
        drain_grace_s=2,
        redis_url=redis_url,
        table_address=table_address,
        account_address=account_address,
        check_period_s=0.05,
        update_period_s=0.2,
        cancel_wait_s=0.3,
        lease_s=1.0,
    )


@asynccontextmanager
async def replica(settings: MatchmakerSettings, clock: SetClock) -> AsyncIterator[MatchmakerServiceStub]:
    """Starts a matchmaker on the store of the settings."""
    async with AsyncExitStack() as stack:
        built = await stack.enter_async_context(open_server(settings, ServiceMetrics("matchmaker"), clock))
        yield await stack.enter_async_context(stub_of(built, MatchmakerServiceStub, settings))


@pytest.fixture
async def matchmaker(settings: MatchmakerSettings, clock: SetClock) -> AsyncIterator[MatchmakerServiceStub]:
    async with replica(settings, clock) as stub:
        yield stub


@pytest.fixture
def person(matchmaker: MatchmakerServiceStub, issuer: TokenIssuer) -> Callable[..., Person]:
    """Makes new players."""
    return lambda name="Somebody": Person(matchmaker, issuer, name)
