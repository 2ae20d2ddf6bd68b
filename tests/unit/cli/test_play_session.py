"""What `mahjong play` keeps, and what it leaves as it was."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from mahjong_cli.__main__ import app

READS_INPUT = "import asyncio; from mahjong_cli.play.person import standard_input; asyncio.run(standard_input())"


@pytest.mark.parametrize("content", ["{bad", "[]", "{}", "null"])
def test_a_file_that_is_no_session_is_told_in_words(tmp_path, content):
    path = tmp_path / "session.json"
    path.write_text(content)
    ran = CliRunner().invoke(app, ["play", "--address", "127.0.0.1:1", "--session", str(path)])
    assert ran.exit_code == 1
    assert isinstance(ran.exception, SystemExit), "no traceback"
    assert path.read_text() == content


def test_reading_answers_leaves_the_terminal_of_the_shell_blocking():
    reading, writing = os.pipe()
    try:
        subprocess.run([sys.executable, "-c", READS_INPUT], stdin=reading, check=True, timeout=30)
        assert os.get_blocking(reading)
    finally:
        os.close(reading)
        os.close(writing)


def test_the_end_of_input_is_seen_on_a_device_that_no_event_loop_can_wait_for():
    program = """
import asyncio
from mahjong_cli.play.person import standard_input

async def main():
    print(await (await standard_input()).readline())

asyncio.run(main())
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert ran.stdout == "b''\n"
