"""Traces by OpenTelemetry: spans of calls and of the steps behind them, exported by OTLP where an endpoint is set.

Without one nothing is recorded and every function here returns at once.
"""

import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from importlib import metadata

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from mahjong_kit.kept_traces import KeptTraces
from mahjong_kit.settings import ServiceSettings

Attributes = Mapping[str, str | bool | int | float]

TRACEPARENT_KEY = "traceparent"
_SPANS_WAITING_MAX = 16_384
_EXPORT_PERIOD_MS = 1_000
_EXPORT_TIMEOUT_S = 2.0

_propagator = TraceContextTextMapPropagator()
_tracer: Tracer | None = None


@contextmanager
def open_tracing(settings: ServiceSettings, version: str | None = None) -> Iterator[None]:
    """Exports spans until the block ends, then what is left; a collector that is away costs spans, never calls.

    Args:
        settings: where to, and which.
        version: of the service; None reads that of its package.
    """
    global _tracer  # noqa: PLW0603 - one process, one tracer, as there is one logger
    if settings.otlp_endpoint is None:
        yield
        return
    endpoint = str(settings.otlp_endpoint)
    exporter = OTLPSpanExporter(endpoint, insecure=endpoint.startswith("http://"), timeout=_EXPORT_TIMEOUT_S)
    batches = BatchSpanProcessor(exporter, _SPANS_WAITING_MAX, _EXPORT_PERIOD_MS)
    service = {"service.namespace": "mahjongplanet", "service.name": settings.service}
    service["service.version"] = version or metadata.version(f"mahjong-{settings.service}")
    provider = TracerProvider(ALWAYS_ON, Resource.create(service), shutdown_on_exit=False)
    provider.add_span_processor(KeptTraces(batches, settings.trace_share, settings.trace_slow_ms))
    _tracer = provider.get_tracer("mahjong_kit")
    try:
        yield
    finally:
        _tracer = None
        provider.shutdown()


def is_on() -> bool:
    """Whether spans are recorded."""
    return _tracer is not None


def joined(carrier: Mapping[str, str | bytes]) -> Context:
    """Returns the context that a caller's metadata names, or an empty one."""
    return _propagator.extract({TRACEPARENT_KEY: value}) if (value := carrier.get(TRACEPARENT_KEY)) else Context()


def inject(carrier: MutableMapping[str, str]) -> None:
    """Adds what lets a called service join the present trace, if there is one."""
    if _tracer is not None:
        _propagator.inject(carrier)


def current() -> SpanContext | None:
    """Returns the span that is open now."""
    if _tracer is None:
        return None
    context = trace.get_current_span().get_span_context()
    return context if context.is_valid else None


def current_trace_id() -> str:
    """Returns the id of the present trace as 32 hexadecimal digits, or an empty text."""
    return "" if (context := current()) is None else trace.format_trace_id(context.trace_id)


@contextmanager
def span(
    name: str,
    kind: SpanKind = SpanKind.INTERNAL,
    parent: Context | None = None,
    attributes: Attributes | None = None,
) -> Iterator[Span]:
    """Opens a span around the block and makes it the current one.

    Args:
        name: from a closed set, such as `table.commit`.
        kind: what it is to its trace.
        parent: the context that it continues; None means the current one.
        attributes: what else is told; never a tile, a seed or a token.
    """
    tracer = _tracer or trace.NoOpTracer()
    with tracer.start_as_current_span(
        name, parent, kind, attributes, record_exception=False, set_status_on_exception=False
    ) as opened:
        yield opened


def record(
    name: str,
    parent: SpanContext | None,
    started_ns: int,
    *,
    ended_ns: int | None = None,
    links: Sequence[SpanContext] = (),
    problem: str = "",
    attributes: Attributes | None = None,
) -> SpanContext | None:
    """Records a span that is over, for steps that many traces share, such as a commit; returns it.

    Args:
        name: from a closed set.
        parent: the span that it belongs to; None begins a trace of its own.
        started_ns: when it began, `time.time_ns()`.
        ended_ns: when it ended; None is now.
        links: spans of other traces that it has to do with.
        problem: why it failed, from a closed set; an empty text if it didn't.
        attributes: what else is told.
    """
    if _tracer is None:
        return None
    context = Context() if parent is None else trace.set_span_in_context(trace.NonRecordingSpan(parent), Context())
    linked = [Link(each) for each in links]
    done = _tracer.start_span(name, context, SpanKind.INTERNAL, attributes, linked, started_ns)
    if problem:
        fail(done, problem)
    done.end(ended_ns or time.time_ns())
    return done.get_span_context()


def fail(failed: Span, problem: str) -> None:
    """Marks a span as failed."""
    failed.set_attribute("error.type", problem)
    failed.set_status(Status(StatusCode.ERROR, problem))
