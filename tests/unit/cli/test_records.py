"""`mahjong verify` and `mahjong legal`: a line in, a line out, in order, and an exit status."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mahjong_cli.__main__ import app

DATA = Path(__file__).parents[2] / "data" / "hand_records"
CLASSICAL = DATA / "records-classical.jsonl"
GOOD = CLASSICAL.read_bytes().splitlines()[4]


def run(*arguments, text=b""):
    result = CliRunner().invoke(app, arguments, input=text)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def changed(**parts):
    return json.dumps({**json.loads(GOOD), **parts}).encode()


@pytest.mark.parametrize("name", ["classical", "taiwanese"])
def test_verify_accepts_a_file_of_good_records(name):
    assert run("verify", str(DATA / f"records-{name}.jsonl")) == (0, [{"ok": True}] * 12)


def test_verify_reads_standard_input_for_a_hyphen():
    assert run("verify", "-", text=GOOD + b"\n") == (0, [{"ok": True}])
    assert run("verify", "-", text=b"") == (0, [])


def test_verify_goes_on_after_a_record_that_fails_and_exits_with_1():
    record = json.loads(GOOD)
    result = {**record["result"], "winners": [0]}
    decisions = [{**record["decisions"][0], "seat": 3}, *record["decisions"][1:]]
    lines = [changed(wall=[]), GOOD, changed(result=result), changed(decisions=decisions), b"{", b"", GOOD]
    status, verdicts = run("verify", "-", text=b"\n".join(lines))
    assert status == 1
    assert [verdict["ok"] for verdict in verdicts] == [False, True, False, False, False, False, True]
    assert [verdict.get("decision") for verdict in verdicts[:5]] == [None, None, 3, 0, None]
    assert [v["reason"] for v in verdicts if not v["ok"]] == [
        "WRONG_WALL",
        "WRONG_RESULT",
        "NOT_ASKED",
        "MALFORMED",
        "MALFORMED",
    ]
    assert all(set(v) == {"ok", "reason", "decision", "message"} for v in verdicts if not v["ok"])


def test_verify_of_a_file_that_is_not_there_is_a_usage_error():
    assert CliRunner().invoke(app, ["verify", "no-such-file.jsonl"]).exit_code == 2


def test_verify_refuses_what_is_no_text_at_all():
    assert run("verify", "-", text=b"\xff\xfe\x00\n")[1][0]["reason"] == "MALFORMED"
    assert run("verify", "-", text=b"[" * 100_000 + b"\n")[1][0]["reason"] == "MALFORMED"


def test_legal_lists_the_open_decisions_of_a_record_that_stops():
    record = json.loads(GOOD)
    del record["result"]
    record["decisions"] = record["decisions"][:1]
    status, answers = run("legal", text=json.dumps(record).encode())
    assert status == 0
    (asked,) = answers[0]["asked"]
    following = json.loads(GOOD)["decisions"][1]
    assert asked["seat"] == following.pop("seat")
    assert following in asked["answers"]


def test_legal_lists_nobody_when_the_hand_is_over():
    assert run("legal", text=GOOD) == (0, [{"asked": []}])


def test_legal_goes_on_after_a_bad_record_and_exits_with_1():
    status, answers = run("legal", text=b"\n".join([b"null", GOOD, changed(dealer=3)]))
    assert status == 1
    assert [set(answer) for answer in answers] == [{"error"}, {"asked"}, {"error"}]
    assert set(answers[0]["error"]) == {"reason", "message"}
    assert answers[2]["error"]["reason"] == "INCONSISTENT_HEADER"


def test_the_installed_command_verifies_through_a_pipe():
    command = [sys.executable, "-m", "mahjong_cli", "verify", "-"]
    done = subprocess.run(command, input=GOOD, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"ok":true}\n', b"")
