"""Puts the service together over an open database."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.sql import Database
from mahjong_replay.admin_servicer import AdminServicer
from mahjong_replay.disposal import Disposal
from mahjong_replay.examiner import Examiner
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.opened import OpenHands
from mahjong_replay.pruner import Pruner
from mahjong_replay.reception import Reception
from mahjong_replay.service import ReplayService
from mahjong_replay.servicer import ReplayServicer
from mahjong_replay.settings import ReplaySettings
from mahjong_replay.store import ReplayStore
from mahjong_replay.verifier import Verifier


@asynccontextmanager
async def open_servicers(
    database: Database, settings: ReplaySettings, service_metrics: ServiceMetrics
) -> AsyncIterator[tuple[ReplayServicer, AdminServicer]]:
    """Gives the servicers; verifies and prunes in the background until the block ends."""
    metrics, store, disposal = ReplayMetrics(service_metrics), ReplayStore(database), Disposal(database)
    async with AsyncExitStack() as stack:
        # What is due in the background never keeps a reader waiting, nor do whole matches keep single hands.
        background, matches, hands = (
            stack.enter_context(ThreadPoolExecutor(1, name)) for name in ("verifier", "examiner", "opener")
        )
        verifier = Verifier(store, Examiner(background), metrics, settings.verify_period_s)
        pruner = Pruner(disposal, metrics, keep_days=settings.keep_days, period_s=settings.prune_period_s)
        await stack.enter_async_context(verifier.running())
        await stack.enter_async_context(pruner.running())
        shelf = OpenHands(store, hands, metrics, settings.open_hands_max)
        replays = ReplayService(store, shelf, Examiner(matches), disposal, metrics)
        reception = Reception(store, metrics, match_over=verifier.nudge)
        yield ReplayServicer(reception, replays), AdminServicer(replays)
