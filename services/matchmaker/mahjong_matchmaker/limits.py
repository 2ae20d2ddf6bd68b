"""How often a player may do what costs others something."""

from dataclasses import dataclass
from typing import Final

import redis.asyncio

from mahjong_kit.errors import ThrottledError
from mahjong_matchmaker import keys
from mahjong_matchmaker.scripts import Scripts
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


@dataclass(frozen=True, slots=True)
class Limit:
    """So often in a while."""

    name: str
    """What `RATE_LIMITED` names."""
    count: int
    period_s: int


ROOMS: Final = Limit("rooms", 30, 60)
"""Opening and entering rooms."""
WRONG_INVITES: Final = Limit("invites", 10, 60)
"""Codes and links that lead nowhere."""
JOINS: Final = Limit("joins", 60, 60)
"""Joining the queue."""


class Limits:
    """Counts in the store, so that they hold over all replicas."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._scripts = Scripts(client)

    async def check(self, limit: Limit, player_id: str) -> None:
        """Raises `RATE_LIMITED` if the player has done it often enough; counts nothing.

        Raises:
            ThrottledError: `RATE_LIMITED`.
        """
        await self._run(limit, player_id, 0)

    async def count(self, limit: Limit, player_id: str) -> None:
        """Counts once more.

        Raises:
            ThrottledError: `RATE_LIMITED`: it was done often enough; it is not counted then.
        """
        await self._run(limit, player_id, 1)

    async def _run(self, limit: Limit, player_id: str, amount: int) -> None:
        name = keys.limit(limit.name, player_id)
        wait_ms = await self._scripts.run("limit", [name], [amount, limit.count, limit.period_s * 1000])
        if wait_ms:
            reason = ErrorReason.ERROR_REASON_RATE_LIMITED
            raise ThrottledError(reason, retry_after_s=wait_ms / 1000, limit=limit.name)
