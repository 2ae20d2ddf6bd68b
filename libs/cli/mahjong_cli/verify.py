"""`mahjong verify`: judges hand records, one a line (docs/formats/notation.md, "Programs")."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from mahjong_cli.admin.line import Line, present_operator
from mahjong_cli.lines import clean_endings, open_lines, write_line
from mahjong_cli.record_lines import parse_record
from mahjong_engine.record_header import RecordError
from mahjong_engine.referee import verify_record
from mahjongplanet.replay.v1 import admin_service_pb2 as pb
from mahjongplanet.replay.v1.admin_service_pb2_grpc import AdminServiceStub


def verify(
    file: Annotated[
        Path | None, typer.Argument(help="File of hand records, one JSON object a line; - is standard input.")
    ] = None,
    *,
    match: Annotated[str, typer.Option(help="Judge this stored match instead, as an operator.")] = "",
    address: Annotated[str, typer.Option(help="With --match: the replay service.")] = "127.0.0.1:7005",
    key_file: Annotated[
        Path, typer.Option(envvar="MAHJONG_SERVICE_KEY_FILE", help="With --match: file of the platform's service key.")
    ] = Path("var/service.key"),
) -> None:
    """Judges hand records and prints one line for each, in order; or a whole match that the replay service has stored.

    Checked are the rules, the result, whether the match is over, and the wall's derivation where a record carries it;
    of a match also that its hands follow from each other. The exit status is 1 if anything fails.
    """
    if (file is None) == (not match):
        raise typer.BadParameter("name either a file of records (- is standard input) or a match (--match)")
    failed = False
    with clean_endings():
        for verdict in _of_match(match, address, key_file) if file is None else _of_file(file):
            failed |= not verdict["ok"]
            write_line(verdict)
    raise typer.Exit(code=int(failed))


def _of_file(file: Path) -> Iterator[dict[str, Any]]:
    with open_lines(file) as lines:
        yield from verdicts(lines)


def _of_match(match_id: str, address: str, key_file: Path) -> Iterator[dict[str, Any]]:
    line = Line(address, key_file, present_operator(), stub=AdminServiceStub, command="mahjong verify")
    request = pb.VerifyStoredMatchRequest(match_id=match_id)
    found = line.call(lambda stub: stub.VerifyStoredMatch(request))
    for flaw in found.flaws:
        yield {
            "ok": False,
            "match": match_id,
            "hand": flaw.hand_number if flaw.HasField("hand_number") else None,
            "reason": flaw.reason,
            "decision": flaw.decision if flaw.HasField("decision") else None,
            "message": flaw.message,
        }
    if not found.flaws:
        yield {"ok": True, "match": match_id, "hands": found.hand_count}


def verdicts(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yields the verdict on each line as soon as it has been read; an empty line is a malformed record too."""
    for line in lines:
        try:
            verify_record(parse_record(line))
        except RecordError as error:
            yield {"ok": False, "reason": error.reason.value, "decision": error.decision, "message": str(error)}
        else:
            yield {"ok": True}
