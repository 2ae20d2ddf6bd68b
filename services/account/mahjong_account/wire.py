"""What servicers of accounts share: checks of fields, and messages made of what the service knows."""

from typing import Final

from mahjong_account.profile import Profile, SignedIn
from mahjong_kit.errors import invalid_field
from mahjong_kit.times import timestamp
from mahjongplanet.account.v1 import account_service_pb2 as pb

LOGIN_NAME_LENGTH_MAX: Final = 256
"""Of a login name as somebody typed it; longer ones are refused before they are looked for."""
PASSWORD_LENGTH_MAX: Final = 512
"""Of a password that somebody claims to be right; the same."""


def checked_text(field: str, text: str, most: int) -> str:
    """Returns a text that is neither empty nor too long, and that a database takes.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if not 1 <= len(text) <= most:
        raise invalid_field(field, f"must have 1-{most} characters")
    if "\0" in text:  # PostgreSQL keeps none in a text.
        raise invalid_field(field, "has a NUL character")
    return text


def checked_own_password(password: str) -> str:
    """Returns the password by which players show that an account is theirs; it is empty if the account has none.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    return checked_text("password", password, PASSWORD_LENGTH_MAX) if password else ""


def profile_message(profile: Profile) -> pb.Profile:
    """Returns the message of a profile."""
    return pb.Profile(
        player_id=profile.player_id,
        display_name=profile.display_name,
        is_guest=profile.is_guest,
        is_deleted=profile.is_deleted,
    )


def session_message(signed_in: SignedIn) -> pb.Session:
    """Returns the message of a session with both its tokens."""
    return pb.Session(
        access_token=signed_in.access.text,
        access_expire_time=timestamp(signed_in.access.expires_at * 1000),
        refresh_token=signed_in.refresh_token,
        refresh_expire_time=timestamp(signed_in.refresh_expire_time_ms),
    )
