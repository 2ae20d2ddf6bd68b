"""The errors of the account service, as the kit sends them."""

from mahjong_kit.errors import InvalidRequestError, NotFoundError, NotSignedInError
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
