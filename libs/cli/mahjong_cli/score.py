"""`mahjong score`: scores cases, one JSON object a line (docs/formats/notation.md, "Scoring case")."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import typer

from mahjong_cli.lines import clean_endings, open_lines, write_line
from mahjong_engine.case import score_case
from mahjong_engine.case_error import CaseError, CaseReason


def score() -> None:
    """Scores the cases on standard input, one JSON object a line, and prints one answer a line, in order.

    A case that is malformed or impossible gets an error with its reason, and the run goes on. The exit status is 1 if
    any case failed.
    """
    failed = False
    with clean_endings(), open_lines() as lines:
        for answer in answers(lines):
            failed |= "error" in answer
            write_line(answer)
    raise typer.Exit(code=int(failed))


def answers(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yields the answer to each line as soon as it has been read; an empty line is a malformed case too."""
    for line in lines:
        try:
            yield score_case(_parse(line))
        except CaseError as error:
            yield {"error": {"reason": error.reason.value, "message": str(error)}}


def _parse(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise CaseError(CaseReason.MALFORMED, f"not JSON: {error}") from error
