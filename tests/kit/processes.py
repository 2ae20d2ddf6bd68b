"""Real service processes."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 60.0


class ServiceProcess:
    """One service, started as the supervisor starts it; its log is read line by line."""

    def __init__(
        self, service: str, environment: Mapping[str, str], log: Path | None = None, command: Sequence[str] = ()
    ) -> None:
        self.service = service
        self._log = log
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            command or [sys.executable, "-m", f"mahjong_{service}"],
            env=clean_environment() | dict(environment),
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    def wait_for(self, event: str, timeout_s: float = START_TIMEOUT_S) -> dict[str, Any]:
        """Returns the next line of the log with this event; raises what the process said if it ends before."""
        while (line := self._lines.get(timeout=timeout_s)) is not None:
            entry: dict[str, Any] = json.loads(line)
            if entry["event"] == event:
                return entry
        raise AssertionError(f"{self.service} ended with {self._process.wait()} before {event}: {self.errors()}")

    def said(self, event: str) -> list[dict[str, Any]]:
        """Returns the lines of the log with this event that were not read yet, of a process that has ended."""
        self._reader.join()
        lines = [json.loads(line) for line in iter(self._lines.get_nowait, None)]
        return [entry for entry in lines if entry["event"] == event]

    def started(self) -> str:
        """Waits until the service serves; returns its address."""
        return f"127.0.0.1:{self.wait_for('service.started')['port']}"

    def errors(self) -> str:
        """Returns what an ended process wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def kill(self) -> None:
        """Ends the process at once, as a crash does."""
        self._process.kill()
        self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Sends the process a signal."""
        self._process.send_signal(number)

    def ended(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Waits until the process has ended; returns its exit status."""
        return self._process.wait(timeout_s)

    def stop(self) -> int:
        """Ends the process in order; returns its exit status."""
        self.send(signal.SIGTERM)
        return self.ended()

    def close(self) -> None:
        """Makes sure that the process has ended."""
        if self._process.poll() is None:
            self.kill()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
            if self._log is not None:
                with self._log.open("a") as file:
                    file.write(line)
        self._lines.put(None)


@contextmanager
def service_process(service: str, *, log: Path | None = None, **settings: object) -> Iterator[ServiceProcess]:
    """Starts a service with settings such as `database_dsn=…`, on free ports unless they say otherwise.

    Args:
        service: its name.
        log: a file to which its log is added as well.
        settings: the service's.
    """
    process = ServiceProcess(service, environment_of(service, **settings), log)
    try:
        yield process
    finally:
        process.close()


def environment_of(service: str, **settings: object) -> dict[str, str]:
    """Returns the variables of a service's settings."""
    fields = {"port": 0, "metrics_port": 0, "probe_period_s": 0, "drain_grace_s": 2} | settings
    return {f"{service}_{name}".upper(): str(value) for name, value in fields.items()}


def clean_environment() -> dict[str, str]:
    """Returns this process's environment without variables that set up a service."""
    prefixes = ("MAHJONG_", "ACCOUNT_", "GATEWAY_", "MATCHMAKER_", "TABLE_", "RATING_", "REPLAY_")
    return {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
