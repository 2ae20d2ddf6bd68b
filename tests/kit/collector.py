"""A collector of traces as services meet one: OTLP over gRPC."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)

from tests.kit.waiting import wait_until

WAIT_S = 60.0


@dataclass(frozen=True)
class TakenSpan:
    """One span as it arrived."""

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    links: tuple[str, ...]
    """Ids of the spans that it is linked to."""
    attributes: dict[str, Any]
    is_failed: bool


class Collector(TraceServiceServicer):
    """Keeps the spans that it is sent."""

    def __init__(self) -> None:
        self.spans: list[TakenSpan] = []
        self.endpoint = ""

    def Export(self, request: pb.ExportTraceServiceRequest, context: object) -> pb.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            service = _values(resource.resource.attributes)["service.name"]
            for scope in resource.scope_spans:
                self.spans.extend(_taken(service, span) for span in scope.spans)
        return pb.ExportTraceServiceResponse()

    def named(self, name: str) -> list[TakenSpan]:
        """Returns the spans of a name, in the order in which they came."""
        return [span for span in self.spans if span.name == name]

    def until(self, met: Callable[[], Any]) -> Any:
        """Waits until something is true of what has come; returns it."""
        return wait_until(met, WAIT_S, lambda: f"only these spans came: {sorted({s.name for s in self.spans})}")


@contextmanager
def open_collector() -> Iterator[Collector]:
    """Gives a collector that listens on a free port."""
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(2))
    add_TraceServiceServicer_to_server(collector, server)
    collector.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(None).wait()


def _taken(service: str, span: Any) -> TakenSpan:
    return TakenSpan(
        service,
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        tuple(link.span_id.hex() for link in span.links),
        _values(span.attributes),
        span.status.code == span.status.STATUS_CODE_ERROR,
    )


def _values(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}
