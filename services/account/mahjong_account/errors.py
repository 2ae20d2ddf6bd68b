"""The errors of the account service, as the kit sends them."""

from mahjong_kit.errors import (
    AlreadyExistsError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    NotSignedInError,
    RuleViolationError,
    ThrottledError,
)
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason


def name_refused(problem: str) -> InvalidRequestError:
    """Returns the error of a display name that may not be used."""
    return InvalidRequestError(ErrorReason.ERROR_REASON_DISPLAY_NAME_REFUSED, problem=problem)


def account_not_found(player_id: str) -> NotFoundError:
    """Returns the error of an account that does not exist."""
    return NotFoundError(ErrorReason.ERROR_REASON_ACCOUNT_NOT_FOUND, player_id=player_id)


def refresh_token_invalid() -> NotSignedInError:
    """Returns the error of a refresh token that is unknown, expired or revoked."""
    return NotSignedInError(ErrorReason.ERROR_REASON_REFRESH_TOKEN_INVALID)


def refresh_token_reused() -> NotSignedInError:
    """Returns the error of a refresh token that was spent before."""
    return NotSignedInError(ErrorReason.ERROR_REASON_REFRESH_TOKEN_REUSED)


def name_taken() -> AlreadyExistsError:
    """Returns the error of a display name that a registered account has, or one that looks like it."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_DISPLAY_NAME_TAKEN)


def login_name_refused(problem: str) -> InvalidRequestError:
    """Returns the error of a login name that may not be used."""
    return InvalidRequestError(ErrorReason.ERROR_REASON_LOGIN_NAME_REFUSED, problem=problem)


def login_name_taken() -> AlreadyExistsError:
    """Returns the error of a login name that another account has."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_LOGIN_NAME_TAKEN)


def login_name_not_found() -> NotFoundError:
    """Returns the error of a login name that no account has; for operators only."""
    return NotFoundError(ErrorReason.ERROR_REASON_LOGIN_NAME_NOT_FOUND)


def password_refused(problem: str) -> InvalidRequestError:
    """Returns the error of a new password that may not be used."""
    return InvalidRequestError(ErrorReason.ERROR_REASON_PASSWORD_REFUSED, problem=problem)


def password_wrong() -> ForbiddenError:
    """Returns the error of a signed-in player who does not know the account's password."""
    return ForbiddenError(ErrorReason.ERROR_REASON_PASSWORD_WRONG)


def no_password() -> RuleViolationError:
    """Returns the error of an account without a password."""
    return RuleViolationError(ErrorReason.ERROR_REASON_NO_PASSWORD)


def not_a_guest() -> RuleViolationError:
    """Returns the error of an account that is registered already."""
    return RuleViolationError(ErrorReason.ERROR_REASON_NOT_A_GUEST)


def sign_in_refused() -> NotSignedInError:
    """Returns the error of a wrong login name or a wrong password."""
    return NotSignedInError(ErrorReason.ERROR_REASON_SIGN_IN_REFUSED)


def session_not_found(session_id: str) -> NotFoundError:
    """Returns the error of a session that the caller does not have."""
    return NotFoundError(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND, session_id=session_id)


def player_not_found() -> NotFoundError:
    """Returns the error of a display name that no registered player has."""
    return NotFoundError(ErrorReason.ERROR_REASON_PLAYER_NOT_FOUND)


def rate_limited(limit: str, retry_after_s: float) -> ThrottledError:
    """Returns the error of somebody who tries too often."""
    return ThrottledError(ErrorReason.ERROR_REASON_RATE_LIMITED, retry_after_s=retry_after_s, limit=limit)


def signing_key_from_settings() -> RuleViolationError:
    """Returns the error of a rotation while the settings give the key."""
    return RuleViolationError(ErrorReason.ERROR_REASON_SIGNING_KEY_FROM_SETTINGS)


def friend_request_not_found(player_id: str) -> NotFoundError:
    """Returns the error of a request that was never made, or is gone."""
    return NotFoundError(ErrorReason.ERROR_REASON_FRIEND_REQUEST_NOT_FOUND, player_id=player_id)


def already_friends(player_id: str) -> AlreadyExistsError:
    """Returns the error of a request between friends."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_ALREADY_FRIENDS, player_id=player_id)


def player_blocked(player_id: str) -> ForbiddenError:
    """Returns the error of two players of whom one has blocked the other."""
    return ForbiddenError(ErrorReason.ERROR_REASON_PLAYER_BLOCKED, player_id=player_id)


def list_full(name: str, limit: int) -> RuleViolationError:
    """Returns the error of a list without room."""
    return RuleViolationError(ErrorReason.ERROR_REASON_LIST_FULL, list=name, limit=limit)


def openid_not_offered() -> RuleViolationError:
    """Returns the error of a platform without an outside issuer."""
    return RuleViolationError(ErrorReason.ERROR_REASON_OPENID_NOT_OFFERED)


def openid_refused(problem: str) -> NotSignedInError:
    """Returns the error of an answer of the issuer that signs nobody in."""
    return NotSignedInError(ErrorReason.ERROR_REASON_OPENID_REFUSED, problem=problem)


def openid_already_linked() -> AlreadyExistsError:
    """Returns the error of a subject or an account that has another one."""
    return AlreadyExistsError(ErrorReason.ERROR_REASON_OPENID_ALREADY_LINKED)
