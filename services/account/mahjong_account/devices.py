"""What players call their devices."""

import unicodedata
from typing import Final

from mahjong_kit.errors import invalid_field

LENGTH_MAX: Final = 64


def checked_device_name(text: str) -> str:
    """Returns the name as it is kept.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    name = text.strip()
    if len(name) > LENGTH_MAX:
        raise invalid_field("device_name", f"must have 0-{LENGTH_MAX} characters")
    if any(unicodedata.category(character)[0] == "C" for character in name):
        raise invalid_field("device_name", "has characters that do not print")
    return name
