"""What readers of the replay service get, and what is taken out of it."""

from typing import NamedTuple

from mahjong_engine.state import SEATS
from mahjong_engine.tile import Seat
from mahjong_kit.log import get_logger
from mahjong_replay import errors
from mahjong_replay.codec import UnreadableRecordError
from mahjong_replay.disposal import Disposal
from mahjong_replay.examiner import Examiner
from mahjong_replay.filters import MatchList
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.opened import OpenHands
from mahjong_replay.page import Position, position_of, token_of
from mahjong_replay.record import with_seed
from mahjong_replay.store import PlayedMatch, ReplayStore
from mahjong_replay.terms import HandSummary, Match, WonAward
from mahjong_replay.timeline import Moment, Timeline
from mahjong_replay.verification import Finding

_log = get_logger()


class Page(NamedTuple):
    """One page of a list."""

    matches: list[Match]
    next_token: str
    """Empty on the last page."""


class OpenHand(NamedTuple):
    """A hand, open to a reader."""

    timeline: Timeline
    seat: Seat | None
    """Seat that the reader sees it from; None shows everybody's tiles."""


class ReplayService:
    """Gives matches to those who may read them."""

    def __init__(
        self, store: ReplayStore, hands: OpenHands, examiner: Examiner, disposal: Disposal, metrics: ReplayMetrics
    ) -> None:
        self._store = store
        self._hands = hands
        self._examiner = examiner
        self._disposal = disposal
        self._metrics = metrics

    async def list_matches(self, listed: MatchList, page_size: int, page_token: str) -> Page:
        """Lists matches that are over, newest first.

        Raises:
            InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
        """
        after = position_of(page_token, listed.scope) if page_token else None
        matches = await self._store.list_matches(listed, after, page_size + 1)
        if len(matches) <= page_size:
            return Page(matches, "")
        last = matches[page_size - 1]
        assert last.end is not None
        return Page(matches[:page_size], token_of(Position(last.end.end_time, last.terms.match_id), listed.scope))

    async def find_match(self, match_id: str, reader_id: str) -> tuple[Match, list[HandSummary], list[WonAward]]:
        """Returns a match with its hands so far, and what was won in them.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`.
        """
        match = await self._readable_match(match_id, reader_id)
        awards = await self._store.list_awards(match_id) if match.is_over else []
        return match, await self._store.list_summaries(match_id), awards

    async def find_record(self, match_id: str, hand_number: int, reader_id: str) -> bytes:
        """Returns the record of a hand, with its seed.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`, `HAND_NOT_FOUND`.
            RuleViolationError: `MATCH_NOT_OVER`.
            DamagedDataError: `RECORD_DAMAGED`.
            RecordTooNewError: `RECORD_TOO_NEW`.
        """
        match = await self._readable_match(match_id, reader_id)
        if match.end is None or not match.is_over:
            raise errors.match_not_over(match_id)
        try:
            record_json = await self._store.find_record(match_id, hand_number)
        except UnreadableRecordError as error:
            raise errors.record_damaged(match_id, hand_number) from error
        if record_json is None:
            raise errors.hand_not_found(match_id, hand_number)
        return with_seed(record_json, match.end.server_seed)

    async def open_hand(self, match_id: str, hand_number: int, reader_id: str, seat: Seat | None) -> OpenHand:
        """Opens a finished hand to a reader.

        Args:
            match_id: the match.
            hand_number: the hand.
            reader_id: the reader.
            seat: whose eyes to see it by; None leaves it to us: everybody's once the match is over, else the reader's.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`, `HAND_NOT_FOUND`.
            RuleViolationError: `MATCH_NOT_OVER`: another seat's view while the match is played.
            DamagedDataError: `RECORD_DAMAGED`.
            RecordTooNewError: `RECORD_TOO_NEW`.
        """
        match = await self._readable_match(match_id, reader_id)
        if not match.is_over:
            own = next(s for s in SEATS if match.terms.occupants[s].player_id == reader_id)
            if seat not in (None, own):
                raise errors.match_not_over(match_id)
            seat = own
        timeline = await self._hands.open(match_id, hand_number)
        if timeline is None:
            raise errors.hand_not_found(match_id, hand_number)
        return OpenHand(timeline, seat)

    async def find_moment(self, hand: OpenHand, position: int) -> Moment:
        """Returns the table after an event of a hand that is open."""
        return await self._hands.moment(hand.timeline, hand.seat, position)

    async def verify_match(self, match_id: str, reader_id: str) -> tuple[PlayedMatch, Finding]:
        """Plays a match again that a reader may read.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`.
            RuleViolationError: `MATCH_NOT_OVER`.
            RecordTooNewError: `RECORD_TOO_NEW`.
        """
        await self._readable_match(match_id, reader_id)
        return await self.verify_stored_match(match_id)

    async def verify_stored_match(self, match_id: str) -> tuple[PlayedMatch, Finding]:
        """Plays any match again.

        Raises:
            NotFoundError: `MATCH_NOT_FOUND`.
            RuleViolationError: `MATCH_NOT_OVER`.
            RecordTooNewError: `RECORD_TOO_NEW`.
        """
        played = await self._store.find_played(match_id)
        if played is None:
            raise errors.match_not_found(match_id)
        if not played.match.is_over:
            raise errors.match_not_over(match_id)
        return played, await self._examiner.examine(played)

    async def anonymise_player(self, player_id: str) -> int:
        """Takes a player out of all matches; returns of how many. May be repeated."""
        count = await self._disposal.anonymise(player_id)
        self._metrics.players_anonymised.inc()
        _log.info("player.anonymised", match_count=count)
        return count

    async def _readable_match(self, match_id: str, reader_id: str) -> Match:
        match = await self._store.find_match(match_id)
        if match is None or not (match.is_public or reader_id in match.terms.player_ids):
            raise errors.match_not_found(match_id)
        return match
