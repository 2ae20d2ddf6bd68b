"""Compares all that players were told with the log, read-only, after every service has stopped.

    python -m loadtests.faults.checker TRANSCRIPT DSN

prints what it found as JSON by fault: `acknowledgements`, `events` and `violations`.
"""

import asyncio
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from loadtests.faults.log import Line, TableLog, read_log
from loadtests.faults.transcript import (
    ACKNOWLEDGEMENTS,
    ANSWER,
    CONFIRMATION,
    EVENT,
    NONCE,
    REFUSED,
    SNAPSHOT,
    Said,
    read,
)
from mahjong_table.core.entry import Answered, NonceGiven, ResultConfirmed
from mahjong_wire.action import action_to_proto


@dataclass
class Finding:
    """What the checker found about one fault."""

    acknowledgements: int = 0
    events: int = 0
    violations: list[str] = field(default_factory=list)


def check(said: Iterable[Said], logs: Mapping[str, TableLog]) -> dict[str, Finding]:
    """Returns the findings by fault; what concerns the log alone stands under the fault `log`."""
    findings: dict[str, Finding] = defaultdict(Finding)
    answers: dict[str, list[Said]] = defaultdict(list)
    reached: dict[tuple[str, str], int] = {}
    for one in said:
        finding = findings[one.fault]
        finding.acknowledgements += one.of in ACKNOWLEDGEMENTS
        finding.events += one.of == EVENT
        log = logs.get(one.table)
        problem = "its table is not in the log" if log is None else _problem(one, log, reached)
        if problem is not None:
            finding.violations.append(f"table {one.table} player {one.player} {one.of} {one.sequence}: {problem}")
        if one.of == ANSWER:
            answers[one.table].append(one)
    for table, log in logs.items():
        for fault, problem in _reordered(answers[table], log):
            findings[fault].violations.append(f"table {table}: {problem}")
        for problem in _incoherent(log):
            findings["log"].violations.append(f"table {table}: {problem}")
    return dict(findings)


def _problem(said: Said, log: TableLog, reached: dict[tuple[str, str], int]) -> str | None:
    """Returns what is wrong with one thing that a player was told."""
    match said.of:
        case "answer":
            return _answer_problem(said, log)
        case "nonce":
            given = NonceGiven(log.seat_of(said.player), bytes.fromhex(said.body))
            return _once(NONCE, [line for line in log.lines if line.entry.what == given])
        case "confirmation":
            seen = ResultConfirmed(log.seat_of(said.player), said.hand)
            return _once(CONFIRMATION, [line for line in log.lines if line.entry.what == seen])
        case "refused":
            return f"{REFUSED}: {said.body}"
    return _stream_problem(said, log, reached)


def _answer_problem(said: Said, log: TableLog) -> str | None:
    found = log.by_request.get(said.request, [])
    if (problem := _once(ANSWER, found)) is not None:
        return problem
    line, what = found[0], found[0].entry.what
    if not isinstance(what, Answered):
        return "the log has something else under its request id"
    promised = (said.player, said.decision, said.sequence, said.body)
    logged = (line.player, what.decision_id, what.stands_at, action_to_proto(what.action).SerializeToString().hex())
    return None if logged == promised else f"promised {promised}, logged {logged}"


def _once(what: str, found: list[Line]) -> str | None:
    if len(found) == 1:
        return None
    return f"acknowledged {what} was lost" if not found else f"acknowledged {what} was doubled"


def _stream_problem(said: Said, log: TableLog, reached: dict[tuple[str, str], int]) -> str | None:
    """Holds a stream to its own numbers, and each event to what the log alone tells."""
    viewer = (said.table, said.player)
    last = reached.get(viewer, 0)
    reached[viewer] = said.sequence
    told = log.events[log.seat_of(said.player)]
    if said.sequence > len(told):
        return "players were shown what the log does not have"
    if said.of == SNAPSHOT:
        return None if said.sequence >= last else f"a snapshot went back from {last}"
    if said.sequence != last + 1:
        return f"an event does not follow on {last}"
    return None if told[said.sequence - 1].hex() == said.body else "the log tells another event"


def _reordered(answers: Iterable[Said], log: TableLog) -> Iterator[tuple[str, str]]:
    """Finds answers that were acknowledged before another was sent, but stand after it in the log."""
    by_request = {one.request: one for one in answers}
    latest_s = 0.0
    for line in log.lines:
        one = by_request.get(line.entry.request_id or "")
        if one is None:
            continue
        if one.told_s < latest_s:
            yield one.fault, f"acknowledged answer {one.request} was reordered"
        latest_s = max(latest_s, one.sent_s)


def _incoherent(log: TableLog) -> Iterator[str]:
    """Finds gaps, decisions that were answered twice, and entries of an old owner after those of a newer one."""
    numbers = [line.entry.sequence for line in log.lines]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "the log has a gap"
    epochs = [line.epoch for line in log.lines]
    if epochs != sorted(epochs):
        yield "an entry of an old owner stands after one of a newer owner"
    answered = Counter(line.entry.what.decision_id for line in log.lines if isinstance(line.entry.what, Answered))
    for decision, count in answered.items():
        if count > 1:
            yield f"decision {decision} was answered {count} times"


def as_json(findings: Mapping[str, Finding]) -> dict[str, Any]:
    """Returns findings as the checker prints them."""
    return {
        fault: {"acknowledgements": f.acknowledgements, "events": f.events, "violations": f.violations}
        for fault, f in findings.items()
    }


async def _main(transcript: Path, dsn: str) -> None:
    findings = check(read(transcript), await read_log(dsn))
    sys.stdout.buffer.write(orjson.dumps(as_json(findings)) + b"\n")


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2]))
