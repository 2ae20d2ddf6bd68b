"""Checks of request fields that services make alike, and enums as the words that stores, records and logs use."""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from mahjong_kit.errors import invalid_field

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper as Enum

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

ValueT = TypeVar("ValueT", bound=int)


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID in its usual form: 36 characters, lower case."""
    return _UUID.fullmatch(text) is not None


def checked_uuid(field: str, text: str) -> str:
    """Returns the text if it is a UUID.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if not is_uuid(text):
        raise invalid_field(field, "no UUID of 36 characters in lower case")
    return text


def checked_word(field: str, enum: "Enum[ValueT]", value: ValueT) -> str:
    """Returns the word of an enum's value that a request states.

    Raises:
        InvalidRequestError: `INVALID_FIELD`: not stated, or not known to this release.
    """
    if value == 0 or value not in enum.values():
        raise invalid_field(field, "not stated" if value == 0 else "not known")
    return word_of(enum, value)


def checked_time(field: str, time: Timestamp | None) -> datetime:
    """Returns a time that a request states, to the microsecond.

    Args:
        field: name of the field.
        time: the field's value, None if it is absent.

    Raises:
        InvalidRequestError: `INVALID_FIELD`: absent, or no time between the years 1970 and 9999.
    """
    if time is None:
        raise invalid_field(field, "not stated")
    try:
        value = time.ToDatetime(UTC)
    except (ValueError, OverflowError):
        value = None
    if value is None or time.seconds < 0:
        raise invalid_field(field, "no time between the years 1970 and 9999")
    return value


def stated_values(enum: "Enum[ValueT]") -> tuple[ValueT, ...]:
    """Returns the values of an enum that a request may state: all but 0."""
    return tuple(value for value in enum.values() if value != 0)


def word_of(enum: "Enum[ValueT]", value: ValueT) -> str:
    """Returns the word of an enum's value: `classical` for RULE_SET_CLASSICAL."""
    return enum.Name(value).removeprefix(_prefix(enum)).lower()


def value_of(enum: "Enum[ValueT]", word: str) -> ValueT:
    """Returns the value of an enum's word: RULE_SET_CLASSICAL for `classical`."""
    return enum.Value(_prefix(enum) + word.upper())


def _prefix(enum: "Enum[ValueT]") -> str:
    return enum.keys()[0].removesuffix("UNSPECIFIED")
