"""The call that is served now: who called, its request id and how long it may take."""

import asyncio
import re
import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import grpc

from mahjong_kit.errors import ServiceError

REQUEST_ID_KEY = "x-request-id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")

_request_id: ContextVar[str] = ContextVar("request_id", default="")
_deadline: ContextVar["Deadline | None"] = ContextVar("deadline", default=None)


class Deadline:
    """When a call must be answered; counts until the call is over, also in tasks that outlive it."""

    def __init__(self, limit_s: float) -> None:
        self._at: float | None = asyncio.get_running_loop().time() + limit_s

    def __enter__(self) -> None:
        _deadline.set(self)

    def __exit__(self, *_: object) -> None:
        self._at = None

    def left_s(self) -> float | None:
        """Returns how many seconds are left, or None if the call is over."""
        return None if self._at is None else max(self._at - asyncio.get_running_loop().time(), 0.0)


@dataclass(slots=True)
class Call:
    """One call on its way through the interceptors."""

    rpc: str
    """Service and method, such as `TableService/SubmitAction`."""
    request: Any
    """The message as bytes, until the handler has decoded it."""
    context: Any
    """The context of gRPC."""
    metadata: Mapping[str, str | bytes]
    is_stream: bool = field(kw_only=True)
    request_id: str = ""
    code: grpc.StatusCode = grpc.StatusCode.OK
    """How the call ended; set by the errors layer."""
    reason: str = ""
    trace_id: str = ""
    """Id of its trace, if it is traced."""
    error: ServiceError | None = None
    """What the caller is told when all layers are through."""

    def tell(self, error: ServiceError) -> None:
        """Ends the call by this error."""
        self.code, self.reason, self.error = error.code, error.reason, error


def current_request_id() -> str:
    """Returns the id of the call that is served now, or an empty text outside of calls."""
    return _request_id.get()


def adopt_request_id(proposed: object) -> str:
    """Makes the proposed id the current one, or a new one if it is no sensible id."""
    request_id = proposed if isinstance(proposed, str) and _REQUEST_ID.fullmatch(proposed) else uuid.uuid4().hex
    _request_id.set(request_id)
    return request_id


def time_left_s() -> float | None:
    """Returns how many seconds the call that is served now still has, or None if it has no deadline."""
    deadline = _deadline.get()
    return None if deadline is None else deadline.left_s()
