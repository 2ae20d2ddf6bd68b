"""Runs the rating service."""

from contextlib import AsyncExitStack

from mahjong_kit.keys import open_authenticator
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.run import StopSignal, run
from mahjong_kit.server import build_server, serving
from mahjong_kit.sql import open_database
from mahjong_rating import migrations
from mahjong_rating.settings import RatingSettings
from mahjong_rating.wiring import open_ratings


async def serve(settings: RatingSettings, metrics: ServiceMetrics, stop: StopSignal) -> None:
    """Opens everything, serves until the signal, closes everything."""
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations, metrics))
        authenticator = await stack.enter_async_context(open_authenticator(settings))
        wired = await stack.enter_async_context(open_ratings(database, settings, metrics))
        built = build_server(*wired.servicers, settings=settings, metrics=metrics, authenticator=authenticator)
        await stack.enter_async_context(serving(built, settings))
        await stop.wait()
        wired.ratings.drain()


if __name__ == "__main__":
    run(serve, RatingSettings)
