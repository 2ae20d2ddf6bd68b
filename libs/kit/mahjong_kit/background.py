"""What a service does beside its calls."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from mahjong_kit.log import get_logger

_log = get_logger()


@asynccontextmanager
async def running(loop: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Runs what never ends by itself until the block ends."""
    task = asyncio.create_task(loop)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def repeating(
    step: Callable[[], Awaitable[object]], period_s: float, postponed: str
) -> AbstractAsyncContextManager[None]:
    """Takes a step now and once a period until the block ends, whatever goes wrong.

    Args:
        step: what is done; replicas may do it at once.
        period_s: pause between two steps.
        postponed: event of the log when a step has failed, because a store is away perhaps: the next one does it.
    """
    return running(_repeated(step, period_s, postponed))


async def _repeated(step: Callable[[], Awaitable[object]], period_s: float, postponed: str) -> None:
    while True:
        try:
            await step()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next step may succeed
            _log.warning(postponed, problem=repr(error))
        await asyncio.sleep(period_s)
