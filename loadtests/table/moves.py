"""How long tables stand still when their worker is killed, and when it is asked to go."""

import asyncio
import signal
import time

from loadtests.table.figures import milliseconds
from loadtests.table.live import THOUGHT_S
from loadtests.table.processes import Fleet, machine, table_fleet, used
from loadtests.table.seats import Crowd
from mahjong_kit.sql import open_database
from mahjong_table import migrations
from mahjong_table.ownership.placement import placement
from mahjong_table.store.shards import Shards

_SETTLE_S = 8.0
_LIMIT_S = 60.0


async def measure(tables: int, number: signal.Signals, store: str) -> int:
    """Ends one of two workers under play; returns how much went wrong.

    Pauses are those that players behind the gateway see: from the end of a stream to the first word of the next.
    """
    what = "kill -9" if number == signal.SIGKILL else "hand-over"
    print(f"\n{what}: {tables:,} tables at two workers behind a gateway, {store}")
    with table_fleet(workers=2, store=store) as fleet:
        crowd = Crowd(fleet.public_address, fleet.issuer, thought_s=THOUGHT_S, is_worker=False)
        await _until_shared(fleet)
        await crowd.sit_down(tables, 1, fleet.addresses)
        await asyncio.sleep(_SETTLE_S)
        print(f"  {machine()}")
        crowd.told.forget()
        started, before = time.monotonic(), used(fleet.workers[1].pid)
        fleet.workers[0].send(number)
        if number == signal.SIGTERM:
            status = await asyncio.to_thread(fleet.workers[0].ended, _LIMIT_S)
            print(f"  the worker had gone after {time.monotonic() - started:.1f} s with status {status}")
            for said in fleet.workers[0].said("worker.drained"):
                print(f"  it says: drained in {said['duration_ms']} ms, {said['left']} shards left")
            await asyncio.sleep(_SETTLE_S / 2)
        else:
            await _until_back(crowd, tables // 2, started)
        cpu_s, took_s = used(fleet.workers[1].pid).cpu_s - before.cpu_s, time.monotonic() - started
        pauses_s = list(crowd.told.pauses_s)
        fleet.workers[1].send(signal.SIGTERM)
        await crowd.stand_up()
        await asyncio.to_thread(fleet.workers[1].ended, _LIMIT_S)
        claims = fleet.workers[1].said("shards.claimed")
    busy_ms = [claim["duration_ms"] for claim in claims if claim["tables"]]
    print(f"  pauses of {len(pauses_s):,} players: {milliseconds(pauses_s)}")
    print(f"  the successor took {sum(c['tables'] for c in claims):,} tables in {len(busy_ms)} steps: ", end="")
    print(f"{sum(busy_ms)} ms in all, {max(busy_ms, default=0)} ms the longest;")
    print(f"  its process got {cpu_s:.1f} s of a core in the {took_s:.1f} s since the signal, for taking and playing")
    for problem in crowd.told.problems[:5]:
        print(f"  PROBLEM {problem}")
    return len(crowd.told.problems)


async def _until_shared(fleet: Fleet) -> None:
    """Waits until each worker owns its share of the shards."""
    async with asyncio.timeout(_LIMIT_S), open_database(fleet.dsn, migrations) as database:
        while True:
            survey = await Shards(database).survey()
            owners = tuple(row.worker_id for row in survey.shards)
            if len(survey.workers) == len(fleet.workers) and owners == placement(frozenset(survey.workers)):
                return
            await asyncio.sleep(0.2)


async def _until_back(crowd: Crowd, streams: int, started: float) -> None:
    """Waits until about all lost streams are back, and then until none came for a while."""
    seen, changed = 0, time.monotonic()
    while time.monotonic() - started < _LIMIT_S:
        await asyncio.sleep(0.1)
        if len(crowd.told.pauses_s) > seen:
            seen, changed = len(crowd.told.pauses_s), time.monotonic()
        if seen and time.monotonic() - changed > 3:
            break
    print(f"  {seen:,} of about {streams:,} streams came back, the last {changed - started:.1f} s after the kill")
