"""Runs loadtests/locustfile.py against a running platform, or against one of its own if none runs: `make load`."""

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.kit.stack import running_stack

LIMITS = {"GATEWAY_GUEST_BURST": "10000", "GATEWAY_PUBLIC_BURST": "10000", "GATEWAY_PLAYER_BURST": "1000"}
"""Everyone comes from one address here. All else is as in production, the computers' pace too."""


def main() -> int:
    """Returns locust's exit status: 1 if an answer was wrong or lost."""
    parser = argparse.ArgumentParser(prog="load", description=__doc__)
    parser.add_argument("--address", default="127.0.0.1:8081", help="the gateway's native gRPC port")
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        address = arguments.address
        if not _is_taken(address):
            data = stack.enter_context(tempfile.TemporaryDirectory(prefix="mahjong-load-"))
            address = stack.enter_context(running_stack(Path(data), LIMITS)).grpc
        print(f"{arguments.people} people at {address}, load average {os.getloadavg()[0]:.1f}", flush=True)
        command = [".venv-load/bin/locust", "--headless", "--only-summary", "--loglevel", "WARNING", "-f"]
        command += ["loadtests/locustfile.py", "--host", address, "--users", str(arguments.people)]
        command += ["--spawn-rate", "10", "--run-time", f"{arguments.seconds}s", "--stop-timeout", "1s"]
        paths = os.pathsep.join(("libs/engine", "libs/kit", "libs/cli", "gen/python"))
        return subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, check=False).returncode


def _is_taken(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
