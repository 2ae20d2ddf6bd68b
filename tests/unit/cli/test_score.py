"""`mahjong score`: a line in, a line out, in order, and an exit status."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mahjong_cli.__main__ import app
from tests.unit.engine.scoring import case_of

GOOD = json.dumps(case_of("classical", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "9d")).encode()
BAD = json.dumps(case_of("classical", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "5d")).encode()


def score(text: bytes) -> tuple[int, list[dict[str, Any]]]:
    result = CliRunner().invoke(app, ["score"], input=text)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_score_answers_each_line_in_order():
    status, answers = score(GOOD + b"\n" + GOOD.replace(b'"live_tiles_left": 30', b'"live_tiles_left": 0') + b"\n")
    assert status == 0
    assert [answer["values"] for answer in answers] == [[0, 20, 0, 0], [0, 40, 0, 0]]
    assert answers[0]["hands"][1]["items"] == [{"award": "winning", "points": 10}, {"award": "all_chows", "doubles": 1}]


def test_score_of_nothing_is_nothing():
    assert score(b"") == (0, [])


def test_score_does_without_a_last_newline():
    assert score(GOOD)[0] == 0


def test_score_goes_on_after_a_case_that_fails_and_exits_with_1():
    status, answers = score(b"\n".join([BAD, GOOD, b"{", GOOD]))
    assert status == 1
    assert [answer.get("error", {}).get("reason") for answer in answers] == ["NOT_A_WIN", None, "MALFORMED", None]
    assert all(set(answer["error"]) == {"reason", "message"} for answer in answers if "error" in answer)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   ",
        b"null",
        b"[]",
        b"1",
        b'"case"',
        b"{}",
        b"{'rule_set': 'classical'}",
        b"NaN",
        b'{"rule_set": "classical", "dealer": NaN}',
        b"\xff\xfe",
        b'{"rule_set": "\xff"}',
        b'{"rule_set": "\\ud800"}',
        b"[" * 100_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"rule_set": "' + b"x" * 3_000_000 + b'"}',
        b'{"dealer": ' + b"9" * 10_000 + b"}",
        GOOD + GOOD,
        GOOD[:-1],
        GOOD.replace(b'"dealer": 0', b'"dealer": 0.0'),
        GOOD.replace(b'"dealer": 0', b'"dealer": false'),
        GOOD.replace(b'"dealer": 0', b'"dealer": 123456789012345678901234567890'),
    ],
    ids=lambda line: repr(line[:40]),
)
def test_score_refuses_a_line_that_is_no_case_as_malformed_and_goes_on(line):
    status, answers = score(line + b"\n" + GOOD + b"\n")
    assert status == 1
    assert answers[0]["error"]["reason"] == "MALFORMED"
    assert len(answers[0]["error"]["message"]) < 300
    assert "values" in answers[1]
    assert len(answers) == 2


def test_score_answers_a_line_before_the_next_one_comes():
    """As a filter in a pipe: each answer is flushed at once."""
    command = [str(Path(sys.executable).with_name("mahjong")), "score"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for _ in range(2):
            process.stdin.write(GOOD + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["values"] == [0, 20, 0, 0]
        process.stdin.close()
        assert process.wait(timeout=30) == 0
