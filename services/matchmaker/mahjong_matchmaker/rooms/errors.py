"""The errors of rooms."""

from collections.abc import Iterable, Sequence

from mahjong_kit.errors import (
    AlreadyExistsError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    RuleViolationError,
    invalid_field,
)
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


def room_not_found(room_id: str) -> NotFoundError:
    """Returns the error of a room that is not there, or not for the caller to know."""
    return NotFoundError(ErrorReason.ERROR_REASON_ROOM_NOT_FOUND, room_id=room_id)


def invite_not_found() -> NotFoundError:
    """Returns the error of a code or link that was never ours."""
    return NotFoundError(ErrorReason.ERROR_REASON_INVITE_NOT_FOUND)


def invite_expired() -> NotFoundError:
    """Returns the error of a code or link that leads nowhere any more."""
    return NotFoundError(ErrorReason.ERROR_REASON_INVITE_EXPIRED)


def room_full(room_id: str) -> RuleViolationError:
    """Returns the error of a room without an open seat."""
    return RuleViolationError(ErrorReason.ERROR_REASON_ROOM_FULL, room_id=room_id)


def room_not_open(room_id: str, state: str) -> RuleViolationError:
    """Returns the error of a room that is queued or plays."""
    return RuleViolationError(ErrorReason.ERROR_REASON_ROOM_NOT_OPEN, room_id=room_id, state=state)


def already_in_room(room_id: str) -> AlreadyExistsError:
    """Returns the error of a player who is in another room."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_ALREADY_IN_ROOM, room_id=room_id)


def not_in_room(room_id: str) -> ForbiddenError:
    """Returns the error of a player who is not in the room."""
    return ForbiddenError(ErrorReason.ERROR_REASON_NOT_IN_ROOM, room_id=room_id)


def not_the_host(room_id: str) -> ForbiddenError:
    """Returns the error of a player who is in the room but not its host."""
    return ForbiddenError(ErrorReason.ERROR_REASON_NOT_THE_HOST, room_id=room_id)


def room_refused(room_id: str) -> ForbiddenError:
    """Returns the error of a player whom the host does not want."""
    return ForbiddenError(ErrorReason.ERROR_REASON_ROOM_REFUSED, room_id=room_id)


def players_not_ready(room_id: str, player_ids: Iterable[str]) -> RuleViolationError:
    """Returns the error of a start before all are ready."""
    reason = ErrorReason.ERROR_REASON_PLAYERS_NOT_READY
    return RuleViolationError(reason, room_id=room_id, player_ids=",".join(player_ids))


def seats_open(room_id: str, seats: Sequence[int]) -> RuleViolationError:
    """Returns the error of a start with seats that nobody has."""
    open_seats = ",".join(map(str, seats))
    return RuleViolationError(ErrorReason.ERROR_REASON_SEATS_OPEN, room_id=room_id, open_seats=open_seats)


def player_busy(room_id: str, player_ids: Iterable[str]) -> RuleViolationError:
    """Returns the error of a start while people play or queue elsewhere."""
    reason = ErrorReason.ERROR_REASON_PLAYER_BUSY
    return RuleViolationError(reason, room_id=room_id, player_ids=",".join(player_ids))


def seat_taken(room_id: str, seat: int) -> RuleViolationError:
    """Returns the error of a seat that somebody has."""
    return RuleViolationError(ErrorReason.ERROR_REASON_SEAT_TAKEN, room_id=room_id, seat=seat)


def party_too_small(room_id: str) -> RuleViolationError:
    """Returns the error of a party of one."""
    return RuleViolationError(ErrorReason.ERROR_REASON_PARTY_TOO_SMALL, room_id=room_id)


def host_stays() -> InvalidRequestError:
    """Returns the error of a host who would remove themselves."""
    return invalid_field("player_id", "the host cannot be removed")
