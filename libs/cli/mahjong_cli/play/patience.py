"""How long and how often the terminal client tries again."""

import asyncio
import random
from typing import Final

import grpc

RETRY_FIRST_S: Final = 0.2
RETRY_MAX_S: Final = 5.0
GIVE_UP_AFTER_S: Final = 120.0
"""How long a player goes on trying while nothing of the platform answers."""

RETRIED_CODES: Final = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED}
)
"""The call may not have been carried out, and repeating it with the same request id is harmless."""


class Patience:
    """Waits longer and longer between attempts, and gives up in the end."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self.renew()

    def renew(self) -> None:
        """Starts over, after something went well."""
        self._pause_s = RETRY_FIRST_S
        self._give_up_at = self._clock() + GIVE_UP_AFTER_S

    async def wait_after(self, error: grpc.aio.AioRpcError) -> None:
        """Waits for the next attempt, or raises the error if there should be none."""
        if error.code() not in RETRIED_CODES or self._clock() > self._give_up_at:
            raise error
        await asyncio.sleep(self._pause_s * random.uniform(0.5, 1.0))
        self._pause_s = min(self._pause_s * 2, RETRY_MAX_S)
