"""What everybody may know of an account, and what a player has who signed in."""

from dataclasses import dataclass
from typing import Final

from mahjong_account.models import Account
from mahjong_account.signing import AccessToken

DELETED_NAME: Final = "Deleted player"


@dataclass(frozen=True, slots=True)
class Profile:
    """What everybody may know of an account."""

    player_id: str
    display_name: str
    is_guest: bool
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in player: the profile and both tokens."""

    profile: Profile
    access: AccessToken
    refresh_token: str
    refresh_expire_time_ms: int


def profile_of(account: Account) -> Profile:
    """Returns what everybody may know of an account."""
    return Profile(account.player_id, account.display_name, account.is_guest, account.delete_time_ms is not None)
