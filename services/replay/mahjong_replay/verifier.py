"""Verifies matches in the background, off the event loop."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager, suppress

from mahjong_kit.background import running
from mahjong_kit.log import get_logger
from mahjong_replay.errors import RecordTooNewError
from mahjong_replay.examiner import Examiner
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.store import ReplayStore

_BATCH = 20

_log = get_logger()


class Verifier:
    """Plays matches again, one at a time, and writes what it found.

    What is due is in the database: nothing is forgotten when the process ends, and what another replica left is taken
    over. Two replicas may verify one match at the same time; they find the same.
    """

    def __init__(self, store: ReplayStore, examiner: Examiner, metrics: ReplayMetrics, period_s: float) -> None:
        self._store = store
        self._examiner = examiner
        self._metrics = metrics
        self._period_s = period_s
        self._nudged = asyncio.Event()

    def nudge(self) -> None:
        """Tells that a match is due."""
        self._nudged.set()

    def running(self) -> AbstractAsyncContextManager[None]:
        """Verifies what is due, now and whenever it is nudged, until the block ends."""
        return running(self._run())

    async def _run(self) -> None:
        while True:
            self._nudged.clear()
            try:
                await self._verify_due()
            except Exception as error:  # noqa: BLE001 - the store may be away: what is due stays due
                _log.warning("verification.postponed", problem=repr(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._period_s):
                    await self._nudged.wait()

    async def _verify_due(self) -> None:
        """Verifies each match that is due once; one that cannot be read stays due and keeps no other waiting."""
        after = ""
        while match_ids := await self._store.list_due(after, _BATCH):
            for match_id in match_ids:
                try:
                    await self._verify(match_id)
                except RecordTooNewError as error:  # A replica of that release can.
                    _log.warning("verification.postponed", match_id=match_id, problem=repr(error))
            after = match_ids[-1]

    async def _verify(self, match_id: str) -> None:
        played = await self._store.find_played(match_id)
        if played is None or played.match.end is None:
            return
        started = time.perf_counter()
        finding = await self._examiner.examine(played)
        flaws = finding.flaws
        self._metrics.check_duration_s.observe(time.perf_counter() - started)
        await self._store.write_verification(match_id, finding)
        self._metrics.matches_checked.labels("failed" if flaws else "verified").inc()
        if not flaws:
            _log.info("match.verified", match_id=match_id)
        for flaw in flaws:
            _log.error(
                "match.refuted",
                match_id=match_id,
                hand_number=flaw.hand_number,
                reason=flaw.reason,
                decision=flaw.decision,
            )
