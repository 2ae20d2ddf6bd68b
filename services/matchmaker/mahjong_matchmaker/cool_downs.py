"""Players who did not come to rated tables wait before they may queue for one again, longer each time."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import redis.asyncio

from mahjong_matchmaker import keys
from mahjong_matchmaker.scripts import Scripts

WHILE_S: Final = 300
"""People seated and missing are counted over this while and the one before it."""
_REMEMBERED_S: Final = 86_400
"""How long a report and a no-show count."""
_OURS_FROM: Final = 6
"""So many missing may be an outage of ours."""
_OURS_SHARE_PERCENT: Final = 25
"""It is one if they are so many of those who were seated."""


class NoShowOutcome(StrEnum):
    """What became of a report."""

    DONE = "done"
    KNOWN = "known"
    """It came before."""
    EXCUSED = "excused"
    """So many are missing that nobody is blamed."""


class CoolDowns:
    """Keeps them in the store."""

    def __init__(self, client: redis.asyncio.Redis, *, first_s: float, longest_s: float) -> None:
        self._client = client
        self._scripts = Scripts(client)
        self._first_ms = round(first_s * 1000)
        self._longest_ms = round(longest_s * 1000)

    async def report(self, match_id: str, player_ids: Sequence[str], now_ms: int) -> NoShowOutcome:
        """Takes the report of a rated match, once."""
        this = now_ms // (WHILE_S * 1000)
        names = [
            keys.no_shows_of_match(match_id),
            *(keys.seated_in(number) for number in (this, this - 1)),
            *(keys.missing_in(number) for number in (this, this - 1)),
            *map(keys.cool_down, player_ids),
        ]
        arguments = [
            _REMEMBERED_S,
            2 * WHILE_S,
            _OURS_FROM,
            _OURS_SHARE_PERCENT,
            now_ms,
            self._first_ms,
            self._longest_ms,
            _REMEMBERED_S,
        ]
        return NoShowOutcome((await self._scripts.run("no_shows", names, arguments)).decode())

    async def end_ms(self, player_id: str, now_ms: int) -> int | None:
        """Returns when a player may queue for rated tables again; None if they may now."""
        end: Any = await self._client.hget(keys.cool_down(player_id), "until")
        return int(end) if end is not None and int(end) > now_ms else None
