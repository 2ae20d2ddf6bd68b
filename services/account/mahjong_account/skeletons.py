"""What a name looks like: two names that share a look must not belong to two accounts.

By the skeletons of Unicode Technical Standard 39, section 4, made indifferent to case. Case and look do not commute:
`I` looks like `l`, but its small letter `i` does not. A name therefore has two looks, that of the name as it is written
and that of its small letters; `PAUL`, `paul`, `PauI` (a capital i) and `рaul` (a Cyrillic letter) meet in one of them.
"""

import unicodedata
from importlib import resources
from typing import Final

_VARIATION: Final = "\ufe0f"


def looks_of(name: str) -> frozenset[str]:
    """Returns the one or two looks of a name."""
    compatible = unicodedata.normalize("NFKC", name.replace(_VARIATION, ""))
    return frozenset({_folded(skeleton(compatible)), _folded(skeleton(_folded(compatible)))})


def skeleton(text: str) -> str:
    """Returns the text with each character replaced by the one that it is taken for; only to be compared."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).translate(_PROTOTYPES))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text.casefold())


def _read_prototypes() -> dict[int, str]:
    table = resources.files("mahjong_account").joinpath("confusables.txt").read_text(encoding="utf-8")
    lines = [line.split("\t") for line in table.split("\n") if "\t" in line]
    return {ord(source): prototype for prototype, sources in lines for source in sources}


_PROTOTYPES: Final = _read_prototypes()
