"""Writes mahjong_account/confusables.txt from the Unicode data that the package confusable-homoglyphs brings.

Run it with that package installed: `pip install confusable-homoglyphs`. A new table gives names new looks: a change
of it needs a revision of the database that claims every name anew.
"""

import json
import unicodedata
from collections import defaultdict
from importlib import metadata, resources
from pathlib import Path

TABLE = Path(__file__).parents[1] / "mahjong_account/confusables.txt"
_HEAD = """\
# Characters that look alike: Unicode Technical Standard 39, confusables.txt. © Unicode, Inc., Unicode License v3
# (https://www.unicode.org/license.txt). Made by scripts/build_confusables.py from confusable-homoglyphs {version}; do
# not edit. A line: what they are taken for, a tab, the characters; without those that NFKC replaces and those that no
# name may have.
"""
_STEPS_MAX = 8
_NEVER_IN_NAMES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def main() -> None:
    """Writes the table."""
    text = resources.files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8")
    alike = {_bare(key): [_bare(entry["c"]) for entry in entries] for key, entries in json.loads(text).items()}
    pairs = [_directed(one, other, alike) for one, others in alike.items() for other in others]
    prototypes = {ord(source): prototype for source, prototype in sorted(pairs) if _is_source(source)}
    sources = defaultdict(set)
    for source, prototype in prototypes.items():
        settled = _settled(prototype, prototypes)
        if settled != chr(source):
            sources[settled].add(chr(source))
    lines = [f"{prototype}\t{''.join(sorted(found))}\n" for prototype, found in sorted(sources.items())]
    TABLE.write_text(_HEAD.format(version=metadata.version("confusable-homoglyphs")) + "".join(lines), encoding="utf-8")


def _bare(text: str) -> str:
    """Returns the text without the direction marks that the data has around letters of right-to-left scripts."""
    return "".join(character for character in text if unicodedata.category(character) != "Cf")


def _directed(one: str, other: str, alike: dict[str, list[str]]) -> tuple[str, str]:
    """Returns which of the two is taken for the other: the data names a prototype once for each of its sources."""
    weight = {text: (len(alike.get(text, ())), text.isascii(), -ord(text[0])) for text in (one, other) if text}
    source, prototype = sorted((one, other), key=lambda text: weight.get(text, (0, False, 0)))
    return source, prototype


def _is_source(text: str) -> bool:
    is_one = len(text) == 1 and unicodedata.category(text) not in _NEVER_IN_NAMES
    return is_one and unicodedata.normalize("NFKD", text) == text


def _settled(prototype: str, prototypes: dict[int, str]) -> str:
    """Returns what is left when all of a prototype that has prototypes itself is replaced by them."""
    for _ in range(_STEPS_MAX):
        replaced = unicodedata.normalize("NFD", unicodedata.normalize("NFD", prototype).translate(prototypes))
        if replaced == prototype:
            return prototype
        prototype = replaced
    raise ValueError(f"{prototype!r} is replaced in a circle")


if __name__ == "__main__":
    main()
