"""Who has yet to be told that a player is no more, in one transaction."""

from typing import Final

from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account.models import Farewell

SERVICES: Final = ("replay", "rating")
"""Services that keep something of a player."""


class FarewellRows:
    """Adds what is to be told."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, player_id: str, now_ms: int) -> None:
        """Has every service told."""
        for service in SERVICES:
            self._session.add(Farewell(player_id=player_id, service=service, create_time_ms=now_ms))
        await self._session.flush()
