"""The matchmaker on a real server and Valkey, before a table service of one room, with a clock that tests set."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server, serving
from mahjong_matchmaker.__main__ import open_server
from mahjong_matchmaker.settings import MatchmakerSettings
from mahjongplanet.game.v1.terms_pb2 import CLOCK_RELAXED, MATCH_LENGTH_EAST_ROUND, RULE_SET_CLASSICAL
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from mahjongplanet.matchmaker.v1 import room_service_pb2 as room_pb
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2_grpc import MatchmakerServiceStub
from mahjongplanet.matchmaker.v1.room_service_pb2_grpc import RoomServiceStub
from tests.contract.matchmaker.hall import Hall
from tests.contract.matchmaker.ledger import Ledger
from tests.kit.clock import SetClock
from tests.kit.serving import PATIENCE_S, patient_stub, plain_settings, stub_of
from tests.kit.tokens import SERVICE_KEY, Metadata, TokenIssuer


class Person:
    """A player with a token, who calls the matchmaker."""

    def __init__(self, stub: Any, issuer: TokenIssuer, name: str = "Somebody") -> None:
        self.player_id = str(uuid.uuid4())
        self.stub = stub
        self.token: Metadata = issuer.player(self.player_id, name)

    async def join(
        self, *, request_id: str | None = None, rated: bool = True, rule_set: Any = RULE_SET_CLASSICAL, clock: Any = 0
    ) -> Any:
        request = pb.JoinQueueRequest(
            request_id=request_id or str(uuid.uuid4()), rule_set=rule_set, rated=rated, clock=clock
        )
        return (await self.stub.JoinQueue(request, metadata=self.token)).ticket

    async def cancel(self, ticket_id: str) -> Any:
        return (await self.stub.CancelTicket(pb.CancelTicketRequest(ticket_id=ticket_id), metadata=self.token)).ticket

    async def mine(self) -> Any:
        return (await self.stub.GetMyTicket(pb.GetMyTicketRequest(), metadata=self.token)).ticket

    def watch(self, ticket_id: str) -> Any:
        return self.stub.WatchTicket(pb.WatchTicketRequest(ticket_id=ticket_id), metadata=self.token)

    async def end_of(self, ticket_id: str) -> Any:
        """Watches a ticket until something has become of it."""
        async with asyncio.timeout(60):
            async for update in self.watch(ticket_id):
                last = update.ticket
            return last


class Guest(Person):
    """A player who goes into rooms. Each method is one call, and returns the room of its answer."""

    def __init__(self, stub: Any, rooms: Any, issuer: TokenIssuer, name: str = "Somebody") -> None:
        super().__init__(stub, issuer, name)
        self.rooms = rooms

    async def open(self, *, request_id: str | None = None, computers: Sequence[Any] = (), **settings: Any) -> Any:
        wish = {"rule_set": RULE_SET_CLASSICAL, "clock": CLOCK_RELAXED, "length": MATCH_LENGTH_EAST_ROUND} | settings
        return await self.ask("CreateRoom", request_id=request_id or new_id(), settings=wish, computers=computers)

    async def enter(self, room: Any) -> Any:
        return await self.ask("JoinRoom", code=room.invite.code)

    async def ready(self, room: Any, *, ready: bool = True) -> Any:
        return await self.ask("SetReady", room_id=room.room_id, ready=ready)

    async def start(self, room: Any, *, request_id: str | None = None, fill: Any = 0) -> Any:
        return await self.ask("StartRoom", request_id=request_id or new_id(), room_id=room.room_id, fill=fill)

    async def my_room(self) -> Any:
        return await self.ask("GetMyRoom")

    async def ask(self, method: str, **fields: Any) -> Any:
        """Calls a method and returns the room that it answers with, or the answer if it has none."""
        answer = await getattr(self.rooms, method)(getattr(room_pb, f"{method}Request")(**fields), metadata=self.token)
        return getattr(answer, "room", answer)

    def watch_room(self, room: Any) -> Any:
        return self.rooms.WatchRoom(room_pb.WatchRoomRequest(room_id=room.room_id), metadata=self.token)

    async def see(self, room: Any, is_so: Callable[[Any], bool]) -> Any:
        """Watches a room until it is as it shall be."""
        async with asyncio.timeout(60):
            async for update in self.watch_room(room):
                if is_so(update.room):
                    return update.room
        raise AssertionError("the stream has ended")


def new_id() -> str:
    return str(uuid.uuid4())


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
async def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
async def rating_address(ledger: Ledger, issuer: TokenIssuer) -> AsyncIterator[str]:
    settings = plain_settings()
    metrics = ServiceMetrics("test")
    built = build_server(ledger, settings=settings, metrics=metrics, authenticator=issuer.authenticator())
    async with serving(built, settings):
        yield f"127.0.0.1:{built.port}"


@pytest.fixture
def settings(redis_url: str, table_address: str, rating_address: str, account_address: str) -> MatchmakerSettings:
    return MatchmakerSettings(
        port=0,
        metrics_port=0,
        service_key=SERVICE_KEY,
        probe_period_s=0,
        drain_grace_s=2,
        redis_url=redis_url,
        table_address=table_address,
        rating_address=rating_address,
        account_address=account_address,
        check_period_s=0.05,
        update_period_s=0.2,
        cancel_wait_s=0.3,
        lease_s=1.0,
        call_timeout_s=PATIENCE_S,
    )


@asynccontextmanager
async def replica(settings: MatchmakerSettings, clock: SetClock) -> AsyncIterator[MatchmakerServiceStub]:
    """Starts a matchmaker on the store of the settings."""
    async with replica_with_rooms(settings, clock) as (stub, _):
        yield stub


@asynccontextmanager
async def replica_with_rooms(
    settings: MatchmakerSettings, clock: SetClock
) -> AsyncIterator[tuple[MatchmakerServiceStub, RoomServiceStub]]:
    """Starts a matchmaker on the store of the settings; gives the stubs of both its services."""
    async with AsyncExitStack() as stack:
        built = await stack.enter_async_context(open_server(settings, ServiceMetrics("matchmaker"), clock))
        stub = await stack.enter_async_context(stub_of(built, MatchmakerServiceStub, settings))
        address = f"127.0.0.1:{built.port}"
        yield stub, await stack.enter_async_context(patient_stub(RoomServiceStub, address))


@pytest.fixture
async def both(
    settings: MatchmakerSettings, clock: SetClock
) -> AsyncIterator[tuple[MatchmakerServiceStub, RoomServiceStub]]:
    async with replica_with_rooms(settings, clock) as stubs:
        yield stubs


@pytest.fixture
async def matchmaker(both: tuple[MatchmakerServiceStub, RoomServiceStub]) -> MatchmakerServiceStub:
    return both[0]


@pytest.fixture
async def rooms(both: tuple[MatchmakerServiceStub, RoomServiceStub]) -> RoomServiceStub:
    return both[1]


@pytest.fixture
def person(matchmaker: MatchmakerServiceStub, issuer: TokenIssuer) -> Callable[..., Person]:
    """Makes new players."""
    return lambda name="Somebody": Person(matchmaker, issuer, name)


@pytest.fixture
def guest(both: tuple[MatchmakerServiceStub, RoomServiceStub], issuer: TokenIssuer) -> Callable[..., Guest]:
    """Makes new players who go into rooms."""
    return lambda name="Somebody": Guest(*both, issuer, name)
