"""The whole platform, as `mahjong serve` runs it."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mahjong_cli.serve.plan import SERVICES
from tests.kit.processes import clean_environment

START_TIMEOUT_S: Final = 150.0
STOP_TIMEOUT_S: Final = 90.0

AT_ONCE: Final = {
    "TABLE_COMPUTER_MIN_MS": "0",
    "TABLE_COMPUTER_MAX_MS": "0",
    "TABLE_FLOOR_MIN_MS": "0",
    "TABLE_FLOOR_MAX_MS": "0",
    "TABLE_RESULT_WINDOW_MS": "60000",
    "MATCHMAKER_COMPUTER_FILL_S": "8",
    **{f"{service.upper()}_PROBE_PERIOD_S": "0" for service in (*SERVICES, "gateway")},
}
"""Settings with which nobody waits: computers think no time, results wait for the people alone. Computers fill seats
when those who queue together are surely in, also on a busy machine."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Where a running platform is reached, and what it keeps."""

    http: str
    """Address of the page, Connect and gRPC-Web, with its scheme."""
    grpc: str
    """Host and port of native gRPC."""
    data: Path
    """Databases and logs."""


@contextmanager
def running_stack(data: Path, variables: Mapping[str, str], *options: str) -> Iterator[Stack]:
    """Runs every service on free ports until the block ends; what they wrote is in the error if they do not start.

    `options` are further ones of `mahjong serve`.
    """
    errors = data / "serve.log"
    with errors.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mahjong_cli", "serve", "--free-ports", "--json", "--data", str(data), *options],
            env=clean_environment() | dict(variables),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    late = threading.Timer(START_TIMEOUT_S, process.kill)
    late.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        late.cancel()
        assert line, f"mahjong serve did not start:\n{errors.read_text()}"
        addresses = json.loads(line)
        yield Stack(addresses["http"], addresses["grpc"], data)
    finally:
        late.cancel()
        _stop(process)


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        assert process.stdout is not None
        process.stdout.close()
