"""How many tables live on one worker at the pace of production: delay, processor time and memory as they grow."""

import asyncio
import time

from loadtests.table.figures import milliseconds, percentile
from loadtests.table.processes import counted, machine, table_fleet, used
from loadtests.table.seats import Crowd

THOUGHT_S = 1.25
"""What people think on the average: as long as computers do."""
_WARM_UP_S = 10.0


async def measure(tables: int, seconds: float, store: str) -> int:
    """Plays one person and three computers at so many tables on one worker; returns how much went wrong."""
    print(f"\nlive: {tables:,} tables of one person and three computers, Standard clock, default floors, {store}")
    with table_fleet(store=store, tables_max=max(5_000, tables)) as fleet:
        worker, metrics = fleet.workers[0], fleet.metrics_ports[0]
        empty, started = used(worker.pid), time.perf_counter()
        crowd = Crowd(fleet.public_address, fleet.issuer, thought_s=THOUGHT_S, is_worker=True)
        await crowd.sit_down(tables, 1, fleet.addresses)
        print(f"  opened in {time.perf_counter() - started:.1f} s; {machine()}")
        await asyncio.sleep(_WARM_UP_S)
        crowd.told.forget()
        names = ("entries_total", "commits_total", "decision_duration_seconds_sum", "decision_duration_seconds_count")
        before, cpu, started = [counted(metrics, name) for name in names], used(worker.pid), time.perf_counter()
        late_s = await _lateness(seconds)
        told, took_s = crowd.told, time.perf_counter() - started
        after = used(worker.pid)
        entries, commits, waited_s, waited = (counted(metrics, n) - b for n, b in zip(names, before, strict=True))
        await crowd.stand_up()
    cpu_s = after.cpu_s - cpu.cpu_s
    print(
        f"  decision to acknowledgement: {milliseconds(told.acknowledged_s)} ({len(told.acknowledged_s):,} decisions)"
    )
    print(f"  of that inside the worker: mean {1000 * waited_s / max(1, waited):.0f} ms; ", end="")
    print(f"the driver's own loop was late by p99 {1000 * percentile(late_s, 0.99):.0f} ms")
    print(f"  worker: {cpu_s / took_s:.2f} cores, {1e6 * cpu_s / max(1, entries):,.0f} us an entry, ", end="")
    print(f"{1000 * cpu_s / took_s / tables:.2f} ms of a core a second for each table")
    print(f"  entries {entries / took_s:,.0f}/s ({entries / took_s / tables:.2f} a table), ", end="")
    print(f"{entries / max(1, commits):.1f} a commit; closed first by others {told.closed}, {machine()}")
    print(
        f"  memory: {(after.rss_kib - empty.rss_kib) / tables:.0f} KiB a table ({empty.rss_kib / 1024:.0f} MiB empty)"
    )
    for problem in told.problems[:5]:
        print(f"  PROBLEM {problem}")
    return len(told.problems)


async def _lateness(seconds: float) -> list[float]:
    """Waits; returns how late this process's event loop was, which is no fault of the worker's."""
    late, ends = [], time.perf_counter() + seconds
    while (now := time.perf_counter()) < ends:
        await asyncio.sleep(0.05)
        late.append(time.perf_counter() - now - 0.05)
    return late
