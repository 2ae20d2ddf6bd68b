"""The table service: `python -m mahjong_table`."""

import gc
import sys
from contextlib import AsyncExitStack
from random import SystemRandom

from mahjong_kit.auth import InternalTokens, Service
from mahjong_kit.client import open_stub
from mahjong_kit.keys import open_authenticator
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.redis import open_redis
from mahjong_kit.run import StopSignal, run
from mahjong_kit.server import build_server, service_layers, serving
from mahjong_kit.sql import open_database
from mahjong_kit.tls import channel_credentials
from mahjong_table import migrations
from mahjong_table.admin import Admin
from mahjong_table.admin_servicer import AdminServicer
from mahjong_table.courier import Destination, sender
from mahjong_table.metrics import TableMetrics
from mahjong_table.peers import Peers
from mahjong_table.reports import FINISH_MATCH, REPORT_MATCH, START_MATCH, STORE_HAND
from mahjong_table.servicer import TableServicer
from mahjong_table.settings import TableSettings
from mahjong_table.shared import SharedStreams
from mahjong_table.store.inspection import Inspection
from mahjong_table.worker import Worker
from mahjong_table.worker_servicer import WorkerServicer
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2_grpc import MatchmakerServiceStub
from mahjongplanet.options.v1.options_pb2 import CALLER_PLAYER
from mahjongplanet.rating.v1 import rating_service_pb2 as rating
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from mahjongplanet.replay.v1 import replay_service_pb2 as replay
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceStub


async def serve(settings: TableSettings, metrics: ServiceMetrics, stop: StopSignal) -> None:
    """Serves until asked to stop. The port is taken before the shards are: a second process by mistake does no harm."""
    tokens = InternalTokens(Service("table"), settings.service_key.get_secret_value())
    credentials = channel_credentials(settings)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations, metrics))
        client = await stack.enter_async_context(open_redis(settings.redis_url, is_awaited=False, metrics=metrics))
        authenticator = await stack.enter_async_context(open_authenticator(settings))
        replays = await stack.enter_async_context(
            open_stub(ReplayServiceStub, settings.replay_address, tokens=tokens, credentials=credentials)
        )
        ratings = await stack.enter_async_context(
            open_stub(RatingServiceStub, settings.rating_address, tokens=tokens, credentials=credentials)
        )
        matchmaker = await stack.enter_async_context(
            open_stub(MatchmakerServiceStub, settings.matchmaker_address, tokens=tokens, credentials=credentials)
        )
        destinations = {
            START_MATCH: Destination("replay", sender(replays.StartMatch, replay.StartMatchRequest)),
            STORE_HAND: Destination("replay", sender(replays.StoreHand, replay.StoreHandRequest)),
            FINISH_MATCH: Destination("replay", sender(replays.FinishMatch, replay.FinishMatchRequest)),
            REPORT_MATCH: Destination("rating", sender(ratings.ReportMatch, rating.ReportMatchRequest)),
        }
        peers = await stack.enter_async_context(
            Peers(tokens, timeout_s=settings.peer_timeout_s, credentials=credentials)
        )
        tell_no_shows = matchmaker.ReportNoShows
        worker = Worker(
            settings, TableMetrics(metrics), database, client, destinations, SystemRandom(), peers, tell_no_shows
        )
        opening = service_layers(CALLER_PLAYER, settings, metrics, authenticator)
        streams = SharedStreams(worker.service, opening, settings, worker.env.metrics)
        servicers = (
            TableServicer(worker.service),
            WorkerServicer(worker.holder, worker.keeper, streams),
            AdminServicer(Admin(worker.holder, worker.keeper, Inspection(database), worker.env)),
        )
        built = build_server(*servicers, settings=settings, metrics=metrics, authenticator=authenticator)
        await stack.enter_async_context(worker.running(built.port))
        await stack.enter_async_context(serving(built, settings))
        await worker.until(stop.wait())
        await built.health.enter_graceful_shutdown()
        await worker.holder.drain(settings.hand_over_s)


if __name__ == "__main__":
    # Live tables are many objects and almost no cycles: a full collection finds nothing and stops play for as long as
    # it looks (132 ms at 1,000 tables).
    gc.set_threshold(5_000, 10, 500)
    gc.freeze()
    sys.setswitchinterval(0.001)  # The computers' thread must not hold the event loop up for 5 ms at a time.
    run(serve, TableSettings)
