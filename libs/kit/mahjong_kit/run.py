"""The process of a service: settings, logs, metrics, event loop, signals, exit status."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import NoReturn

import uvloop

from mahjong_kit.log import configure_logging, get_logger
from mahjong_kit.metrics import ServiceMetrics, exposed_metrics
from mahjong_kit.settings import SettingsT, StartError, load_settings
from mahjong_kit.tls import certificate_end
from mahjong_kit.tracing import open_tracing

CRASHED = 1

_log = get_logger()


class StopSignal:
    """Tells a service that it shall go down."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._is_awaited = False
        self._task: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Returns when the service shall go down."""
        self._is_awaited = True
        await self._asked.wait()

    def ask(self) -> None:
        """Asks the service to go down in order; one that still starts, or is asked again, goes down at once."""
        if self._task is not None and (self._asked.is_set() or not self._is_awaited):
            self._task.cancel()
        self._asked.set()

    async def guard(self, service: Awaitable[None]) -> None:
        """Runs the service until it ends by itself or by SIGTERM or SIGINT."""
        self._task = asyncio.ensure_future(service)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.ask)
        try:
            await self._task
        except asyncio.CancelledError:
            if not self._asked.is_set():
                raise


Serve = Callable[[SettingsT, ServiceMetrics, StopSignal], Awaitable[None]]
"""Opens everything, serves until the signal, closes everything."""


def run(serve: Serve[SettingsT], settings_type: type[SettingsT]) -> NoReturn:
    """Runs a service until SIGTERM or SIGINT and ends the process.

    Exit status: 0 stopped as asked, 1 crashed (the traceback is in the log), 2 a setting is wrong, 3 a port is taken;
    2 and 3 with one line on standard error.
    """
    try:
        settings = load_settings(settings_type)
        configure_logging(settings.service, settings.log_level)
        with open_tracing(settings), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve_until_asked(serve, settings))
    except StartError as error:
        sys.stderr.write(f"mahjong-{settings_type.service}: {error}\n")
        sys.exit(error.exit_status)
    except Exception as error:  # noqa: BLE001 - whatever it is, it goes to the log as a line of JSON
        _log.error("service.crashed", exc_info=error)
        sys.exit(CRASHED)
    sys.exit(0)


async def _serve_until_asked(serve: Serve[SettingsT], settings: SettingsT) -> None:
    metrics = ServiceMetrics(settings.service)
    metrics.certificate_end_s.set(certificate_end(settings))
    stop = StopSignal()
    async with exposed_metrics(metrics, settings):
        await stop.guard(serve(settings, metrics, stop))
