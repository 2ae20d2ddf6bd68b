"""Errors of the services behind this one, told on to the caller."""

import grpc
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from mahjong_kit.call import current_request_id
from mahjong_kit.errors import (
    DOMAIN,
    DeadlineError,
    ServiceError,
    error_info,
    internal_error,
    retry_after_s,
    service_unreachable,
)
from mahjong_kit.log import get_logger
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

_CODES = {code.value[0]: code for code in grpc.StatusCode}

_GONE = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED})
_UNSENT = "Internal error from Core"
"""What grpc.aio tells, as INTERNAL, of a stream of requests when one could not be sent: the connection has gone."""

_log = get_logger()


class ForwardedError(ServiceError):
    """An error of a service behind this one: code, text, reason, metadata and RetryInfo as they came."""

    def __init__(self, code: grpc.StatusCode, message: str, info: ErrorInfo, retry_after_s: float | None) -> None:
        # Not by way of the parent: a newer service may tell reasons that this release does not know.
        Exception.__init__(self, message)
        self.code = code
        self.reason = info.reason
        self.message = message
        self.metadata = dict(info.metadata)
        self.retry_after_s = retry_after_s


def forwarded(error: grpc.aio.AioRpcError, service: str) -> ServiceError:
    """Returns what the caller is told of a failed outgoing call.

    Args:
        error: the failure; one without an ErrorInfo of ours comes from the transport.
        service: name of the service that was called.
    """
    info = error_info(error)
    if info is not None and info.domain == DOMAIN:
        return ForwardedError(error.code(), error.details() or "", info, retry_after_s(error))
    if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
        return DeadlineError(ErrorReason.ERROR_REASON_DEADLINE_EXCEEDED)
    _log.warning("service.missed", callee=service, code=error.code().name, problem=error.details())
    if error.code() in _GONE or error.details() == _UNSENT:
        return service_unreachable(service)
    return internal_error(current_request_id())


def forwarded_status(encoded: bytes) -> ServiceError:
    """Returns what the caller is told of an error that came as a serialised google.rpc.Status, an ErrorInfo within."""
    status = Status.FromString(encoded)
    info, retry = ErrorInfo(), RetryInfo()
    has_info = any([detail.Unpack(info) for detail in status.details])  # noqa: C419 - each is looked at
    has_retry = any([detail.Unpack(retry) for detail in status.details])  # noqa: C419 - as above
    code = _CODES.get(status.code)
    if code is None or not has_info:
        return internal_error(current_request_id())
    retry_s = retry.retry_delay.ToTimedelta().total_seconds() if has_retry else None
    return ForwardedError(code, status.message, info, retry_s)
