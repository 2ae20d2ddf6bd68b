"""Metrics of one service: names `mahjong_<service>_<thing>_<unit>`, labels from closed sets."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    disable_created_metrics,
    start_http_server,
)
from prometheus_client.process_collector import ProcessCollector

from mahjong_kit.settings import PortTakenError, ServiceSettings

DURATION_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LAG_TICK_S = 0.25
_LAG_TICKS = 60


class ServiceMetrics:
    """Makes the metrics of one service in a registry of its own, so that services can share a process."""

    def __init__(self, service: str) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._prefix = f"mahjong_{service}"
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.rpcs_handled = self.counter(
            "rpc_handled", "Calls handled, by method, code and reason.", ("rpc", "code", "reason")
        )
        self.rpc_duration_s = self.histogram("rpc_duration_seconds", "How long unary calls took.", ("rpc",))
        self.rpcs_in_flight = self.gauge("rpc_in_flight", "Calls and streams open now.", ("rpc",))
        self.store_duration_s = self.histogram(
            "store_duration_seconds", "How long transactions and commands took, by store.", ("store", "kind")
        )
        self.store_failures = self.counter(
            "store_failures",
            "Transactions and commands that failed, also those that the service expects.",
            ("store", "kind"),
        )
        self.certificate_end_s = self.gauge(
            "certificate_expires_timestamp_seconds",
            "When the certificate ends by which this process calls others; infinite without one.",
        )
        self.certificate_end_s.set(math.inf)
        self.loop_lag_s = self.gauge("loop_lag_seconds", "Longest delay of the event loop in the last 15 s.")

    def counter(self, name: str, text: str, labels: Sequence[str] = ()) -> Counter:
        """Makes a counter; the exposition adds `_total` to its name."""
        return Counter(f"{self._prefix}_{name}", text, labels, registry=self.registry)

    def gauge(self, name: str, text: str, labels: Sequence[str] = ()) -> Gauge:
        """Makes a gauge."""
        return Gauge(f"{self._prefix}_{name}", text, labels, registry=self.registry)

    def histogram(
        self, name: str, text: str, labels: Sequence[str] = (), buckets: Sequence[float] = DURATION_BUCKETS_S
    ) -> Histogram:
        """Makes a histogram; the name ends in its unit."""
        return Histogram(f"{self._prefix}_{name}", text, labels, registry=self.registry, buckets=buckets)


@asynccontextmanager
async def exposed_metrics(metrics: ServiceMetrics, settings: ServiceSettings) -> AsyncIterator[int]:
    """Serves /metrics over HTTP and watches the event loop; gives the port.

    Raises:
        PortTakenError: Another process listens on the port.
    """
    try:
        server, thread = start_http_server(settings.metrics_port, settings.host, metrics.registry)
    except OSError as error:
        raise PortTakenError(settings, "metrics_port") from error
    watcher = asyncio.create_task(_watch_loop(metrics.loop_lag_s))
    try:
        yield server.server_port
    finally:
        watcher.cancel()
        with suppress(asyncio.CancelledError):
            await watcher
        server.shutdown()
        server.server_close()
        thread.join()


async def _watch_loop(lag: Gauge) -> None:
    loop = asyncio.get_running_loop()
    lags = deque([0.0], maxlen=_LAG_TICKS)
    while True:
        expected = loop.time() + _LAG_TICK_S
        await asyncio.sleep(_LAG_TICK_S)
        lags.append(max(loop.time() - expected, 0.0))
        lag.set(max(lags))
