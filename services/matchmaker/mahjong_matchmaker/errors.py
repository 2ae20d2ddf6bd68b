"""The errors of the matchmaker."""

from datetime import UTC, datetime

from mahjong_kit.errors import AlreadyExistsError, NotFoundError, ThrottledError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


def ticket_not_found(ticket_id: str) -> NotFoundError:
    """Returns the error of a ticket that is not the caller's newest one."""
    return NotFoundError(ErrorReason.ERROR_REASON_TICKET_NOT_FOUND, ticket_id=ticket_id)


def ticket_already_queued(ticket_id: str) -> AlreadyExistsError:
    """Returns the error of a player who has a live ticket."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_TICKET_ALREADY_QUEUED, ticket_id=ticket_id)


def request_id_reused(request_id: str) -> AlreadyExistsError:
    """Returns the error of a request id that comes again with other terms."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_REQUEST_ID_REUSED, request_id=request_id)


def already_seated(table_id: str) -> AlreadyExistsError:
    """Returns the error of a player who sits at a live table."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_ALREADY_SEATED, table_id=table_id)


def cooling_down(end_ms: int, now_ms: int) -> ThrottledError:
    """Returns the error of a player who did not come to rated tables of late."""
    end_time = datetime.fromtimestamp(end_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    reason = ErrorReason.ERROR_REASON_COOLING_DOWN
    return ThrottledError(reason, retry_after_s=(end_ms - now_ms) / 1000, end_time=end_time)
