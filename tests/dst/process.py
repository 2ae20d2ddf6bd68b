"""A worker process: the service's own worker, started, stopped and killed on a simulated machine."""

import asyncio
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from mahjong_kit.errors import ServiceError
from mahjong_kit.metrics import ServiceMetrics
from mahjong_table.courier import Destination
from mahjong_table.metrics import TableMetrics
from mahjong_table.reports import FINISH_MATCH, REPORT_MATCH, START_MATCH, STORE_HAND
from mahjong_table.settings import TableSettings
from mahjong_table.worker import Worker
from tests.dst.host import Host
from tests.dst.network import LostError, Network

if TYPE_CHECKING:
    from tests.dst.world import World

_PEER_TIMEOUT_S = 2.0
_STOP_MAX_S = 40.0
SETTINGS = TableSettings(
    service_key="simulated-simulated-simulated-simulated",
    database_dsn="sqlite:///simulated",
    alive_period_s=1.0,
    round_s=1.0,
    hand_over_s=10.0,
)


class Process:
    """One start of a worker, until it has ended."""

    def __init__(self, world: "World", address: str, skew_s: float) -> None:
        self.address = address
        self.host = Host(address, world.loop, Random(world.chance.getrandbits(64)), skew_s)
        self.ended = world.loop.create_future()
        self._world = world
        self._stop = asyncio.Event()
        self.worker: Worker = self.host.run(self._build)
        self.host.spawn(self._serve())

    @property
    def is_up(self) -> bool:
        """Whether it runs."""
        return not self.host.is_stopped

    def terminate(self) -> None:
        """Asks it to stop, as SIGTERM does; kills it if it takes too long."""
        self._stop.set()
        self._world.loop.call_later(_STOP_MAX_S, self.kill)

    def kill(self) -> None:
        """Ends it at once, as SIGKILL does."""
        self.host.crash()
        if not self.ended.done():
            self.ended.set_result(None)

    def _build(self) -> Worker:
        world = self._world
        settings = SETTINGS.model_copy(update={"advertised_address": self.address})
        return Worker(
            settings,
            TableMetrics(ServiceMetrics("table")),
            world.database,  # type: ignore[arg-type]
            world.redis,  # type: ignore[arg-type]
            world.receivers.destinations(),
            self.host.chance,
            SimulatedPeers(world),  # type: ignore[arg-type]
        )

    async def _serve(self) -> None:
        """Does what the service's `__main__` does."""
        try:
            async with self.worker.running(0):
                await self.worker.until(self._stop.wait())
                await self.worker.holder.drain(SETTINGS.hand_over_s)
        except Exception:  # noqa: BLE001 - it could not start, or was replaced: whoever runs it starts it again
            self._world.tally.count("worker that ended by itself")
        self.kill()


class SimulatedPeers:
    """Stands in for `Peers`: the same calls over the simulated network."""

    def __init__(self, world: "World") -> None:
        self._world = world

    async def prepare(self, address: str, shards: Sequence[int]) -> bool:
        return await self._call(address, lambda worker: worker.keeper.build_ahead(shards))

    async def offer(self, address: str, shards: Sequence[int]) -> bool:
        return await self._call(address, lambda worker: worker.holder.take(shards))

    async def _call(self, address: str, handler: Any) -> bool:
        process = self._world.processes.get(address)
        if process is None or process.host.is_dead:
            return False
        try:
            await self._world.network.call(process.host, lambda: handler(process.worker), _PEER_TIMEOUT_S)
        except (LostError, ServiceError):
            return False
        return True


class Receivers:
    """Replay and rating: take reports, refuse some, lose some answers."""

    def __init__(self, network: Network, chance: Random) -> None:
        self._network = network
        self._chance = chance
        self.taken: dict[tuple[str, bytes], None] = {}
        """Kind and body of each, in the order in which they first came."""
        self.doubled = 0

    def destinations(self) -> dict[str, Destination]:
        return {
            kind: Destination(self.service(kind), self._sender(kind))
            for kind in (START_MATCH, STORE_HAND, FINISH_MATCH, REPORT_MATCH)
        }

    def service(self, kind: str) -> str:
        """Returns who takes reports of a kind."""
        return "rating" if kind == REPORT_MATCH else "replay"

    def _sender(self, kind: str) -> Any:
        async def send(body: bytes) -> None:
            await asyncio.sleep(self._network.delay_s())
            if self._network.is_lost():
                raise ConnectionError("lost")
            self.doubled += (kind, body) in self.taken
            self.taken.setdefault((kind, body))
            await asyncio.sleep(self._network.delay_s())
            if self._network.is_lost():
                raise ConnectionError("answer lost")

        return send
