"""One fault on a whole platform with two tables, and a checker that must see what is made up."""

from dataclasses import replace

import pytest

from loadtests.faults.checker import check
from loadtests.faults.injections import FAULTS
from loadtests.faults.log import read_log
from loadtests.faults.run import run
from loadtests.faults.transcript import ANSWER, EVENT, read

pytestmark = pytest.mark.timeout(240)
TABLES = 2


def problems(said, logs):
    """Returns all that the checker finds, as one text."""
    return "\n".join(each for finding in check(said, logs).values() for each in finding.violations)


async def test_valkey_wiped_under_play_breaks_no_promise_and_a_broken_promise_would_be_seen(tmp_path):
    valkey = [fault for fault in FAULTS if fault.name == "valkey"]
    calm, wiped = await run(valkey, TABLES, tmp_path)
    assert (calm.violations, wiped.violations) == ([], [])
    assert wiped.acknowledgements > TABLES
    assert len(wiped.pauses_s) == TABLES

    said = list(read(tmp_path / "sqlite.transcript"))
    logs = await read_log(f"sqlite:///{tmp_path / 'table.db'}")
    assert problems(said, logs) == ""
    answers = [one for one in said if one.of == ANSWER]
    answer = max(answers, key=lambda one: one.told_s)
    log = logs[answer.table]
    (line,) = log.by_request[answer.request]

    cut = {**logs, answer.table: replace(log, lines=log.lines[: line.entry.sequence - 1])}
    assert "acknowledged answer was lost" in problems(said, cut)
    assert "shown what the log does not have" in problems(said, cut)

    early = [replace(one, told_s=0.0) if one is answer else one for one in said]
    assert "was reordered" in problems(early, logs)

    changed = [replace(one, body="00") if one is answer else one for one in said]
    assert "promised" in problems(changed, logs)

    doubled = {**logs, answer.table: replace(log, lines=(*log.lines[: line.entry.sequence], line))}
    assert "was doubled" in "\n".join(check([answer], doubled)[answer.fault].violations)

    event = next(one for one in said if one.of == EVENT)
    other = [replace(one, body="00") if one is event else one for one in said]
    assert "the log tells another event" in problems(other, logs)
    assert "does not follow" in problems([one for one in said if one is not event], logs)
