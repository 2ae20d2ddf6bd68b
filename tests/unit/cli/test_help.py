"""What `mahjong --help` and wrong arguments print."""

import re
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from mahjong_cli.__main__ import app


def printed(*arguments, status):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == status, result.output
    return re.sub(r"\x1b\[[0-9;]*m", "", result.output)  # colours, where the environment forces them


@pytest.mark.parametrize("command", ["score", "verify", "legal", "simulate", "duel", "serve"])
def test_the_paragraphs_of_a_help_are_filled_to_the_width_of_the_terminal(command):
    lines = printed(command, "--help", status=0).splitlines()
    width = max(map(len, lines)) - 2  # a blank on either side
    text = [line.strip() for line in lines[: next(n for n, line in enumerate(lines) if line.startswith("╭"))]]
    assert len(text) > 5
    for line, after in pairwise(text):
        assert not line or not after or len(f"{line} {after.split()[0]}") > width, line


@pytest.mark.parametrize("arguments", [[], ["-", "--match", "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11"]])
def test_verify_without_a_file_or_with_a_match_too_says_what_to_name(arguments):
    message = " ".join(printed("verify", *arguments, status=2).replace("│", " ").split())
    assert "name either a file of records (- is standard input) or a match (--match)" in message
