"""Measures table workers, each figure beside its bare baseline: `make bench-table`.

Exit status 1 if any player was told something wrong. Missing a target fails nothing: loadtests/README.md judges.
"""

import argparse
import asyncio
import os
import signal
import sys

import uvloop

from loadtests.table import live, moves, rate, take
from loadtests.table.processes import machine

_PARTS = ("rate", "live", "take", "kill", "hand-over")


async def main() -> int:
    """Runs what the arguments name."""
    parser = argparse.ArgumentParser(prog="bench-table", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", choices=["rate", "live", "take", "kill", "hand-over", []], help="all if none"
    )
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 1_000], help="live tables, one run for each")
    parser.add_argument("--moved", type=int, default=400, help="tables of take, kill and hand-over")
    parser.add_argument("--seconds", type=float, default=20, help="length of each measurement")
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite", help="of live, kill, hand-over")
    arguments = parser.parse_args()
    parts = arguments.parts or _PARTS
    print(f"python {sys.version.split()[0]}, {machine()}, {os.uname().machine}; driver and worker share the cores")
    problems = 0
    if "rate" in parts:
        problems += await rate.measure(arguments.seconds)
    for tables in arguments.tables if "live" in parts else ():
        problems += await live.measure(tables, arguments.seconds, arguments.store)
    if "take" in parts:
        problems += await take.measure(arguments.moved)
    for name, number in (("kill", signal.SIGKILL), ("hand-over", signal.SIGTERM)):
        if name in parts:
            problems += await moves.measure(arguments.moved, number, arguments.store)
    print(f"\nwrong or lost answers: {problems}")
    return 1 if problems else 0


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.exit(runner.run(main()))
