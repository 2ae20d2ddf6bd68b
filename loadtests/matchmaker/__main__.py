"""`make bench-matchmaker`: waves over growing pools, people who come as over a day, a full pool in Valkey."""

import argparse
import asyncio
import os
import platform

from loadtests.matchmaker import arrivals, store, waves


def main() -> None:
    """Runs what is asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=["waves", "arrivals", "store", []], help="all if none is named")
    parser.add_argument("--tickets", type=int, default=100_000, help="the largest pool")
    options = parser.parse_args()
    parts = options.parts or ["waves", "arrivals", "store"]
    load = os.getloadavg()[0]
    print(
        f"python {platform.python_version()}, {os.cpu_count()} cores, load average {load:.1f}, {platform.machine()}\n"
    )
    if "waves" in parts:
        waves.run([size for size in (100, 1_000, 4_000, 10_000, 30_000, 100_000) if size <= options.tickets])
        print()
    if "arrivals" in parts:
        arrivals.run()
        print()
    if "store" in parts:
        asyncio.run(store.run(options.tickets))


if __name__ == "__main__":
    main()
