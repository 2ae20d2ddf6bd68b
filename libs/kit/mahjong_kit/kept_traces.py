"""Which traces are worth their export: a share of all, and all that were slow or failed in this process."""

from collections import OrderedDict
from threading import Lock
from typing import TypeVar

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.trace import StatusCode

STREAM = "mahjongplanet.stream"
"""Attribute of spans that last as long as their stream: how long tells nothing."""

_VERDICTS_MAX = 4_096
_HELD_MAX = 1_024
"""Traces without a verdict."""
_SPANS_MAX = 64
"""Spans of one trace that are held; later ones of it are let go."""
_TRACE_ID_MASK = (1 << 64) - 1

ValueT = TypeVar("ValueT")


class KeptTraces(SpanProcessor):
    """Holds ended spans until the span that began their trace in this process has ended, then passes them on or not.

    The share is drawn by the trace id, so that all services keep the same traces; slow and failed ones are kept as far
    as they were slow or failed where they were served, which on the way out means in every service that waited.
    Spans that end after that follow the verdict. Of traces without one only so many are held, the newest,
    and of each only so many spans.
    """

    def __init__(self, passes_on: SpanProcessor, share: float, slow_ms: float) -> None:
        self._next = passes_on
        self._drawn_below = round(share * (1 << 64))
        self._slow_ns = round(slow_ms * 1e6)
        self._held: OrderedDict[int, list[ReadableSpan]] = OrderedDict()
        self._verdicts: OrderedDict[int, bool] = OrderedDict()
        self._lock = Lock()

    def on_end(self, span: ReadableSpan) -> None:
        """Judges a span that has ended."""
        for kept in self._judge(span):
            self._next.on_end(kept)

    def shutdown(self) -> None:
        """Sends what is kept; what has no verdict yet is let go."""
        self._next.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Sends what is kept so far."""
        return self._next.force_flush(timeout_millis)

    def _judge(self, span: ReadableSpan) -> list[ReadableSpan]:
        assert span.context is not None
        trace_id = span.context.trace_id
        if trace_id & _TRACE_ID_MASK < self._drawn_below:
            return [span]
        with self._lock:
            is_kept = self._verdicts.get(trace_id)
            if is_kept or self._is_notable(span):
                _put(self._verdicts, trace_id, True, _VERDICTS_MAX)  # noqa: FBT003 - the verdict
                return [*self._held.pop(trace_id, ()), span]
            if _begins_here(span):
                _put(self._verdicts, trace_id, False, _VERDICTS_MAX)  # noqa: FBT003 - the verdict
                self._held.pop(trace_id, None)
            elif is_kept is None:
                held = self._held.get(trace_id, [])
                if len(held) < _SPANS_MAX:
                    held.append(span)
                _put(self._held, trace_id, held, _HELD_MAX)
            return []

    def _is_notable(self, span: ReadableSpan) -> bool:
        if span.status.status_code is StatusCode.ERROR:
            return True
        is_stream = STREAM in (span.attributes or {})
        started, ended = span.start_time or 0, span.end_time or 0
        return _begins_here(span) and not is_stream and ended - started >= self._slow_ns


def _begins_here(span: ReadableSpan) -> bool:
    return span.parent is None or span.parent.is_remote


def _put(traces: OrderedDict[int, ValueT], trace_id: int, value: ValueT, limit: int) -> None:
    traces[trace_id] = value
    traces.move_to_end(trace_id)
    if len(traces) > limit:
        traces.popitem(last=False)
