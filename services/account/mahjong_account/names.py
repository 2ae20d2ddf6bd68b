"""Display names: which may be used, and those that the server chooses."""

import secrets
import unicodedata

from mahjong_account.errors import name_refused

NAME_LENGTH_MAX = 24
_RAW_LENGTH_MAX = 256
"""Longer texts are refused before they are looked at."""
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format, surrogate, private, unassigned; line and paragraph separators."""
_VISIBLE = frozenset("LNPS")
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show as nothing."""

_FIRST_WORDS = (
    "Amber", "Brave", "Calm", "Clever", "Crimson", "Gentle", "Golden", "Happy", "Jade", "Lucky", "Merry", "Misty",
    "Noble", "Quiet", "Rapid", "Silver", "Snowy", "Sunny", "Swift", "Wise",
)  # fmt: skip
_SECOND_WORDS = (
    "Badger", "Bamboo", "Carp", "Crane", "Dragon", "Falcon", "Fox", "Heron", "Lotus", "Magpie", "Maple", "Orchid",
    "Otter", "Panda", "Phoenix", "Plum", "Sparrow", "Tiger", "Turtle", "Willow",
)  # fmt: skip


def checked_name(text: str) -> str:
    """Returns the name as it is kept: composed (NFC), without space around it.

    Raises:
        InvalidRequestError: `DISPLAY_NAME_REFUSED`; problem `empty`, `too_long`, `unprintable` or `blank`.
    """
    if len(text) > _RAW_LENGTH_MAX:
        raise name_refused("too_long")
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise name_refused("empty")
    if len(name) > NAME_LENGTH_MAX:
        raise name_refused("too_long")
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name):
        raise name_refused("unprintable")
    if not any(unicodedata.category(character)[0] in _VISIBLE for character in name if character not in _FILLERS):
        raise name_refused("blank")
    return name


def chosen_name() -> str:
    """Returns a name for a guest who gave none, such as `Lucky Sparrow 4821`."""
    return f"{secrets.choice(_FIRST_WORDS)} {secrets.choice(_SECOND_WORDS)} {secrets.randbelow(9000) + 1000}"
