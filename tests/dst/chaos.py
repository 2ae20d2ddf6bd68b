"""What goes wrong in a run: one fault after another, several at a time, all drawn from the seed."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING

from tests.dst.process import Process

if TYPE_CHECKING:
    from tests.dst.world import World

_QUIET_AFTER_S = 45.0
"""For how long after a fault things may still be out of order: the lease, take-overs, retries."""


class Chaos:
    """Makes trouble."""

    def __init__(self, world: "World", chance: Random, mean_pause_s: float) -> None:
        self._world = world
        self._chance = chance
        self._mean_pause_s = mean_pause_s
        self._tasks: set[asyncio.Task[None]] = set()
        self._active = 0
        self._last_end_s = 0.0
        self._faults: dict[str, tuple[int, Callable[[], Awaitable[None]]]] = {
            "worker killed": (4, self._kill),
            "worker frozen": (4, self._freeze),
            "machine suspended, its monotonic clock too": (1, self._suspend),
            "worker asked to stop (SIGTERM)": (3, self._terminate),
            "database away": (2, self._lose_store),
            "worker cut off from the database": (3, self._cut_off),
            "database unreliable": (3, self._trouble_store),
            "database slow": (1, self._slow_store),
            "database clock stepped": (1, self._step_store),
            "Redis wiped": (3, self._wipe),
            "Redis away": (2, self._lose_redis),
            "network unreliable": (4, self._trouble_network),
            "all streams cut": (2, self._cut_streams),
            "wall clock of a machine stepped": (2, self._step_wall),
        }

    @property
    def is_calm(self) -> bool:
        """Whether nothing is wrong and everything has had time to recover."""
        return not self._active and self._world.loop.time() > self._last_end_s + _QUIET_AFTER_S

    async def run(self) -> None:
        """Makes trouble until cancelled."""
        names = list(self._faults)
        weights = [self._faults[name][0] for name in names]
        while True:
            await asyncio.sleep(self._chance.expovariate(1 / self._mean_pause_s))
            if self._chance.random() < 0.03:
                await asyncio.sleep(180)  # Let it recover now and then, and be judged as if nothing had been.
            name = self._chance.choices(names, weights)[0]
            task = asyncio.create_task(self._make(name, self._faults[name][1]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Waits until all trouble is over."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    async def _make(self, name: str, fault: Callable[[], Awaitable[None]]) -> None:
        self._world.tally.count(name)
        self._active += 1
        try:
            await fault()
        finally:
            self._active -= 1
            self._last_end_s = self._world.loop.time()

    def _victim(self) -> Process | None:
        running = [process for process in self._world.processes.values() if process.is_up]
        return self._chance.choice(running) if running else None

    async def _for(self, least_s: float, most_s: float) -> None:
        await asyncio.sleep(self._chance.uniform(least_s, most_s))

    async def _kill(self) -> None:
        if (process := self._victim()) is not None:
            process.kill()
            await process.ended

    async def _terminate(self) -> None:
        if (process := self._victim()) is not None:
            process.terminate()
            await process.ended

    async def _freeze(self) -> None:
        if (process := self._victim()) is not None:
            process.host.freeze()
            await self._for(0.2, self._chance.choice((2, 8, 30)))
            process.host.thaw()

    async def _suspend(self) -> None:
        if (process := self._victim()) is not None:
            began = self._world.loop.time()
            process.host.freeze()
            await self._for(1, 20)
            process.host.thaw(self._world.loop.time() - began)

    async def _lose_store(self) -> None:
        self._world.database.weather.is_down = True
        await self._for(0.5, 12)
        self._world.database.weather.is_down = False

    async def _cut_off(self) -> None:
        if (process := self._victim()) is not None:
            self._world.database.weather.cut_off.add(process.host)
            await self._for(1, 20)
            self._world.database.weather.cut_off.discard(process.host)

    async def _trouble_store(self) -> None:
        weather = self._world.database.weather
        weather.lost_before, weather.lost_after, weather.late = 0.1, 0.1, 0.05
        await self._for(5, 60)
        weather.lost_before = weather.lost_after = weather.late = 0.0

    async def _slow_store(self) -> None:
        self._world.database.weather.delay_s = 0.3
        await self._for(5, 30)
        self._world.database.weather.delay_s = 0.002

    async def _step_store(self) -> None:
        self._world.database.weather.clock_step_s += self._chance.uniform(-5, 10)

    async def _wipe(self) -> None:
        self._world.redis.wipe()

    async def _lose_redis(self) -> None:
        self._world.redis.is_down = True
        await self._for(1, 30)
        self._world.redis.is_down = False

    async def _trouble_network(self) -> None:
        weather = self._world.network.weather
        weather.lost, weather.doubled, weather.slow = 0.1, 0.2, 0.1
        await self._for(10, 120)
        weather.lost = weather.doubled = weather.slow = 0.0

    async def _cut_streams(self) -> None:
        for player in list(self._world.players):
            player.cut()

    async def _step_wall(self) -> None:
        address = self._chance.choice(self._world.addresses)
        self._world.skew_s[address] = self._chance.choice(
            (0, self._chance.uniform(-2, 2), self._chance.uniform(-60, 60))
        )
