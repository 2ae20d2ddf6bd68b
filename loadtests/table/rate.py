"""How many decisions one worker acknowledges when no table ever waits, beside the bare work."""

import asyncio
import tempfile
import time
from pathlib import Path

from loadtests.table import bare
from loadtests.table.bare import Rate
from loadtests.table.figures import milliseconds
from loadtests.table.processes import AT_ONCE, counted, machine, table_fleet, used
from loadtests.table.seats import Crowd

TABLES = 64
_WARM_UP_S = 4.0


async def measure(seconds: float) -> int:
    """Plays four people at each of some tables without a pause; returns how much went wrong."""
    print(f"\nrate: {TABLES} tables of four people, no floors, {seconds:.0f} s, SQLite; {machine()}")
    with table_fleet(**AT_ONCE) as fleet:
        worker, metrics = fleet.workers[0], fleet.metrics_ports[0]
        crowd = Crowd(fleet.public_address, fleet.issuer, thought_s=0, is_worker=True)
        await crowd.sit_down(TABLES, 4, fleet.addresses)
        await asyncio.sleep(_WARM_UP_S)
        crowd.told.forget()
        names = ("entries_total", "commits_total", "commit_tables_sum", "commit_duration_seconds_sum")
        names += ("shared_messages_total", "shared_responses_total")
        before, cpu, started = [counted(metrics, name) for name in names], used(worker.pid), time.perf_counter()
        await asyncio.sleep(seconds)
        told, took_s = crowd.told, time.perf_counter() - started
        acknowledged, events = list(told.acknowledged_s), told.events
        decisions = Rate(len(acknowledged), took_s, used(worker.pid).cpu_s - cpu.cpu_s)
        now = [counted(metrics, name) for name in names]
        entries, commits, tables, waited_s, messages, responses = (n - b for n, b in zip(now, before, strict=True))
        await crowd.stand_up()
        batch = max(1, round(entries / commits))
        with tempfile.TemporaryDirectory(prefix="mahjong-load-") as directory:
            source = Path(fleet.dsn.removeprefix("sqlite:///"))
            appended = await asyncio.to_thread(bare.append, source, Path(directory, "bare.db"), batch, seconds / 2)
    echoed = await bare.echo(seconds / 2, TABLES)
    in_message = round(responses / messages)
    written = await bare.fan_out(seconds / 2, in_message)
    _tell("decisions acknowledged", decisions, milliseconds(acknowledged))
    print(f"    of them closed by another seat first: {told.closed}; events shown: {events:,};")
    print(f"    {responses:,.0f} responses to viewers in {messages:,.0f} messages to their gateway")
    print(
        f"    commits: {commits / took_s:,.0f}/s of {tables / commits:.1f} tables and {entries / commits:.1f} entries,"
    )
    print(f"    {1000 * waited_s / commits:.1f} ms each; entries: {entries / took_s:,.0f}/s, ", end="")
    print(f"{entries / decisions.cpu_s:,.0f} per core second")
    _tell(f"bare append, {batch} rows a commit", appended, f"{1000 * appended.seconds * batch / appended.done:.1f} ms")
    _tell("bare gRPC echo", echoed, "")
    _tell("bare gRPC stream, responses", written, f"{in_message} in a message")
    share, of_core = entries / took_s / appended.per_s, entries / decisions.cpu_s / appended.per_core_s
    print(f"  entries as a share of the bare append: {share:.2f} by the clock, {of_core:.3f} by processor time")
    of_core = decisions.per_core_s / echoed.per_core_s
    print(f"  decisions as a share of the bare echo: {decisions.per_s / echoed.per_s:.2f} by the clock, ", end="")
    print(f"{of_core:.2f} by processor time")
    floor_s = entries / appended.per_core_s + len(acknowledged) / echoed.per_core_s + responses / written.per_core_s
    print(
        f"  of the worker's processor time, append, echo and streams alone would take {floor_s / decisions.cpu_s:.0%}"
    )
    for problem in told.problems[:5]:
        print(f"  PROBLEM {problem}")
    return len(told.problems)


def _tell(what: str, rate: Rate, more: str) -> None:
    print(f"  {what:<32} {rate.per_s:>9,.0f}/s {rate.per_core_s:>9,.0f} per core second   {more}")
