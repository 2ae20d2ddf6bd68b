"""`mahjong legal`: the open decisions of hand records that may be unfinished (docs/formats/notation.md, "Programs")."""

from collections.abc import Iterable, Iterator
from typing import Any

import typer

from mahjong_cli.lines import clean_endings, open_lines, write_line
from mahjong_cli.record_lines import parse_record
from mahjong_engine.record_header import RecordError
from mahjong_engine.referee import legal_answers


def legal() -> None:
    """Reads hand records on standard input, one JSON object a line, and prints who is asked what at the end of each.

    A record may stop before its hand does; `asked` has the seats whose answer is open, each with all legal answers. A
    record that cannot stand gets an error with its reason, and the run goes on. The exit status is 1 if any failed.
    """
    failed = False
    with clean_endings(), open_lines() as lines:
        for answer in answers(lines):
            failed |= "error" in answer
            write_line(answer)
    raise typer.Exit(code=int(failed))


def answers(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yields the answer to each line as soon as it has been read; an empty line is a bad record too."""
    for line in lines:
        try:
            yield {"asked": legal_answers(parse_record(line))}
        except RecordError as error:
            yield {"error": {"reason": error.reason.value, "message": str(error)}}
