"""`mahjong verify`: judges hand records, one a line (docs/formats/notation.md, "Programs")."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from mahjong_cli.lines import clean_endings, open_lines, write_line
from mahjong_cli.record_lines import parse_record
from mahjong_engine.record_header import RecordError
from mahjong_engine.referee import verify_record


def verify(
    file: Annotated[Path, typer.Argument(help="File of hand records, one JSON object a line; - is standard input.")],
) -> None:
    """Judges hand records and prints one line for each, in order.

    Checked are the rules, the result, whether the match is over, and the wall's derivation where a record carries it.
    The exit status is 1 if any record fails.
    """
    failed = False
    with clean_endings(), open_lines(file) as lines:
        for verdict in verdicts(lines):
            failed |= not verdict["ok"]
            write_line(verdict)
    raise typer.Exit(code=int(failed))


def verdicts(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yields the verdict on each line as soon as it has been read; an empty line is a malformed record too."""
    for line in lines:
        try:
            verify_record(parse_record(line))
        except RecordError as error:
            yield {"ok": False, "reason": error.reason.value, "decision": error.decision, "message": str(error)}
        else:
            yield {"ok": True}
