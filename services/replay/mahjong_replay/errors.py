"""The errors of the replay service as callers see them."""

from mahjong_kit.errors import (
    AlreadyExistsError,
    DamagedDataError,
    InvalidRequestError,
    NotFoundError,
    RuleViolationError,
    ThrottledError,
    UnavailableError,
)
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


class RecordTooNewError(UnavailableError):
    """A later release stored the record; a replica of that release can read it."""


def match_not_found(match_id: str) -> NotFoundError:
    """Returns the error of a match that does not exist, or is not the caller's: nobody learns which."""
    return NotFoundError(ErrorReason.ERROR_REASON_MATCH_NOT_FOUND, match_id=match_id)


def hand_not_found(match_id: str, hand_number: int) -> NotFoundError:
    """Returns the error of a hand that the match does not have."""
    return NotFoundError(ErrorReason.ERROR_REASON_HAND_NOT_FOUND, match_id=match_id, hand_number=hand_number)


def record_damaged(match_id: str, hand_number: int) -> DamagedDataError:
    """Returns the error of a hand whose stored record cannot be read, or not be played."""
    return DamagedDataError(ErrorReason.ERROR_REASON_RECORD_DAMAGED, match_id=match_id, hand_number=hand_number)


def record_too_new(packing: int) -> RecordTooNewError:
    """Returns the error of a record that only a later release can read: this one is being replaced."""
    return RecordTooNewError(ErrorReason.ERROR_REASON_RECORD_TOO_NEW, packing=packing)


def examiner_busy() -> ThrottledError:
    """Returns the error of a match that cannot be judged now, for too many others are."""
    return ThrottledError(ErrorReason.ERROR_REASON_RATE_LIMITED, retry_after_s=1.0, limit="verifications")


def match_not_over(match_id: str) -> RuleViolationError:
    """Returns the error of a record that would show hidden tiles."""
    return RuleViolationError(ErrorReason.ERROR_REASON_MATCH_NOT_OVER, match_id=match_id)


def report_conflict(match_id: str) -> AlreadyExistsError:
    """Returns the error of a match or hand that was reported before with other content."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_REPORT_CONFLICT, match_id=match_id)


def position_out_of_range(position: int, event_count: int) -> InvalidRequestError:
    """Returns the error of an event that a hand does not have."""
    reason = ErrorReason.ERROR_REASON_POSITION_OUT_OF_RANGE
    return InvalidRequestError(reason, position=position, event_count=event_count)
