"""The errors of the rating service as callers see them."""

from mahjong_kit.errors import AlreadyExistsError, NotFoundError, UnavailableError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


def match_not_found(match_id: str) -> NotFoundError:
    """Returns the error of a match that was not reported yet, or is not the caller's: nobody learns which."""
    return NotFoundError(ErrorReason.ERROR_REASON_MATCH_NOT_FOUND, match_id=match_id)


def report_conflict(match_id: str) -> AlreadyExistsError:
    """Returns the error of a match that was reported before with other content."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_REPORT_CONFLICT, match_id=match_id)


def draining() -> UnavailableError:
    """Returns the error of a wait that is cut short because the process goes down."""
    return UnavailableError(ErrorReason.ERROR_REASON_DRAINING)


def season_not_found(season: int) -> NotFoundError:
    """Returns the error of a season that has not begun."""
    return NotFoundError(ErrorReason.ERROR_REASON_SEASON_NOT_FOUND, season=season)
