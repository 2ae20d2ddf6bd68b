"""Display names: which may be used, what each of them claims, and those that the server chooses."""

import re
import secrets
import unicodedata
from typing import Final

import regex

from mahjong_account.errors import name_refused
from mahjong_account.skeletons import looks_of

NAME_LENGTH_MAX: Final = 24
"""In grapheme clusters (Unicode Standard Annex 29): what people count as characters."""
CODE_POINTS_MAX: Final = 32
_RAW_LENGTH_MAX: Final = 256
"""Longer texts are refused before they are looked at."""
_MARKS_MAX: Final = 3
"""Marks on one character: enough for pointed Hebrew and Vietnamese, too few to write over other lines."""
_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format, surrogate, private, unassigned; line and paragraph separators."""
_VISIBLE: Final = frozenset("LNPS")
_FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show as nothing."""
_INVISIBLE_MARKS: Final = re.compile(r"[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0e\U000e0100-\U000e01ef]")
"""Joiners and variation selectors, but for the one that makes a symbol an emoji."""
_CLUSTER: Final = regex.compile(r"\X")
_AROUND: Final = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_SPACES: Final = re.compile(r"\s+")

_RESERVED: Final = (
    "Admin", "Administrator", "Anonymous", "Bot", "Computer", "Computers", "Deleted", "Deleted player", "Everybody",
    "Mahjong Planet", "Mahjong Planet Team", "Mod", "Moderator", "Nobody", "Official", "Operator", "Owner", "Root",
    "Server", "Service", "Staff", "Support", "System", "Unknown",
    "Administrateur", "Administrador", "Computador", "Gelöschter Spieler", "Modérateur", "Moderador", "Ordinateur",
    "コンピュータ", "コンピューター", "運営", "管理人", "管理者", "管理員", "系統", "電腦",
)  # fmt: skip
"""Names that would be taken for the platform's own, in the languages of its client; with digits and punctuation too."""

_FIRST_WORDS = (
    "Amber", "Brave", "Calm", "Clever", "Crimson", "Gentle", "Golden", "Happy", "Jade", "Lucky", "Merry", "Misty",
    "Noble", "Quiet", "Rapid", "Silver", "Snowy", "Sunny", "Swift", "Wise",
)  # fmt: skip
_SECOND_WORDS = (
    "Badger", "Bamboo", "Carp", "Crane", "Dragon", "Falcon", "Fox", "Heron", "Lotus", "Magpie", "Maple", "Orchid",
    "Otter", "Panda", "Phoenix", "Plum", "Sparrow", "Tiger", "Turtle", "Willow",
)  # fmt: skip


def checked_name(text: str) -> str:
    """Returns the name as it is kept: composed (NFC), without space around it, with single spaces in it.

    Raises:
        InvalidRequestError: `DISPLAY_NAME_REFUSED`; problem `empty`, `too_long`, `unprintable`, `blank`, `marks` (too
            many on one character) or `reserved`.
    """
    if len(text) > _RAW_LENGTH_MAX:
        raise name_refused("too_long")
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise name_refused("empty")
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name) or _INVISIBLE_MARKS.search(name):
        raise name_refused("unprintable")
    name = _SPACES.sub(" ", name)
    clusters = _CLUSTER.findall(name)
    if any(_mark_count(cluster) > _MARKS_MAX for cluster in clusters):
        raise name_refused("marks")
    if len(clusters) > NAME_LENGTH_MAX or len(name) > CODE_POINTS_MAX:
        raise name_refused("too_long")
    if not any(unicodedata.category(character)[0] in _VISIBLE for character in name if character not in _FILLERS):
        raise name_refused("blank")
    if any(looks_of(text) & _RESERVED_LOOKS for text in (name, _trimmed(name), _letters_of(name))):
        raise name_refused("reserved")
    return name


def chosen_name() -> str:
    """Returns a name for a guest who gave none, such as `Lucky Sparrow 4821`."""
    return f"{secrets.choice(_FIRST_WORDS)} {secrets.choice(_SECOND_WORDS)} {secrets.randbelow(9000) + 1000}"


def _mark_count(cluster: str) -> int:
    return sum(unicodedata.category(character) in {"Mn", "Me"} for character in unicodedata.normalize("NFD", cluster))


def _trimmed(name: str) -> str:
    """Returns a name without digits and punctuation around it."""
    return _AROUND.sub("", name)


def _letters_of(name: str) -> str:
    return "".join(character for character in name if unicodedata.category(character)[0] in "LM")


_RESERVED_LOOKS: Final = frozenset().union(*(looks_of(name) | looks_of(_letters_of(name)) for name in _RESERVED))
