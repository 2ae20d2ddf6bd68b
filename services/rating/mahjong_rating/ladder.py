"""Seasons, leaderboards and histories, as readers ask for them."""

import struct
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, NamedTuple

from mahjong_kit.fields import stated_values, word_of
from mahjong_kit.paging import page_position, page_token
from mahjong_rating import errors
from mahjong_rating.board import Placing
from mahjong_rating.history import HistoryEntry, HistoryList
from mahjong_rating.season import Season, season_of
from mahjong_rating.standing import SeasonStanding
from mahjong_rating.store import RatingStore
from mahjongplanet.game.v1.terms_pb2 import RuleSet

RULE_SETS: Final = tuple(word_of(RuleSet, value) for value in stated_values(RuleSet))

_LINE: Final = struct.Struct(">i16s")
_SEQUENCE: Final = struct.Struct(">q")


class PlayerRating(NamedTuple):
    """Where a player stands in a season."""

    season: Season
    standing: SeasonStanding | None
    """After the last match of the season or an earlier one; None without any."""
    placing: Placing | None
    """None if the season's leaderboard does not list the player."""
    listed_count: int
    """Players on the leaderboard."""


class BoardPage(NamedTuple):
    """A page of a leaderboard."""

    season: Season
    placings: list[Placing]
    next_token: str
    """Empty on the last page."""
    listed_count: int


class HistoryPage(NamedTuple):
    """A page of a history."""

    entries: list[HistoryEntry]
    next_token: str
    """Empty on the last page."""


def present_time() -> datetime:
    """Returns the present time."""
    return datetime.now(UTC)


class Ladder:
    """What ratings have led to."""

    def __init__(self, store: RatingStore, now: Callable[[], datetime] = present_time) -> None:
        self._store = store
        self._now = now

    def season(self, number: int) -> Season:
        """Returns a season by its number, the present one for 0.

        Raises:
            NotFoundError: `SEASON_NOT_FOUND`.
        """
        present = season_of(self._now())
        if number > present.number:
            raise errors.season_not_found(number)
        return Season(number) if number else present

    async def list_seasons(self) -> list[Season]:
        """Returns the seasons from the first rated match on, the present one first."""
        present = season_of(self._now()).number
        firsts = [await self._store.first_season(rule_set) for rule_set in RULE_SETS]
        first = min((first for first in firsts if first is not None), default=present)
        return [Season(number) for number in range(present, min(first, present) - 1, -1)]

    async def find_rating(self, rule_set: str, player_id: str, season_number: int) -> PlayerRating:
        """Returns where a player stands.

        Raises:
            NotFoundError: `SEASON_NOT_FOUND`.
        """
        season = self.season(season_number)
        standing = await self._store.find_season_standing(rule_set, player_id, season.number)
        if standing is None or standing.season != season.number or not standing.is_listed:
            return PlayerRating(season, standing, None, await self._store.count_listed(rule_set, season.number))
        placing = await self._store.find_placing(rule_set, season.number, standing)
        return PlayerRating(season, standing, placing, placing.listed_count)

    async def list_board(self, rule_set: str, season_number: int, page_size: int, token: str) -> BoardPage:
        """Returns a page of a leaderboard, best first.

        Raises:
            NotFoundError: `SEASON_NOT_FOUND`.
            InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
        """
        season = self.season(season_number)
        scope = f"leaderboard/{rule_set}/{season.number}"
        after = _line_of(token, scope) if token else None
        placings, listed_count = await self._store.list_board(rule_set, season.number, after, page_size + 1)
        if len(placings) <= page_size:
            return BoardPage(season, placings, "", listed_count)
        last = placings[page_size - 1].standing
        assert last is not None
        next_token = page_token(_LINE.pack(last.shown, uuid.UUID(last.player_id).bytes), scope)
        return BoardPage(season, placings[:page_size], next_token, listed_count)

    async def list_history(
        self, rule_set: str, player_id: str, season_number: int, page_size: int, token: str
    ) -> HistoryPage:
        """Returns a page of a player's history, the last match applied first; of all seasons for 0.

        Raises:
            NotFoundError: `SEASON_NOT_FOUND`.
            InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
        """
        listed = HistoryList(rule_set, player_id, self.season(season_number) if season_number else None)
        before = _SEQUENCE.unpack(page_position(token, listed.scope, _SEQUENCE.size))[0] if token else None
        entries = await self._store.list_history(listed, before, page_size + 1)
        if len(entries) <= page_size:
            return HistoryPage(entries, "")
        next_token = page_token(_SEQUENCE.pack(entries[page_size - 1].sequence), listed.scope)
        return HistoryPage(entries[:page_size], next_token)


def _line_of(token: str, scope: str) -> tuple[int, str]:
    shown, player = _LINE.unpack(page_position(token, scope, _LINE.size))
    return shown, str(uuid.UUID(bytes=player))
