"""Login names: what an account signs in by. They are never shown to others, so nobody is found or addressed by one."""

import re
from typing import Final

from mahjong_account.errors import login_name_refused

LENGTH_MIN: Final = 3
LENGTH_MAX: Final = 32
_ALLOWED: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")


def checked_login_name(text: str) -> str:
    """Returns the login name as it is kept, in small letters.

    Raises:
        InvalidRequestError: `LOGIN_NAME_REFUSED`; problem `too_short`, `too_long` or `characters`.
    """
    name = text.strip()
    if len(name) < LENGTH_MIN:
        raise login_name_refused("too_short")
    if len(name) > LENGTH_MAX:
        raise login_name_refused("too_long")
    if not name.isascii() or not _ALLOWED.fullmatch(name.lower()):
        raise login_name_refused("characters")
    return name.lower()
