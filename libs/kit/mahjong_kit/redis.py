"""Opens Redis or Valkey."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff

from mahjong_kit.backoff import until_reachable
from mahjong_kit.errors import ServiceError, store_unreachable

STORE = "redis"
_LOST = (redis.ConnectionError, redis.TimeoutError)


@asynccontextmanager
async def open_redis(url: str, *, timeout_s: float | None = 2.0) -> AsyncIterator[redis.asyncio.Redis]:
    """Gives a client of the server at a URL; waits until the server answers, however long that takes.

    Args:
        url: `redis://host:port/db` or `unix:///path`.
        timeout_s: Longest wait for one reply; None for clients that block on purpose (subscriptions, BLPOP).
    """
    client = redis.asyncio.Redis.from_url(
        url,
        protocol=3,
        socket_timeout=timeout_s,
        socket_connect_timeout=2.0,
        socket_keepalive=True,
        health_check_interval=15,
        retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), 2),
    )
    try:
        await until_reachable(STORE, client.ping, _LOST)
        yield client
    finally:
        await client.aclose()


def store_error(error: Exception) -> ServiceError | None:
    """Returns `STORE_UNREACHABLE` if the exception means that the server does not answer."""
    return store_unreachable(STORE) if isinstance(error, _LOST) else None
