"""`python -m tests.dst`: simulates seeds and tells the first violation."""

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.dst.world import Report, Scale, simulate


def main() -> int:
    """Runs the seeds on all cores and tells of them in their order; returns 1 on a violation."""
    default = Scale()
    parser = argparse.ArgumentParser(prog="make dst", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--hours", type=float, default=default.hours, help="virtual time of each run")
    parser.add_argument("--tables", type=int, default=default.tables, help="tables with a clock, or none")
    parser.add_argument("--waiting", type=int, default=default.waiting, help="tables where people take minutes")
    parser.add_argument("--keep-going", action="store_true", help="run all seeds, whatever the first violation")
    options = parser.parse_args()
    scale = Scale(hours=options.hours, tables=options.tables, waiting=options.waiting)
    began, total, bad = time.perf_counter(), Report(0), list[Report]()
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.dst.warm"])
    # A process of its own for each run: nothing of an earlier one can change it.
    pool = ProcessPoolExecutor(options.jobs, mp_context=context, max_tasks_per_child=1)
    try:
        runs = [pool.submit(simulate, seed, scale) for seed in range(options.start, options.start + options.seeds)]
        for run in runs:
            report = run.result()
            _add(total, report)
            print(
                f"seed {report.seed}: {report.table_hours:.1f} table-hours, {report.checked['log entries']:,} log "
                f"entries, {sum(report.faults.values())} faults, digest {report.digest:08x}",
                flush=True,
            )
            if report.violation is not None:
                bad.append(report)
                _tell_violation(report)
                if not options.keep_going:
                    break
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    _tell(total, time.perf_counter() - began)
    for report in bad:
        _tell_violation(report)
    if not bad:
        print("no violation")
    return 1 if bad else 0


def _add(total: Report, report: Report) -> None:
    total.table_hours += report.table_hours
    total.faults.update(report.faults)
    total.checked.update(report.checked)


def _tell_violation(report: Report) -> None:
    print(f"VIOLATION in seed {report.seed} at {report.at_s:.3f} s: {report.violation!r}")
    print(f"again by: make dst SEEDS=1 START={report.seed}", flush=True)


def _tell(total: Report, seconds: float) -> None:
    decisions = total.checked["log entries"]
    print(
        f"\n{total.table_hours:,.1f} table-hours with {decisions:,} log entries simulated in {seconds:.0f} s: "
        f"{total.table_hours / seconds:.2f} table-hours and {decisions / seconds:,.0f} entries a second"
    )
    for title, counts in (("faults injected", total.faults), ("checked", total.checked)):
        print(f"{title}:")
        for name, count in Counter(counts).most_common():
            print(f"  {count:>10,} {name}")


if __name__ == "__main__":
    sys.exit(main())
