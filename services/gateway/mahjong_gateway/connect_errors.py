"""Errors as the Connect library wants them: with the same code, text and details as on gRPC."""

import asyncio
from typing import Any, Final

import grpc
from connectrpc.code import Code
from connectrpc.errors import ConnectError, ErrorDetail
from google.protobuf import any_pb2, json_format
from google.rpc import error_details_pb2
from protobuf.wkt import Any as WireAny
from protobuf.wkt import Struct

from mahjong_kit.call import current_request_id
from mahjong_kit.errors import (
    DeadlineError,
    InvalidRequestError,
    MessageTooLargeError,
    ServiceError,
    error_status,
    internal_error,
    invalid_field,
)
from mahjong_kit.log import get_logger
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

_CODES: Final = {
    grpc.StatusCode.CANCELLED: Code.CANCELED,
    **{code: Code(code.value[1].replace(" ", "_")) for code in grpc.StatusCode if code.value[0] > 1},
}
_UNKNOWN_COMPRESSION: Final = "unknown compression"

_log = get_logger()


def connect_error(error: ServiceError, trace_id: str = "") -> ConnectError:
    """Returns the error for the Connect library."""
    details = [_ReadableDetail(detail) for detail in error_status(error, trace_id).details]
    return ConnectError(_CODES[error.code], error.message, details)


class _ReadableDetail(ErrorDetail):
    """A detail that JSON shows to people too, under `debug`, beside the bytes that programs read."""

    def __init__(self, detail: any_pb2.Any) -> None:
        super().__init__(WireAny(type_url=detail.type_url, value=detail.value))
        self._detail = detail

    def value(self, *_: object) -> Any:
        """Returns the detail as a JSON object."""
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.RetryInfo, error_details_pb2.RequestInfo):
            message = kind()
            if self._detail.Unpack(message):
                return Struct.from_json(json_format.MessageToJson(message))
        return None


class ErrorReasons:
    """Gives every error a reason, also those that the Connect library finds before a handler is called.

    An interceptor of that library; its messages would tell exceptions' texts.
    """

    def __init__(self, message_bytes_max: int) -> None:
        self._message_bytes_max = message_bytes_max

    async def on_start(self, ctx: object) -> None:
        """Has nothing to do."""

    async def on_end(self, token: None, ctx: object, error: Exception | None) -> None:
        """Raises the error that is told instead, if there is one."""
        del token, ctx
        if error is None or (isinstance(error, ConnectError) and (error.details or error.code is Code.CANCELED)):
            return
        raise connect_error(self._told(error)) from error

    def _told(self, error: Exception) -> ServiceError:
        code = error.code if isinstance(error, ConnectError) else None
        if code is Code.DEADLINE_EXCEEDED or isinstance(error, asyncio.TimeoutError):
            return DeadlineError(ErrorReason.ERROR_REASON_DEADLINE_EXCEEDED)
        if code is Code.RESOURCE_EXHAUSTED:
            reason = ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE
            return MessageTooLargeError(reason, limit_bytes=self._message_bytes_max)
        if code is Code.UNIMPLEMENTED and str(error).startswith(_UNKNOWN_COMPRESSION):
            return invalid_field("content-encoding", "only gzip and identity are known")
        if code in {Code.INVALID_ARGUMENT, Code.UNIMPLEMENTED, Code.INTERNAL}:
            # What the library says of envelopes, compression and the number of messages.
            return InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_MESSAGE)
        _log.error("request.failed", exc_info=error)
        return internal_error(current_request_id())
