"""`python -m tests.dst`: simulates seeds and tells the first violation."""

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.dst.world import Report, Scale, simulate


def main() -> int:
    """Runs the seeds; returns 1 on a violation."""
    parser = argparse.ArgumentParser(prog="make dst", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--hours", type=float, default=Scale().hours)
    parser.add_argument("--tables", type=int, default=Scale().tables)
    options = parser.parse_args()
    scale = Scale(hours=options.hours, tables=options.tables)
    began, total = time.perf_counter(), Report(0)
    pool = ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn"), max_tasks_per_child=1)
    try:
        runs = [pool.submit(simulate, seed, scale) for seed in range(options.start, options.start + options.seeds)]
        for run in runs:
            report = run.result()
            _add(total, report)
            print(
                f"seed {report.seed}: {report.table_hours:.1f} table-hours, {sum(report.faults.values())} faults, "
                f"digest {report.digest:08x}",
                flush=True,
            )
            if report.violation is not None:
                _tell(total, time.perf_counter() - began)
                print(f"VIOLATION in seed {report.seed} at {report.at_s:.3f} s: {report.violation!r}")
                print(f"again by: make dst SEEDS=1 START={report.seed}")
                return 1
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    _tell(total, time.perf_counter() - began)
    print("no violation")
    return 0


def _add(total: Report, report: Report) -> None:
    total.table_hours += report.table_hours
    total.faults.update(report.faults)
    total.checked.update(report.checked)


def _tell(total: Report, seconds: float) -> None:
    print(f"\n{total.table_hours:.1f} table-hours simulated in {seconds:.0f} s")
    for title, counts in (("faults injected", total.faults), ("checked", total.checked)):
        print(f"{title}:")
        for name, count in Counter(counts).most_common():
            print(f"  {count:>10,} {name}")


if __name__ == "__main__":
    sys.exit(main())
