"""Puts the service together over an open database."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.sql import Database
from mahjong_rating.admin_servicer import AdminServicer
from mahjong_rating.auditor import Auditor
from mahjong_rating.disposal import Disposal
from mahjong_rating.ladder import Ladder, present_time
from mahjong_rating.metrics import RatingMetrics
from mahjong_rating.pruner import Pruner
from mahjong_rating.service import RatingService
from mahjong_rating.servicer import RatingServicer
from mahjong_rating.settings import RatingSettings
from mahjong_rating.store import RatingStore


@dataclass(frozen=True, slots=True)
class Wired:
    """The service, ready to be served."""

    ratings: RatingService
    servicers: tuple[object, ...]


@asynccontextmanager
async def open_ratings(
    database: Database,
    settings: RatingSettings,
    service_metrics: ServiceMetrics,
    now: Callable[[], datetime] = present_time,
) -> AsyncIterator[Wired]:
    """Gives the service; prunes in the background until the block ends. `now` tells which season is the present one."""
    store, disposal = RatingStore(database), Disposal(database)
    ratings = RatingService(store, RatingMetrics(service_metrics), recheck_period_s=settings.recheck_period_s)
    pruner = Pruner(disposal, keep_skipped_days=settings.keep_skipped_days, period_s=settings.prune_period_s)
    servicers = RatingServicer(ratings, Ladder(store, now), disposal), AdminServicer(Auditor(database))
    async with pruner.running():
        yield Wired(ratings, servicers)
