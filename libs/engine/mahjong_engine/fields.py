"""Typed reading of JSON values: scoring cases and hand records."""

import reprlib
from collections.abc import Callable
from typing import TypeVar

from mahjong_engine.tile import TILES, MalformedTileError, Tile, parse_tile

_T = TypeVar("_T")


class MalformedError(ValueError):
    """A wrong type or value, or a missing part; the message is for people."""


class Fields:
    """One JSON object. A part that may be left out has a default; null does not stand for it.

    Raises:
        MalformedError: from every method, if the part is not as it should be.
    """

    __slots__ = ("_index", "_list", "_parts")

    def __init__(self, value: object, name: str, index: int | None = None) -> None:
        self._list, self._index = name, index
        if not isinstance(value, dict):
            raise malformed(f"{self._name} is no object: {shown(value)}")
        self._parts: dict[object, object] = value

    @property
    def _name(self) -> str:
        """The object's name for messages; objects of a list have an index."""
        return self._list if self._index is None else f"{self._list}[{self._index}]"

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
        value = self._parts.get(part, default)
        if type(value) is not int or not low <= value <= high:
            value = self.part(part, default)
            raise malformed(f"{self._name}.{part} is no whole number from {low} to {high}: {shown(value)}")
        return value

    def flag(self, part: str, *, default: bool | None = None) -> bool:
        """Reads true or false."""
        value = self._parts.get(part, default)
        if not isinstance(value, bool):
            value = self.part(part, default)
            raise malformed(f"{self._name}.{part} is neither true nor false: {shown(value)}")
        return value

    def text(self, part: str) -> str:
        """Reads a string."""
        value = self._parts.get(part)
        if not isinstance(value, str):
            value = self.part(part)
            raise malformed(f"{self._name}.{part} is no text: {shown(value)}")
        return value

    def tile(self, part: str) -> Tile:
        """Reads a tile code."""
        value = self._parts.get(part)
        tile = TILES.get(value) if isinstance(value, str) else None
        return _tile(self.part(part), f"{self._name}.{part}") if tile is None else tile

    def tiles(self, part: str, *, optional: bool = False) -> tuple[Tile, ...]:
        """Reads a list of tile codes; one that is left out is empty."""
        try:
            return tuple([TILES[code] for code in self.values(part, optional=optional)])  # type: ignore[index]
        except (KeyError, TypeError):  # the slow way says which
            return self.each(part, _tile, optional=optional)

    def each(self, part: str, read: Callable[[object, str], _T], *, optional: bool = False) -> tuple[_T, ...]:
        """Reads a list with a function of each value and its name; one that is left out is empty."""
        values = self.values(part, optional=optional)
        return tuple(read(value, f"{self._name}.{part}[{index}]") for index, value in enumerate(values))

    def values(self, part: str, *, optional: bool = False) -> list[object]:
        """Reads a list of any values; one that is left out is empty."""
        values = self.part(part, [] if optional else None)
        if not isinstance(values, list):
            raise malformed(f"{self._name}.{part} is no list: {shown(values)}")
        return values


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
