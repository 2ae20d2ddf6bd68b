"""The core's refusals, the engine's and the store's errors as the kit's errors."""

from typing import Final

from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.tile import Seat
from mahjong_kit.errors import (
    AlreadyExistsError,
    ForbiddenError,
    NotFoundError,
    RuleViolationError,
    ServiceError,
    StaleStateError,
    ThrottledError,
    UnavailableError,
    store_unreachable,
)
from mahjong_table.core.refusal import Refusal, RefusedError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

_RULES: Final = {
    Rule.HAND_IS_OVER: ErrorReason.ERROR_REASON_NOT_YOUR_TURN,
    Rule.NOT_YOUR_TURN: ErrorReason.ERROR_REASON_NOT_YOUR_TURN,
    Rule.ALREADY_ANSWERED: ErrorReason.ERROR_REASON_NOT_YOUR_TURN,
    Rule.HAND_IS_LOCKED: ErrorReason.ERROR_REASON_HAND_IS_LOCKED,
    Rule.NOT_READY: ErrorReason.ERROR_REASON_NOT_READY,
    Rule.NOT_A_WIN: ErrorReason.ERROR_REASON_NOT_A_WIN,
}
"""Reasons of their own; every other rule is ILLEGAL_ACTION, but for TILE_NOT_IN_HAND, which names its tile."""

_REFUSALS: Final[dict[Refusal, tuple[type[ServiceError], ErrorReason.ValueType]]] = {
    Refusal.MATCH_OVER: (RuleViolationError, ErrorReason.ERROR_REASON_MATCH_OVER),
    Refusal.DECISION_CLOSED: (StaleStateError, ErrorReason.ERROR_REASON_DECISION_CLOSED),
    Refusal.DECISION_NOT_FOUND: (NotFoundError, ErrorReason.ERROR_REASON_DECISION_NOT_FOUND),
    Refusal.NOT_YOUR_TURN: (RuleViolationError, ErrorReason.ERROR_REASON_NOT_YOUR_TURN),
    Refusal.REQUEST_ID_REUSED: (AlreadyExistsError, ErrorReason.ERROR_REASON_REQUEST_ID_REUSED),
    Refusal.NONCE_CLOSED: (RuleViolationError, ErrorReason.ERROR_REASON_NONCE_CLOSED),
    Refusal.NO_RESULT_OPEN: (RuleViolationError, ErrorReason.ERROR_REASON_NO_RESULT_OPEN),
    Refusal.NOT_A_PRACTICE_TABLE: (RuleViolationError, ErrorReason.ERROR_REASON_ILLEGAL_ACTION),
}

STORE: Final = "database"


def refused(error: RefusedError, table_id: str) -> ServiceError:
    """Returns the error of a command that the core refuses."""
    kind, reason = _REFUSALS[error.refusal]
    variables = {"table_id": table_id} if error.refusal is Refusal.MATCH_OVER else error.variables
    return kind(reason, **variables)


def rule_violation(error: IllegalActionError, seat: Seat, tile: str | None) -> ServiceError:
    """Returns the error of an answer that the rules forbid.

    Args:
        error: what the engine says.
        seat: whose answer it was.
        tile: the one tile that it was about; a meld may lack any of its tiles, so it has none.
    """
    if error.rule is Rule.TILE_NOT_IN_HAND and tile is not None:
        return RuleViolationError(ErrorReason.ERROR_REASON_TILE_NOT_IN_HAND, str(error), seat=seat, tile=tile)
    reason = _RULES.get(error.rule, ErrorReason.ERROR_REASON_ILLEGAL_ACTION)
    return RuleViolationError(reason, str(error), seat=seat)


def match_not_over(match_id: str) -> ServiceError:
    """Returns the error of what is shown only when the match is over."""
    return RuleViolationError(ErrorReason.ERROR_REASON_MATCH_NOT_OVER, match_id=match_id)


def table_not_found(table_id: str) -> ServiceError:
    """Returns the error of a table that never was; for players and services without one, `table_id` is empty."""
    return NotFoundError(ErrorReason.ERROR_REASON_TABLE_NOT_FOUND, table_id=table_id)


def not_seated(table_id: str) -> ServiceError:
    """Returns the error of a player who has no seat at the table."""
    return ForbiddenError(ErrorReason.ERROR_REASON_NOT_SEATED, table_id=table_id)


def match_over(table_id: str) -> ServiceError:
    """Returns the error of a command to a table that has ended."""
    return RuleViolationError(ErrorReason.ERROR_REASON_MATCH_OVER, table_id=table_id)


def seat_taken() -> ServiceError:
    """Returns the error that ends the older of two streams of a player."""
    return StaleStateError(ErrorReason.ERROR_REASON_SEAT_TAKEN_BY_NEWER_CONNECTION)


def table_busy() -> ServiceError:
    """Returns the error of a full mailbox."""
    return ThrottledError(ErrorReason.ERROR_REASON_TABLE_BUSY, retry_after_s=0.25)


def no_capacity(*, retry_after_s: float = 5.0) -> ServiceError:
    """Returns the error of a worker that takes no more tables, or no more at a time."""
    return ThrottledError(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY, retry_after_s=retry_after_s)


def lease_lost() -> ServiceError:
    """Returns the error of a shard that another worker owns now."""
    return StaleStateError(ErrorReason.ERROR_REASON_LEASE_LOST)


def draining() -> ServiceError:
    """Returns the error of a worker that gives its tables away: the same call may be made elsewhere at once."""
    return UnavailableError(ErrorReason.ERROR_REASON_DRAINING, retry_after_s=0.1)


def database_unreachable() -> ServiceError:
    """Returns the error of a database that does not answer; nothing was lost, the same call may be made again."""
    return store_unreachable(STORE)
