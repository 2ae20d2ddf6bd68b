"""Writes docs/api/errors.md from the comments of protos/mahjongplanet/errors/v1/error_reason.proto."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROTO = ROOT / "protos/mahjongplanet/errors/v1/error_reason.proto"
PAGE = ROOT / "docs/api/errors.md"

_ENTRY = re.compile(r"((?: *//.*\n)+) *(ERROR_REASON_\w+) = (\d+);")
_COMMENT = re.compile(r"(?P<code>[A-Z_]+)(?P<retry> with RetryInfo)?: (?P<meaning>.+?)\.? Metadata: (?P<keys>.+)\.")
_NEVER_SENT = "ERROR_REASON_UNSPECIFIED"
_BLOCK_SIZE = 20
_TITLES = (
    "Any call",
    "Signing in",
    "Accounts",
    "Matchmaking",
    "Tables",
    "Actions at a table",
    "Matches, replays, ratings",
    "Load and outages",
)
"""What the numbers of a block are about."""

_HEAD = """\
# Error reasons

Made from `protos/mahjongplanet/errors/v1/error_reason.proto` by `make docs`; do not edit. How an error travels and what
to do about it: [README.md](README.md).

Each error carries one `google.rpc.ErrorInfo` with domain `mahjongplanet`, one of these reasons with `ERROR_REASON_`
before it, and the metadata named. *Retry* means that a `google.rpc.RetryInfo` says when to try again.

"""


@dataclass(frozen=True)
class Reason:
    """One error reason, as its comment describes it."""

    name: str
    number: int
    code: str
    has_retry_info: bool
    meaning: str
    metadata: tuple[str, ...]
    optional_metadata: tuple[str, ...]


def read_reasons(text: str) -> list[Reason]:
    """Returns the reasons of the proto, in its order.

    Raises:
        ValueError: A comment does not say code, meaning and metadata.
    """
    return [_reason(*entry) for entry in _ENTRY.findall(text) if entry[1] != _NEVER_SENT]


def page_of(reasons: list[Reason]) -> str:
    """Returns the page: one table for each block of numbers."""
    blocks = groupby(reasons, key=lambda reason: reason.number // _BLOCK_SIZE)
    return _HEAD + "\n".join(_table(_TITLES[block], rows) for block, rows in blocks)


def _reason(comment: str, name: str, number: str) -> Reason:
    text = " ".join(line.strip().removeprefix("//").strip() for line in comment.splitlines())
    match = _COMMENT.fullmatch(text)
    if match is None:
        raise ValueError(f"{name}: the comment has not the form `CODE: meaning. Metadata: keys.`")
    always, _, sometimes = match["keys"].partition(", and ")
    return Reason(
        name=name.removeprefix("ERROR_REASON_"),
        number=int(number),
        code=match["code"],
        has_retry_info=match["retry"] is not None,
        meaning=match["meaning"],
        metadata=tuple(re.findall(r"`(\w+)`", always)),
        optional_metadata=tuple(re.findall(r"`(\w+)`", sometimes)),
    )


def _table(title: str, reasons: Iterable[Reason]) -> str:
    return "\n".join(
        (f"## {title}\n", "| reason | code | meaning | metadata |", "|---|---|---|---|", *map(_row, reasons), "")
    )


def _row(reason: Reason) -> str:
    keys = [f"`{key}`" for key in reason.metadata] + [f"`{key}` (or absent)" for key in reason.optional_metadata]
    code = f"{reason.code}, retry" if reason.has_retry_info else reason.code
    return f"| `{reason.name}` | {code} | {reason.meaning} | {', '.join(keys) or '–'} |"


if __name__ == "__main__":
    PAGE.write_text(page_of(read_reasons(PROTO.read_text())))
