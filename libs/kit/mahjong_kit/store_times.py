"""How long work at a store takes, and how often it fails."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from mahjong_kit.metrics import ServiceMetrics

_KINDS = {"database": ("read", "write"), "redis": ("command", "batch")}


class StoreTimes(Protocol):
    """What a store's client tells of each piece of work."""

    def taking(self, kind: str) -> AbstractContextManager[None]:
        """Times the block; an exception out of it is a failure. `kind` is one of the store's."""


class MeasuredTimes:
    """Counts in the metrics of a service."""

    def __init__(self, metrics: ServiceMetrics, store: str) -> None:
        self._duration_s = metrics.store_duration_s
        self._failures = metrics.store_failures
        self._store = store
        for kind in _KINDS[store]:
            self._failures.labels(store, kind)  # A counter that begins with its first failure has no rate of it.

    @contextmanager
    def taking(self, kind: str) -> Iterator[None]:
        """Times the block."""
        started = time.perf_counter()
        try:
            yield
        except Exception:
            self._failures.labels(self._store, kind).inc()
            raise
        finally:
            self._duration_s.labels(self._store, kind).observe(time.perf_counter() - started)


class _UnmeasuredTimes:
    def taking(self, kind: str) -> AbstractContextManager[None]:
        del kind
        return nullcontext()


def times_of(store: str, metrics: ServiceMetrics | None) -> StoreTimes:
    """Returns what measures a store, or does nothing where there are no metrics."""
    return _UnmeasuredTimes() if metrics is None else MeasuredTimes(metrics, store)
