"""The use cases of the rating service."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from mahjong_kit.log import get_logger
from mahjong_rating import errors
from mahjong_rating.arrivals import Arrivals
from mahjong_rating.metrics import RatingMetrics
from mahjong_rating.report import Outcome, Report
from mahjong_rating.standing import Change, Standing, rated
from mahjong_rating.store import RatingStore
from mahjong_rating.transaction import ReportTransaction

_log = get_logger()


class MatchRating(NamedTuple):
    """What a match did."""

    outcome: Outcome
    changes: tuple[Change, ...]
    """Best place first; empty unless applied."""


def _now() -> datetime:
    return datetime.now(UTC)


class RatingService:
    """Rates each finished match exactly once, and tells players about it."""

    def __init__(
        self,
        store: RatingStore,
        metrics: RatingMetrics,
        *,
        recheck_period_s: float,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._store = store
        self._metrics = metrics
        self._recheck_period_s = recheck_period_s
        self._now = now
        self._arrivals = Arrivals()
        metrics.watch_waits(lambda: self._arrivals.count)

    async def report(self, report: Report) -> Outcome:
        """Rates a match, or finds that it was rated before; any number of calls, at once or later, do it once.

        Raises:
            AlreadyExistsError: `REPORT_CONFLICT`.
        """
        now = self._now()
        async with self._store.writing() as transaction:
            report = report.with_pseudonyms(await transaction.pseudonyms(report.scores.keys()))
            if not await transaction.insert_report(report, now):
                return await self._repeated(transaction, report)
            outcome = report.outcome
            if outcome is Outcome.APPLIED:
                before = await transaction.lock_standings(report.rule_set, report.scores)
                changes = rated(before, report.scores)
                await transaction.write_changes(report, changes)
                await transaction.write_season(report, changes)
        self._arrivals.announce(report.match_id)
        self._metrics.reports.labels(outcome.value).inc()
        self._metrics.lag_s.observe(max((now - report.end_time).total_seconds(), 0.0))
        _log.info("match.reported", match_id=report.match_id, rule_set=report.rule_set, outcome=outcome.value)
        return outcome

    async def find_match_rating(self, match_id: str, player_id: str, wait_s: float) -> MatchRating:
        """Returns what a match did, to those who played it; waits for its report if there is none yet.

        A stranger waits as long as for a match that does not exist, so that nobody learns when others finish.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`.
            UnavailableError: `DRAINING`.
        """
        time = asyncio.get_running_loop().time
        deadline = time() + wait_s
        with self._arrivals.awaiting(match_id) as arrival:
            while True:
                if (found := await self._find(match_id, player_id)) is not None:
                    return found
                left_s = deadline - time()
                if left_s <= 0:
                    raise errors.match_not_found(match_id)
                if self._arrivals.is_closed:
                    raise errors.draining()
                await arrival.within(min(left_s, self._recheck_period_s))

    async def list_standings(self, rule_set: str, player_ids: Sequence[str]) -> list[Standing]:
        """Returns the standings of players in the order asked; those without a rated match are left out."""
        standings = await self._store.list_standings(rule_set, set(player_ids))
        return [standings[player_id] for player_id in player_ids if player_id in standings]

    def drain(self) -> None:
        """Ends all waits; the callers ask again elsewhere."""
        self._arrivals.close()

    async def _repeated(self, transaction: ReportTransaction, report: Report) -> Outcome:
        first = await transaction.find_report(report.match_id)
        if first is None or not first.report.agrees_with(report):
            self._metrics.conflicts.inc()
            _log.error("report.refused", match_id=report.match_id, reason="REPORT_CONFLICT")
            raise errors.report_conflict(report.match_id)
        self._metrics.repeats.inc()
        return first.outcome

    async def _find(self, match_id: str, player_id: str) -> MatchRating | None:
        stored = await self._store.find_report(match_id)
        if stored is None or player_id not in stored.report.scores:
            return None
        changes = await self._store.list_changes(match_id) if stored.outcome is Outcome.APPLIED else ()
        return MatchRating(stored.outcome, changes)
