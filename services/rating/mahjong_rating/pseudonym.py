"""Players whose accounts were deleted: other people's ratings rest on them, so somebody must stand in their place."""

import secrets
from typing import Final

_PREFIX: Final = "deleted:"


def new_pseudonym() -> str:
    """Returns a name that is nobody's, as long as an account's id; nothing leads back from it."""
    return _PREFIX + secrets.token_hex(14)


def is_pseudonym(player_id: str) -> bool:
    """Whether the player's account was deleted."""
    return player_id.startswith(_PREFIX)
