"""Typed reading of JSON values: scoring cases and hand records."""

import reprlib
from collections.abc import Callable
from typing import TypeVar

from mahjong_engine.tile import MalformedTileError, Tile, parse_tile

_T = TypeVar("_T")


class MalformedError(ValueError):
    """A wrong type or value, or a missing part; the message is for people."""


class Fields:
    """One JSON object. A part that may be left out has a default; null does not stand for it.

    Raises:
        MalformedError: from every method, if the part is not as it should be.
    """

    def __init__(self, value: object, name: str) -> None:
        if not isinstance(value, dict):
            raise malformed(f"{name} is no object: {shown(value)}")
        self._parts: dict[object, object] = value
        self._name = name

    def __contains__(self, part: str) -> bool:
        return part in self._parts

    def part(self, part: str, default: object = None) -> object:
        """Reads a part of any type; one without a default may not be left out."""
        if part in self._parts:
            return self._parts[part]
        if default is None:
            raise malformed(f"{self._name} has no {part}")
        return default

    def integer(self, part: str, low: int, high: int, default: int | None = None) -> int:
        """Reads a whole number of the range low-high; true and 1.0 are none."""
        value = self.part(part, default)
        if type(value) is not int or not low <= value <= high:
            raise malformed(f"{self._name}.{part} is no whole number from {low} to {high}: {shown(value)}")
        return value

    def flag(self, part: str, *, default: bool | None = None) -> bool:
        """Reads true or false."""
        value = self.part(part, default)
        if not isinstance(value, bool):
            raise malformed(f"{self._name}.{part} is neither true nor false: {shown(value)}")
        return value

    def text(self, part: str) -> str:
        """Reads a string."""
        value = self.part(part)
        if not isinstance(value, str):
            raise malformed(f"{self._name}.{part} is no text: {shown(value)}")
        return value

    def tile(self, part: str) -> Tile:
        """Reads a tile code."""
        return _tile(self.part(part), f"{self._name}.{part}")

    def tiles(self, part: str, *, optional: bool = False) -> tuple[Tile, ...]:
        """Reads a list of tile codes; one that is left out is empty."""
        return self.each(part, _tile, optional=optional)

    def each(self, part: str, read: Callable[[object, str], _T], *, optional: bool = False) -> tuple[_T, ...]:
        """Reads a list with a function of each value and its name; one that is left out is empty."""
        values = self.part(part, [] if optional else None)
        if not isinstance(values, list):
            raise malformed(f"{self._name}.{part} is no list: {shown(values)}")
        return tuple(read(value, f"{self._name}.{part}[{index}]") for index, value in enumerate(values))


def malformed(message: str) -> MalformedError:
    """Returns the error of a wrong type or value, or of a missing part."""
    return MalformedError(message)


def shown(value: object) -> str:
    """Returns a value of any size as a short text for a message, the JSON words as JSON has them."""
    words: dict[str, str] = {"None": "null", "True": "true", "False": "false"}
    text = reprlib.repr(value)
    return words.get(text, text)


def _tile(value: object, name: str) -> Tile:
    try:
        return parse_tile(value)
    except MalformedTileError:
        raise malformed(f"{name} is no tile: {shown(value)}") from None
