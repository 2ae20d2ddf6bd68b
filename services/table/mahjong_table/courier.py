"""Delivers reports to replay and rating: at least once, in order for each match and service, however long it takes."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from mahjong_kit.errors import reason_of
from mahjong_kit.log import get_logger
from mahjong_table.clock import WallClock
from mahjong_table.keeper import Keeper
from mahjong_table.metrics import TableMetrics
from mahjong_table.settings import TableSettings
from mahjong_table.store.outbox import Outbox, WaitingReport

_PAGE = 200
_LANES_MAX = 8
_FIRST_RETRY_S = 0.2
_LOOK_AGAIN_S = 5.0
_HOUR_MS = 3_600_000

Send = Callable[[bytes], Awaitable[object]]
"""Sends a report; raises an error of gRPC if it was not taken."""

Lane = tuple[str, str]
"""Match and service: reports of a lane are delivered one after another."""

_log = get_logger()


@dataclass(frozen=True, slots=True)
class Destination:
    """Where reports of one kind go."""

    service: str
    send: Send


class Courier:
    """Delivers what the outbox holds."""

    def __init__(
        self,
        outbox: Outbox,
        destinations: Mapping[str, Destination],
        worker_id: str,
        keeper: Keeper,
        clock: WallClock,
        settings: TableSettings,
        metrics: TableMetrics,
    ) -> None:
        self._outbox = outbox
        self._destinations = destinations
        self._worker_id = worker_id
        """Whose shards' reports are delivered here."""
        self._wake = keeper.report_waiting
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._retry: dict[Lane, tuple[float, float]] = {}
        """Of each lane whose report was not taken: the pause, and the time of the next attempt."""

    async def run(self) -> None:
        """Delivers until cancelled."""
        while True:
            self._wake.clear()
            try:
                await self._round()
                await self._outbox.forget_delivered(self._clock.now() - round(self._settings.report_keep_h * _HOUR_MS))
            except Exception as error:  # noqa: BLE001 - the database is away; the reports are safe in it
                _log.warning("report.postponed", problem=type(error).__name__)
            await self._rest()

    async def _round(self) -> None:
        """Tries every report that waits and whose lane is not resting."""
        after = 0
        known: set[Lane] = set()
        refused: set[Lane] = set()  # A lane that refuses one report gets no later one in this round.
        while page := await self._outbox.waiting(after, _PAGE, self._worker_id):
            after = page[-1].report_id
            lanes: dict[Lane, list[WaitingReport]] = defaultdict(list)
            for report in page:
                lanes[report.match_id, self._destinations[report.kind].service].append(report)
            known.update(lanes)
            refused.update(lane for lane in lanes if not self._is_ready(lane))
            ready = [(lane, reports) for lane, reports in lanes.items() if lane not in refused]
            for start in range(0, len(ready), _LANES_MAX):
                some = ready[start : start + _LANES_MAX]
                outcomes = await asyncio.gather(*(self._deliver(*one) for one in some))
                refused.update(lane for (lane, _), done in zip(some, outcomes, strict=True) if not done)
        # Lanes whose shard has gone to another worker have nothing to wait for here.
        self._retry = {lane: at for lane, at in self._retry.items() if lane in known}
        count, oldest = await self._outbox.backlog()
        self._metrics.reports_waiting.set(count)
        self._metrics.report_lag_s.set(0 if oldest is None else max(0, self._clock.now() - oldest) / 1000)

    def _is_ready(self, lane: Lane) -> bool:
        _, at = self._retry.get(lane, (0.0, 0.0))
        return asyncio.get_running_loop().time() >= at

    async def _deliver(self, lane: Lane, reports: Sequence[WaitingReport]) -> bool:
        """Delivers reports until one is not taken; returns whether all were."""
        delivered: list[int] = []
        for report in reports:
            if not await self._send(lane, report):
                break
            delivered.append(report.report_id)
        if delivered:
            await self._outbox.mark_delivered(delivered, self._clock.now())
        return len(delivered) == len(reports)

    async def _send(self, lane: Lane, report: WaitingReport) -> bool:
        try:
            await self._destinations[report.kind].send(report.body)
        except Exception as error:  # noqa: BLE001 - whatever it is, the report stays and the other lanes go on
            self._put_off(lane, report, _reason(error))
            return False
        self._retry.pop(lane, None)
        self._metrics.reports.labels(report.kind, "delivered").inc()
        return True

    def _put_off(self, lane: Lane, report: WaitingReport, reason: str) -> None:
        pause_s = min(2 * self._retry.get(lane, (_FIRST_RETRY_S / 2, 0))[0], self._settings.report_retry_max_s)
        self._retry[lane] = pause_s, asyncio.get_running_loop().time() + pause_s
        _log.warning("report.refused", match_id=report.match_id, kind=report.kind, reason=reason, retry_s=pause_s)
        self._metrics.reports.labels(report.kind, "refused").inc()

    async def _rest(self) -> None:
        now = asyncio.get_running_loop().time()
        until = min((at for _, at in self._retry.values()), default=now + _LOOK_AGAIN_S)
        try:
            async with asyncio.timeout(max(0.05, min(until - now, _LOOK_AGAIN_S))):
                await self._wake.wait()
        except TimeoutError:
            return


def _reason(error: Exception) -> str:
    if isinstance(error, grpc.aio.AioRpcError):
        return reason_of(error) or error.code().name
    return type(error).__name__


def sender(call: Callable[[Any], Awaitable[object]], request: type[Any]) -> Send:
    """Returns what sends serialised requests by a call of a stub."""

    async def send(body: bytes) -> object:
        return await call(request.FromString(body))

    return send
