"""Waiting for what is not up yet: processes and stores start in any order."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mahjong_kit.log import get_logger

T = TypeVar("T")

_FIRST_S = 0.1
_LONGEST_S = 1.0

_log = get_logger()


async def until_reachable(what: str, attempt: Callable[[], Awaitable[T]], lost: tuple[type[Exception], ...]) -> T:
    """Tries until it works, with growing, jittered pauses, and logs each failure.

    Args:
        what: Name for the log.
        attempt: What to try.
        lost: Exceptions after which it is tried again; any other one is raised.
    """
    pause_s = _FIRST_S
    while True:
        try:
            return await attempt()
        except lost as error:
            _log.warning("store.awaited", store=what, problem=str(error))
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
            pause_s = min(pause_s * 2, _LONGEST_S)
