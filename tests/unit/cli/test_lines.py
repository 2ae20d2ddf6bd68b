"""Commands for programs end with a status and one clean line, whatever becomes of their input and output."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mahjong_cli.__main__ import app

MAHJONG = Path(sys.executable).with_name("mahjong")
RECORDS = Path(__file__).parents[2] / "data" / "hand_records" / "records-classical.jsonl"
SIMULATE = "simulate --rule-set classical --matches 1 --seed 1 --length one_hand --players random,random,random,random"


def shell(arguments):
    """Runs the command with redirections, as a shell does."""
    command = ["bash", "-o", "pipefail", "-c", f"{MAHJONG} {arguments}"]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("score <&-", b"Error: standard input: is closed\n"),
        ("legal <&-", b"Error: standard input: is closed\n"),
        ("verify - <&-", b"Error: standard input: is closed\n"),
        (f"score <{RECORDS} >&-", b"Error: standard output: is closed\n"),
        (f"legal <{RECORDS} >/dev/full", b"Error: input or output: No space left on device\n"),
        (f"verify {RECORDS} >/dev/full", b"Error: input or output: No space left on device\n"),
        (f"{SIMULATE} >/dev/full", b"Error: input or output: No space left on device\n"),
        (f"{SIMULATE} --export /dev/full", b"Error: input or output: No space left on device\n"),
        ("verify no-such-file", b"Error: no-such-file: No such file or directory\n"),
        ("verify /", b"Error: /: Is a directory\n"),
        ("play --address 127.0.0.1:1 --session /no/such/file", b"No such file or directory\n"),
        ("account --address 127.0.0.1:1 --session / show", b"Error: /: Is a directory\n"),
        (
            "account --address https://127.0.0.1:1 --ca-file no-such-file --session x show",
            b"No such file or directory\n",
        ),
        ("serve --free-ports --data /dev/null/x", b"Error: /dev/null/x: Not a directory\n"),
        (
            "admin --key-file <(head -c 100 /bin/true) workers",
            b"mahjong admin: the service key is no text of at least 32 bytes\n",
        ),
        ("admin --key-file /dev/null workers", b"mahjong admin: the service key is no text of at least 32 bytes\n"),
        ("verify --match x --key-file / ", b"cannot read the service key: [Errno 21] Is a directory: '/'\n"),
    ],
)
def test_what_cannot_be_read_or_written_is_one_line_and_status_2(arguments, message):
    done = shell(arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(message)
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_early_ends_the_command_without_a_word():
    done = shell(f"verify <(for i in $(seq 200); do cat {RECORDS}; done) | head -1")
    assert (done.returncode, done.stdout, done.stderr) == (1, b'{"ok":true}\n', b"")


def test_a_question_is_no_line_of_the_output():
    done = shell("account --address 127.0.0.1:1 --session x sign-in lin <<< secret")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Password" in done.stderr


def test_a_command_without_standard_error_does_without_progress():
    done = shell("duel basic basic --hands 4 2>&-")
    assert (done.returncode, json.loads(done.stdout)["hands"], done.stderr) == (1, 4, b"")


def test_a_seed_may_be_of_any_size():
    seed = str(-(10**30))
    result = CliRunner().invoke(app, [*SIMULATE.replace("--seed 1", f"--seed {seed}").split()])
    assert (result.exit_code, json.loads(result.stdout)["seed"]) == (0, -(10**30))


@pytest.mark.parametrize("hands", ["5", "2", "x"])
def test_duel_refuses_a_number_of_hands_that_cannot_be_dealt_twice(hands):
    result = CliRunner().invoke(app, ["duel", "basic", "basic", "--hands", hands])
    assert (result.exit_code, result.stdout) == (2, "")
