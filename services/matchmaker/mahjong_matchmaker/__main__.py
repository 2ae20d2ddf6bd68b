"""Runs the matchmaker."""

import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import grpc

from mahjong_kit.auth import Clock, InternalTokens, Service
from mahjong_kit.background import running
from mahjong_kit.client import open_stub
from mahjong_kit.keys import open_authenticator
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.redis import open_redis
from mahjong_kit.run import StopSignal, run
from mahjong_kit.server import BuiltServer, build_server, serving
from mahjong_kit.tls import channel_credentials
from mahjong_matchmaker.blocks import BlockList
from mahjong_matchmaker.cool_downs import CoolDowns
from mahjong_matchmaker.leader import PoolLeader, watch_pools
from mahjong_matchmaker.limits import Limits
from mahjong_matchmaker.metrics import MatchmakerMetrics
from mahjong_matchmaker.pool_store import PoolStore
from mahjong_matchmaker.pools import POOLS, Pool
from mahjong_matchmaker.ratings import Ratings
from mahjong_matchmaker.rooms.changing import Rooms
from mahjong_matchmaker.rooms.invites import Links
from mahjong_matchmaker.rooms.listing import Listing
from mahjong_matchmaker.rooms.service import RoomService
from mahjong_matchmaker.rooms.servicer import RoomServicer
from mahjong_matchmaker.rooms.starting import Starting
from mahjong_matchmaker.rooms.store import RoomStore
from mahjong_matchmaker.rooms.watching import RoomWatching
from mahjong_matchmaker.service import MatchmakerService
from mahjong_matchmaker.servicer import MatchmakerServicer
from mahjong_matchmaker.settings import MatchmakerSettings
from mahjong_matchmaker.tables import Tables
from mahjong_matchmaker.ticket_store import TicketStore
from mahjong_matchmaker.watching import Watching
from mahjong_matchmaker.waves import WaveRules
from mahjongplanet.account.v1.friend_service_pb2_grpc import FriendServiceStub
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub

StubT = TypeVar("StubT")


@asynccontextmanager
async def open_server(
    settings: MatchmakerSettings, metrics: ServiceMetrics, clock: Clock = time.time
) -> AsyncIterator[BuiltServer]:
    """Gives the service's server on its open store, with leaders for every pool, not started yet."""
    own_metrics = MatchmakerMetrics(metrics)
    unwatched_ms, gone_ms = round(settings.unwatched_s * 1000), round(settings.room_gone_s * 1000)
    periods = {"check_period_s": settings.check_period_s, "update_period_s": settings.update_period_s}

    def clock_ms() -> int:
        return int(clock() * 1000)

    def tell(player_ids: Iterable[str]) -> None:
        told = list(player_ids)
        watching.tell(told)
        room_watching.tell_players(told)

    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(open_redis(settings.redis_url, metrics=metrics))
        authenticator = await stack.enter_async_context(open_authenticator(settings))
        tables = Tables(await _opened(stack, TableServiceStub, settings.table_address, settings))
        ratings = Ratings(await _opened(stack, RatingServiceStub, settings.rating_address, settings), clock)
        blocks = BlockList(await _opened(stack, FriendServiceStub, settings.account_address, settings), clock)
        tickets = TicketStore(client, unwatched_after_ms=unwatched_ms)
        pools = PoolStore(client, lease_ms=round(settings.lease_s * 1000), unwatched_after_ms=unwatched_ms)
        room_store = RoomStore(client, unwatched_after_ms=unwatched_ms)
        watching = Watching(tickets, clock_ms, **periods)
        room_watching = RoomWatching(room_store, clock_ms, **periods)
        leaders = {
            pool: PoolLeader(
                pool,
                pools,
                tables,
                clock_ms,
                own_metrics,
                tell,
                blocks,
                rules=_rules(settings, pool),
                check_period_s=settings.check_period_s,
                lease_s=settings.lease_s,
            )
            for pool in POOLS
        }
        limiter = Limits(client)
        service = MatchmakerService(
            tickets,
            tables,
            watching,
            tell,
            limiter,
            ratings,
            CoolDowns(client, first_s=settings.cool_down_first_s, longest_s=settings.cool_down_longest_s),
            leaders,
            clock_ms,
            own_metrics,
            cancel_wait_s=settings.cancel_wait_s,
        )
        servicer = MatchmakerServicer(service, clock_ms)
        rooms = Rooms(room_store, clock_ms, room_watching.tell)
        room_service = RoomService(
            room_store,
            rooms,
            Starting(rooms, tables, tickets, clock_ms),
            tickets,
            service.withdraw,
            limiter,
            ratings,
            blocks,
            Links(settings.service_key.get_secret_value()),
            leaders,
            clock_ms,
            own_metrics,
            gone_after_ms=gone_ms,
        )
        listing = Listing(room_store, clock_ms, gone_after_ms=gone_ms)
        room_servicer = RoomServicer(room_service, room_watching, listing, servicer.expected_wait_ms)
        loops = (
            watching.run(),
            room_watching.run(room_service.settle),
            watch_pools(leaders, pools, own_metrics, settings.check_period_s),
            *(leader.run() for leader in leaders.values()),
        )
        for loop in loops:
            await stack.enter_async_context(running(loop))
        yield build_server(servicer, room_servicer, settings=settings, metrics=metrics, authenticator=authenticator)


async def serve(settings: MatchmakerSettings, metrics: ServiceMetrics, stop: StopSignal) -> None:
    """Serves until the signal."""
    async with open_server(settings, metrics) as built, serving(built, settings):
        await stop.wait()


async def _opened(
    stack: AsyncExitStack, stub: Callable[[grpc.aio.Channel], StubT], address: str, settings: MatchmakerSettings
) -> StubT:
    tokens = InternalTokens(Service(settings.service), settings.service_key.get_secret_value())
    credentials = channel_credentials(settings)
    return await stack.enter_async_context(open_stub(stub, address, tokens=tokens, credentials=credentials))


def _rules(settings: MatchmakerSettings, pool: Pool) -> WaveRules:
    return WaveRules(
        fill_after_ms=round(settings.pool_fill_s.get(pool.name, settings.computer_fill_s) * 1000),
        window_points=settings.window_points,
        widening_points_per_s=settings.widening_points_per_s,
        absent_after_ms=round(settings.absent_s * 1000),
    )


if __name__ == "__main__":
    run(serve, MatchmakerSettings)
