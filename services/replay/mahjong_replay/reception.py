"""Takes the reports of tables in."""

from collections.abc import Callable
from datetime import UTC, datetime

from mahjong_kit.log import get_logger
from mahjong_replay import errors
from mahjong_replay.intake import Intake
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.store import ReplayStore
from mahjong_replay.terms import HandSummary, Match, MatchEnd, MatchTerms

_log = get_logger()


def _now() -> datetime:
    return datetime.now(UTC)


class Reception:
    """Stores what tables report: any number of times, in any order."""

    def __init__(
        self,
        store: ReplayStore,
        metrics: ReplayMetrics,
        *,
        match_over: Callable[[], None],
        now: Callable[[], datetime] = _now,
    ) -> None:
        """Makes the reception.

        Args:
            store: its database.
            metrics: its metrics.
            match_over: called whenever a match became readable.
            now: tells the time.
        """
        self._store = store
        self._metrics = metrics
        self._match_over = match_over
        self._now = now

    async def start_match(self, terms: MatchTerms) -> None:
        """Notes that a match is played; a repeated call changes nothing, nor does one after other reports.

        Raises:
            AlreadyExistsError: `REPORT_CONFLICT`.
        """
        async with self._store.intake() as intake:
            await self._lock_match(intake, terms)

    async def store_hand(self, terms: MatchTerms, summary: HandSummary, record_json: bytes) -> None:
        """Stores a finished hand; a repeated call changes nothing. Hands and the end may come in any order.

        Raises:
            AlreadyExistsError: `REPORT_CONFLICT`.
        """
        async with self._store.intake() as intake:
            match = await self._lock_match(intake, terms)
            if match.end is not None and summary.hand_number >= match.end.hand_count:
                raise self._conflict(match, summary.hand_number)
            if not await intake.insert_hand(match, summary, record_json):
                if await intake.find_record(terms.match_id, summary.hand_number) != record_json:
                    raise self._conflict(match, summary.hand_number)
                self._metrics.repeats.inc()
                return
            end = match.end
            if end is not None and match.hands_stored + 1 == end.hand_count:
                await intake.open_to_players(match, end)
        self._metrics.hands_stored.inc()
        self._metrics.record_bytes.inc(len(record_json))
        if end is not None and match.hands_stored + 1 == end.hand_count:
            self._tell_over(match, end)

    async def finish_match(self, terms: MatchTerms, end: MatchEnd) -> None:
        """Closes a match; a repeated call changes nothing. Readers see it as over when all its hands are there.

        Raises:
            AlreadyExistsError: `REPORT_CONFLICT`.
        """
        async with self._store.intake() as intake:
            match = await self._lock_match(intake, terms)
            if match.end is not None:
                if match.end != end:
                    raise self._conflict(match)
                self._metrics.repeats.inc()
                return
            if await intake.has_hand_from(terms.match_id, end.hand_count):
                raise self._conflict(match)
            await intake.write_end(match, end)
            if match.hands_stored == end.hand_count:
                await intake.open_to_players(match, end)
        if match.hands_stored == end.hand_count:
            self._tell_over(match, end)

    async def _lock_match(self, intake: Intake, terms: MatchTerms) -> Match:
        match = await intake.lock_match(terms)
        if not match.terms.agrees_with(terms):
            raise self._conflict(match)
        return match

    def _conflict(self, match: Match, hand_number: int | None = None) -> Exception:
        self._metrics.conflicts.inc()
        match_id = match.terms.match_id
        _log.error("report.refused", match_id=match_id, hand_number=hand_number, reason="REPORT_CONFLICT")
        return errors.report_conflict(match_id)

    def _tell_over(self, match: Match, end: MatchEnd) -> None:
        self._metrics.matches_over.inc()
        self._metrics.lag_s.observe(max((self._now() - end.end_time).total_seconds(), 0.0))
        _log.info("match.stored", match_id=match.terms.match_id, hand_count=end.hand_count)
        self._match_over()
