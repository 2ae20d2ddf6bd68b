"""The client of Redis."""

import asyncio

from mahjong_kit.redis import open_redis


async def test_cancelled_call_is_cancelled_whenever_that_comes(redis_url):
    async with open_redis(redis_url) as client:
        await client.set("key", "value")
        for steps in range(40):
            call = asyncio.create_task(client.get("key"))
            for _ in range(steps):
                await asyncio.sleep(0)
            if call.cancel():
                await asyncio.wait({call})
                assert call.cancelled(), steps
            else:
                assert await call == b"value"
        assert await client.get("key") == b"value"
