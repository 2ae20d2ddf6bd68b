"""How clients find the owner of a table: by what any worker knows, kept until it turns out to be wrong."""

from collections.abc import Callable, Coroutine
from random import Random
from typing import TYPE_CHECKING, Any

from mahjong_kit.errors import ServiceError
from mahjong_kit.sharding import shard_of
from mahjong_table.worker import Worker
from tests.dst.network import LostError
from tests.dst.process import Process

if TYPE_CHECKING:
    from tests.dst.world import World

_LOCATE_TIMEOUT_S = 2.0
_CALL_TIMEOUT_S = 5.0
RETRIED = frozenset(
    {
        "ERROR_REASON_STORE_UNREACHABLE",
        "ERROR_REASON_DRAINING",
        "ERROR_REASON_LEASE_LOST",
        "ERROR_REASON_TABLE_BUSY",
        "ERROR_REASON_NO_TABLE_CAPACITY",
    }
)
"""Reasons that call for the same call again, perhaps elsewhere."""


class Gateway:
    """Routes calls of clients."""

    def __init__(self, world: "World", chance: Random) -> None:
        self._world = world
        self._chance = chance
        self._owners: dict[int, str] = {}

    async def owner(self, table_id: str) -> Process | None:
        """Returns the process that owns a table, as far as is known."""
        shard = shard_of(table_id)
        process = self._process(shard)
        if process is None:
            await self._locate()
            process = self._process(shard)
        return process

    def forget(self, table_id: str) -> None:
        """Takes note that a call did not reach the owner."""
        self._owners.pop(shard_of(table_id), None)

    async def call(self, table_id: str, handler: Callable[[Worker], Coroutine[Any, Any, Any]]) -> Any:
        """Calls the owner of a table.

        Raises:
            LostError: no answer.
            ServiceError: the owner's answer.
        """
        process = await self.owner(table_id)
        if process is None:
            raise LostError
        try:
            return await self._world.network.call(process.host, lambda: handler(process.worker), _CALL_TIMEOUT_S)
        except LostError:
            self.forget(table_id)
            raise
        except ServiceError as error:
            if error.reason in RETRIED:
                self.forget(table_id)
            raise

    def any_process(self) -> Process | None:
        """Returns some process that runs."""
        return self._chance.choice(list(self._world.processes.values())) if self._world.processes else None

    def _process(self, shard: int) -> Process | None:
        process = self._world.processes.get(self._owners.get(shard, ""))
        return None if process is None or process.host.is_dead else process

    async def _locate(self) -> None:
        process = self.any_process()
        if process is None or process.host.is_dead:
            return
        try:
            owners = await self._world.network.call(process.host, process.worker.holder.locate, _LOCATE_TIMEOUT_S)
        except (LostError, ServiceError):
            return
        self._owners = {shard: address for address, shards in owners.items() for shard in shards}
