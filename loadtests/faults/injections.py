"""The faults: each is put in, waited out and mended, and tells what players can't."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from loadtests.faults.house import LEASE_S, House
from mahjong_table.shards import shard_of

AWAY_S: Final = 2.0
"""How long a store stays away."""


@dataclass
class Outcome:
    """What came of a fault beside what players were told."""

    shards: Collection[int] | None = None
    """Shards that it concerned; None if all."""
    notes: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def concerns(self, table: str) -> bool:
        """Returns whether a table is one that the fault concerned."""
        return self.shards is None or shard_of(table) in self.shards


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault."""

    name: str
    what: str
    database: str
    """The kind of database that it is put in over."""
    put_in: Callable[[House], Awaitable[Outcome]]


async def kill(house: House) -> Outcome:
    """Kills an owner; the others take its tables over when its lease is out."""
    victim, *others = house.workers
    outcome = Outcome(await house.epochs_of(victim))
    house.kill(victim)
    await house.until_shared(*others)
    await house.start(victim)
    await house.until_shared(*house.workers)
    return outcome


async def freeze(house: House) -> Outcome:
    """Freezes an owner for two leases. When it wakes it still believes in its shards, and must write nothing."""
    _, victim, *_ = house.workers
    others = [worker for worker in house.workers if worker != victim]
    epochs = await house.epochs_of(victim)
    outcome = Outcome(epochs)
    house.processes[victim].send(signal.SIGSTOP)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(2 * LEASE_S))
            group.create_task(house.until_shared(*others))
        before = await house.entries_under(epochs)
    finally:
        house.processes[victim].send(signal.SIGCONT)
    await house.until_shared(*house.workers)
    await asyncio.sleep(AWAY_S)
    after = await house.entries_under(epochs)
    outcome.notes.append(f"entries under the epochs of the zombie: {before} when it woke, {after} after")
    if after != before:
        outcome.violations.append(f"the zombie wrote {after - before} entries")
    return outcome


async def roll(house: House) -> Outcome:
    """Stops every worker in order, one after another, and starts it again."""
    outcome = Outcome()
    for worker in house.workers:
        process = house.processes[worker]
        status = await asyncio.to_thread(process.stop)
        if status != 0:
            outcome.violations.append(f"{worker} exited with {status}")
        await house.start(worker)
        await house.until_shared(*house.workers)
    return outcome


async def wipe_valkey(house: House) -> Outcome:
    """Kills Valkey, which keeps nothing, leaves it away for a while and starts an empty one."""
    house.valkey.kill()
    await asyncio.sleep(AWAY_S)
    await asyncio.to_thread(house.valkey.start)
    return Outcome()


async def crash_database(house: House) -> Outcome:
    """Ends PostgreSQL without a checkpoint, as a crash does, and starts it again: it recovers from its log."""
    stores = house.stores
    if stores.crash is None or stores.start is None:
        raise LookupError("only PostgreSQL has a server to restart")
    await asyncio.to_thread(stores.crash)
    await asyncio.sleep(AWAY_S)
    started_s = time.monotonic()
    await asyncio.to_thread(stores.start)
    answered_s = time.monotonic()
    await house.until_shared(*house.workers)
    shared_s = time.monotonic()
    outcome = Outcome()
    outcome.notes.append(f"away for {AWAY_S:.0f} s, back {answered_s - started_s:.1f} s after its start")
    outcome.notes.append(f"the workers had their shards {shared_s - answered_s:.1f} s after that")
    return outcome


async def kill_gateway(house: House) -> Outcome:
    """Kills the gateway: every connection of every player is cut. Starts it again."""
    house.kill("gateway")
    await house.start("gateway")
    return Outcome()


FAULTS: Final = (
    Fault("kill", "kill -9 of an owner", "sqlite", kill),
    Fault("roll", "SIGTERM roll of every worker", "sqlite", roll),
    Fault("valkey", "Valkey killed and wiped", "sqlite", wipe_valkey),
    Fault("gateway", "kill -9 of the gateway", "sqlite", kill_gateway),
    Fault("freeze", "SIGSTOP of an owner for two leases", "postgresql", freeze),
    Fault("postgres", "PostgreSQL crashed and restarted", "postgresql", crash_database),
)
