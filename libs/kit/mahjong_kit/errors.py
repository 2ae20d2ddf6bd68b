"""The errors that a service raises and the status that the wire carries for them."""

from typing import Any, TypeVar

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

DetailT = TypeVar("DetailT", bound=Any)

DOMAIN = "mahjongplanet"
STATUS_KEY = "grpc-status-details-bin"
"""Metadata key under which gRPC carries a google.rpc.Status."""
_REASON_PREFIX = "ERROR_REASON_"


class ServiceError(Exception):
    """An error that the caller is told about: one gRPC code, one reason, every variable part in the metadata."""

    code: grpc.StatusCode
    retry_after_s: float | None = None
    """How long the caller shall wait before it tries again, where trying again makes sense."""

    def __init__(self, reason: ErrorReason.ValueType, message: str = "", **metadata: object) -> None:
        self.reason = ErrorReason.Name(reason)
        self.message = message or self.reason.removeprefix(_REASON_PREFIX).replace("_", " ").lower()
        self.metadata = {key: str(value) for key, value in metadata.items()}
        super().__init__(self.message)


class InvalidRequestError(ServiceError):
    """The request is wrong whatever the state; the caller fixes it."""

    code = grpc.StatusCode.INVALID_ARGUMENT


class NotSignedInError(ServiceError):
    """Nobody known calls; the caller signs in again."""

    code = grpc.StatusCode.UNAUTHENTICATED


class ForbiddenError(ServiceError):
    """The caller may not do this; it gives up."""

    code = grpc.StatusCode.PERMISSION_DENIED


class NotFoundError(ServiceError):
    """There is no such thing; the caller gives up."""

    code = grpc.StatusCode.NOT_FOUND


class AlreadyExistsError(ServiceError):
    """There is one already; the caller uses it."""

    code = grpc.StatusCode.ALREADY_EXISTS


class RuleViolationError(ServiceError):
    """The rules forbid this now; the caller makes another move."""

    code = grpc.StatusCode.FAILED_PRECONDITION


class StaleStateError(ServiceError):
    """The caller decided on an old state; it reads again, then decides."""

    code = grpc.StatusCode.ABORTED


class _RetryableError(ServiceError):
    def __init__(
        self, reason: ErrorReason.ValueType, message: str = "", *, retry_after_s: float = 1.0, **metadata: object
    ) -> None:
        super().__init__(reason, message, **metadata)
        self.retry_after_s = retry_after_s


class ThrottledError(_RetryableError):
    """Too much is asked for; the caller waits as told. Carries RetryInfo."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED


class UnavailableError(_RetryableError):
    """Not now; the caller tries again with backoff if the call is idempotent. Carries RetryInfo."""

    code = grpc.StatusCode.UNAVAILABLE


class MessageTooLargeError(ServiceError):
    """A message exceeds a limit; raised by the kit and the gateway."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED


class UnknownMethodError(ServiceError):
    """There is no such method here; raised by the kit and the gateway."""

    code = grpc.StatusCode.UNIMPLEMENTED


class DeadlineError(ServiceError):
    """The time for the call is over; raised by the kit and the gateway."""

    code = grpc.StatusCode.DEADLINE_EXCEEDED


class DamagedDataError(ServiceError):
    """What is stored cannot be used, and will not heal; the caller gives up, operators look after it."""

    code = grpc.StatusCode.DATA_LOSS


class InternalError(ServiceError):
    """A fault of ours, its text withheld; made by the kit from any other exception."""

    code = grpc.StatusCode.INTERNAL


def internal_error(request_id: str) -> InternalError:
    """Returns what the caller may know of a fault of ours."""
    return InternalError(ErrorReason.ERROR_REASON_INTERNAL, "internal error", request_id=request_id)


def invalid_field(field: str, problem: str) -> InvalidRequestError:
    """Returns the error of a field that is missing, too long or out of range."""
    reason = ErrorReason.ERROR_REASON_INVALID_FIELD
    return InvalidRequestError(reason, f"{field}: {problem}", field=field, problem=problem)


def service_unreachable(service: str) -> UnavailableError:
    """Returns the error of a service behind this one that does not answer."""
    return UnavailableError(ErrorReason.ERROR_REASON_SERVICE_UNREACHABLE, service=service)


def store_unreachable(store: str, retry_after_s: float = 1.0) -> UnavailableError:
    """Returns the error of a store that does not answer."""
    return UnavailableError(ErrorReason.ERROR_REASON_STORE_UNREACHABLE, retry_after_s=retry_after_s, store=store)


def error_status(error: ServiceError, trace_id: str = "") -> status_pb2.Status:
    """Returns the status with exactly one ErrorInfo, and RetryInfo where the caller shall try again.

    Where the call is traced there is a RequestInfo too; `serving_data` is the trace id.
    """
    details = [_packed(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata))]
    if trace_id:
        details.append(_packed(error_details_pb2.RequestInfo(serving_data=trace_id)))
    if error.retry_after_s is not None:
        delay = duration_pb2.Duration()
        delay.FromMilliseconds(round(error.retry_after_s * 1000))
        details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
    return status_pb2.Status(code=error.code.value[0], message=error.message, details=details)


def error_info(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo | None:
    """Returns the ErrorInfo of a failed outgoing call, if it carries one."""
    return _detail(error, error_details_pb2.ErrorInfo())


def retry_after_s(error: grpc.aio.AioRpcError) -> float | None:
    """Returns the RetryInfo of a failed outgoing call in seconds, if it carries one."""
    info = _detail(error, error_details_pb2.RetryInfo())
    return None if info is None else float(info.retry_delay.ToTimedelta().total_seconds())


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """Returns the reason of a failed outgoing call, or an empty text where the transport failed it."""
    info = error_info(error)
    return "" if info is None else info.reason


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _detail(error: grpc.aio.AioRpcError, detail: DetailT) -> DetailT | None:
    status = status_pb2.Status()
    status.ParseFromString(dict(error.trailing_metadata() or ()).get(STATUS_KEY, b""))
    return next((detail for packed in status.details if packed.Unpack(detail)), None)
