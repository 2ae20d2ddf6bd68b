"""`make faults`: the invariants of the table service on real processes. docs/operations/faults.md says what it does."""

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
import time
from pathlib import Path

from loadtests.faults.injections import FAULTS
from loadtests.faults.pauses import percentile
from loadtests.faults.run import Result, run
from loadtests.faults.transcript import CALM
from mahjong_kit.log import configure_logging

SHOWN = 10
"""Violations of one fault that are printed."""
COLUMNS = "{:<36} {:<10} {:>6} {:>7} {:>7} {:>10} {:>7} {:>7} {:>7}"


def main() -> int:
    """Runs the faults that were asked for; returns the exit status: 1 after any violation."""
    options = _options()
    configure_logging("cli", "warning", sys.stderr)
    wanted = [fault for fault in FAULTS if not options.only or fault.name in options.only]
    started_s, load = time.monotonic(), os.getloadavg()[0]
    results: list[Result] = []
    print(COLUMNS.format("fault", "database", "tables", "acks", "events", "violations", "p50 s", "p99 s", "max s"))
    with tempfile.TemporaryDirectory(prefix="mahjong-faults-") as directory:
        for _, faults in itertools.groupby(wanted, key=lambda fault: fault.database):
            group = asyncio.run(run(tuple(faults), options.tables, Path(directory), options.logs))
            for result in group:
                _print(result)
            results += group
    print(
        f"\n{options.tables} tables of four players, {os.cpu_count()} cores, load average {load:.1f} before,", end=" "
    )
    print(f"{os.getloadavg()[0]:.1f} after; {time.monotonic() - started_s:.0f} s in all")
    print(f"acks: {sum(each.acknowledgements for each in results)} checked against the log.", end=" ")
    count = sum(len(each.violations) for each in results)
    print(f"violations: {count}")
    return 1 if count or any(not each.acknowledgements for each in results if each.fault != CALM) else 0


def _print(result: Result) -> None:
    shares = [f"{percentile(result.pauses_s, share):.2f}" for share in (0.5, 0.99, 1.0)]
    counts = (len(result.pauses_s), result.acknowledgements, result.events, len(result.violations))
    print(COLUMNS.format(result.what, result.database, *counts, *shares))
    for note in result.notes:
        print(f"    {note}")
    for violation in result.violations[:SHOWN]:
        print(f"    VIOLATION {violation}")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m loadtests.faults", description=__doc__)
    parser.add_argument("--tables", type=int, default=20, help="tables of four players (default 20)")
    parser.add_argument(
        "--only", action="append", choices=[fault.name for fault in FAULTS], help="only this fault; may be repeated"
    )
    parser.add_argument("--logs", type=Path, help="a directory for the services' logs")
    options = parser.parse_args()
    if options.logs is not None:
        options.logs.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    sys.exit(main())
