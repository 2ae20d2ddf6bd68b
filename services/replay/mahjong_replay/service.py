"""The use cases of the replay service."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from mahjong_kit.log import get_logger
from mahjong_replay import errors
from mahjong_replay.intake import Intake
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.page import Position, position_of, token_of
from mahjong_replay.record import with_seed
from mahjong_replay.store import ReplayStore
from mahjong_replay.terms import HandSummary, Match, MatchEnd, MatchTerms

_log = get_logger()


class Page(NamedTuple):
    """One page of a list."""

    matches: list[Match]
    next_token: str
    """Empty on the last page."""


def _now() -> datetime:
    return datetime.now(UTC)


class ReplayService:
    """Keeps finished hands, and gives them to those who played them."""

    def __init__(
        self,
        store: ReplayStore,
        metrics: ReplayMetrics,
        *,
        match_over: Callable[[], None],
        now: Callable[[], datetime] = _now,
    ) -> None:
        """Makes the service.

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

    async def list_matches(self, player_id: str, page_size: int, page_token: str) -> Page:
        """Lists the matches of a player that are over, newest first.

        Raises:
            PageTokenError: the token is not one of this list.
        """
        after = position_of(page_token, player_id) if page_token else None
        matches = await self._store.list_matches(player_id, after, page_size + 1)
        if len(matches) <= page_size:
            return Page(matches, "")
        last = matches[page_size - 1]
        assert last.end is not None
        return Page(matches[:page_size], token_of(Position(last.end.end_time, last.terms.match_id), player_id))

    async def find_match(self, match_id: str, player_id: str) -> tuple[Match, list[HandSummary]]:
        """Returns a match of a player with its hands so far.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`.
        """
        match = await self._own_match(match_id, player_id)
        return match, await self._store.list_summaries(match_id)

    async def find_record(self, match_id: str, hand_number: int, player_id: str) -> bytes:
        """Returns the record of a hand of a player's match, with its seed.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`, `HAND_NOT_FOUND`.
            RuleViolationError: `MATCH_NOT_OVER`.
        """
        match = await self._own_match(match_id, player_id)
        if match.end is None or not match.is_over:
            raise errors.match_not_over(match_id)
        record_json = await self._store.find_record(match_id, hand_number)
        if record_json is None:
            raise errors.hand_not_found(match_id, hand_number)
        return with_seed(record_json, match.end.server_seed)

    async def _own_match(self, match_id: str, player_id: str) -> Match:
        match = await self._store.find_match(match_id)
        if match is None or player_id not in match.terms.player_ids:
            raise errors.match_not_found(match_id)
        return match

    async def _lock_match(self, intake: Intake, terms: MatchTerms) -> Match:
        match = await intake.lock_match(terms)
        if match.terms != terms:
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
