"""The layers that every call passes, outermost first: request id, trace, log, metrics, errors, deadline, auth.

A layer takes the next one and returns a function of the call. They are put around each handler once (`pipeline.py`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import grpc
import structlog
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind

from mahjong_kit import auth, tracing
from mahjong_kit.call import REQUEST_ID_KEY, Call, Deadline, adopt_request_id
from mahjong_kit.errors import (
    DeadlineError,
    ForbiddenError,
    NotSignedInError,
    ServiceError,
    internal_error,
)
from mahjong_kit.kept_traces import STREAM
from mahjong_kit.log import get_logger
from mahjong_kit.metrics import ServiceMetrics
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.options.v1 import options_pb2

Handler = Callable[[Call], Awaitable[Any]]
Layer = Callable[[Handler], Handler]
Translator = Callable[[Exception], ServiceError | None]
"""Turns an exception of a library, such as a lost store, into an error that the caller is told about."""

AUTHORIZATION_KEY = "authorization"
_CALLERS: Mapping[int, type[auth.Player | auth.Service | auth.Operator]] = {
    options_pb2.CALLER_PLAYER: auth.Player,
    options_pb2.CALLER_SERVICE: auth.Service,
    options_pb2.CALLER_OPERATOR: auth.Operator,
}
_CODES = {code.value[0]: code for code in grpc.StatusCode}

_FAULTS = frozenset(
    {
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
"""Codes that mean that the server has failed (OpenTelemetry's conventions for RPC), not that a caller erred."""

_SOON_S = 0.05
"""A caller that leaves so shortly before its deadline leaves because of it."""

_log = get_logger()


def identify_request(proceed: Handler) -> Handler:
    """Gives the call the caller's request id, or a new one, and tells it back in the trailing metadata."""

    async def run(call: Call) -> Any:
        call.request_id = adopt_request_id(call.metadata.get(REQUEST_ID_KEY))
        structlog.contextvars.bind_contextvars(request_id=call.request_id)
        call.context.set_trailing_metadata(((REQUEST_ID_KEY, call.request_id),))
        return await proceed(call)

    return run


def trace_calls(*, joins: bool) -> Layer:
    """Makes a span of each call, whose trace id is in its log lines.

    Args:
        joins: Whether the trace goes on that the caller names; what comes from outside always begins one.
    """

    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            if not tracing.is_on():
                return await proceed(call)
            parent = tracing.joined(call.metadata) if joins else Context()
            with tracing.span(call.rpc, SpanKind.SERVER, parent, attributes=_attributes(call)) as span:
                call.trace_id = tracing.current_trace_id()
                structlog.contextvars.bind_contextvars(trace_id=call.trace_id)
                try:
                    return await proceed(call)
                finally:
                    span.set_attribute("rpc.response.status_code", call.code.name)
                    if call.code in _FAULTS:
                        tracing.fail(span, call.reason or call.code.name)

        return run

    return layer


def log_call(proceed: Handler) -> Handler:
    """Writes one line per call."""

    async def run(call: Call) -> Any:
        started = time.perf_counter()
        try:
            return await proceed(call)
        finally:
            duration_ms = round((time.perf_counter() - started) * 1000, 3)
            fields = {"reason": call.reason} if call.reason else {}
            _log.info("call.finished", rpc=call.rpc, code=call.code.name, duration_ms=duration_ms, **fields)

    return run


def measure_calls(metrics: ServiceMetrics) -> Layer:
    """Counts calls by method, code and reason and times them."""

    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            started = time.perf_counter()
            metrics.rpcs_in_flight.labels(call.rpc).inc()
            try:
                return await proceed(call)
            finally:
                metrics.rpcs_in_flight.labels(call.rpc).dec()
                if not call.is_stream:
                    metrics.rpc_duration_s.labels(call.rpc).observe(time.perf_counter() - started)
                metrics.rpcs_handled.labels(call.rpc, call.code.name, call.reason).inc()

        return run

    return layer


def tell_errors(translators: Sequence[Translator]) -> Layer:
    """Turns what the handler raises into what the caller is told; unknown exceptions are logged and withheld.

    It is sent when all layers are through (`pipeline.py`): who sees the status finds the log and the metrics complete.
    """

    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            try:
                return await proceed(call)
            except grpc.aio.AbortError:
                call.code = _CODES[int(call.context.code())]
                raise
            except asyncio.CancelledError:
                remaining_s = call.context.time_remaining()
                timed_out = remaining_s is not None and remaining_s < _SOON_S
                call.code = grpc.StatusCode.DEADLINE_EXCEEDED if timed_out else grpc.StatusCode.CANCELLED
                raise
            except ServiceError as error:
                call.tell(error)
            except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets a status and the log a traceback
                call.tell(_translated(error, call, translators))

        return run

    return layer


def limit_time_to(call_timeout_s: float) -> Layer:
    """Ends unary calls at the caller's deadline or at ours, whichever comes first; streams only at the caller's."""

    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            limit_s = call.context.time_remaining()
            if not call.is_stream:
                limit_s = call_timeout_s if limit_s is None else min(call_timeout_s, limit_s)
            if limit_s is None:
                return await proceed(call)
            try:
                with Deadline(limit_s):
                    async with asyncio.timeout(limit_s) as timeout:
                        return await proceed(call)
            except TimeoutError as error:
                if timeout.expired():
                    raise DeadlineError(ErrorReason.ERROR_REASON_DEADLINE_EXCEEDED) from error
                raise

        return run

    return layer


def admit_caller(caller: int, authenticator: auth.Authenticator) -> Layer:
    """Lets only those in for whom the method is (its option `caller`); a method without the option is for nobody."""
    wanted = _CALLERS.get(caller)
    not_allowed = options_pb2.Caller.Name(caller).removeprefix("CALLER_").lower()  # type: ignore[arg-type]

    def layer(proceed: Handler) -> Handler:
        if caller == options_pb2.CALLER_PUBLIC:
            return proceed

        async def run(call: Call) -> Any:
            if wanted is None:
                raise ForbiddenError(ErrorReason.ERROR_REASON_CALLER_NOT_ALLOWED, caller=not_allowed)
            identity = await authenticator.authenticate(_bearer_token(call))
            structlog.contextvars.bind_contextvars(**auth.log_fields(identity))
            if not isinstance(identity, wanted):
                raise ForbiddenError(ErrorReason.ERROR_REASON_CALLER_NOT_ALLOWED, caller=not_allowed)
            auth.adopt_identity(identity)
            return await proceed(call)

        return run

    return layer


def _attributes(call: Call) -> tracing.Attributes:
    names = {"rpc.system.name": "grpc", "rpc.method": call.rpc, "mahjongplanet.request_id": call.request_id}
    return {**names, STREAM: True} if call.is_stream else names


def _bearer_token(call: Call) -> str:
    value = call.metadata.get(AUTHORIZATION_KEY)
    if not isinstance(value, str) or not value:
        raise NotSignedInError(ErrorReason.ERROR_REASON_NOT_SIGNED_IN)
    scheme, _, token = value.partition(" ")
    if scheme.lower() != "bearer":
        raise NotSignedInError(ErrorReason.ERROR_REASON_TOKEN_INVALID)
    return token.strip()


def _translated(error: Exception, call: Call, translators: Sequence[Translator]) -> ServiceError:
    for translate in translators:
        if (told := translate(error)) is not None:
            _log.warning("call.hindered", rpc=call.rpc, reason=told.reason, problem=repr(error))
            return told
    _log.error("call.failed", rpc=call.rpc, exc_info=error)
    return internal_error(call.request_id)
