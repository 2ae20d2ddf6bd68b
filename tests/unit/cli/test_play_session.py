"""What `mahjong play` keeps, and what it leaves as it was."""

import asyncio
import os
import subprocess
import sys

import grpc
import pytest
from rich.console import Console
from typer.testing import CliRunner

from mahjong_cli.__main__ import app
from mahjong_cli.gateway import gateway_at
from mahjong_cli.play.person import Person
from mahjong_cli.play.session import Session
from mahjongplanet.account.v1 import account_service_pb2 as account
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb

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


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://play.example.org", "play.example.org:443"),
        ("https://play.example.org:8443/", "play.example.org:8443"),
        ("https://[::1]:8443", "[::1]:8443"),
        ("127.0.0.1:8081", "127.0.0.1:8081"),
    ],
)
def test_an_address_leads_to_its_host_and_port(address, target):
    gateway = gateway_at(address, None)
    assert gateway.target == target
    assert (gateway.credentials is not None) == address.startswith("https")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--address", "http://play.example.org"],
        ["--address", "https://"],
        ["--address", "https://play.example.org:port"],
        ["--address", "https://play.example.org:99999"],
        ["--address", "https://play.example.org/path"],
        ["--address", "https://me@play.example.org"],
        ["--address", "play.example.org:8081", "--ca-file", "ca.pem"],
    ],
)
@pytest.mark.parametrize("command", [["play"], ["account", "--session", "session.json"]])
def test_an_address_that_is_none_is_a_usage_error(command, arguments):
    ran = CliRunner().invoke(app, [*command, *arguments, *(["show"] if command[0] == "account" else [])])
    assert (ran.exit_code, ran.stdout) == (2, "")


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


def test_input_that_is_closed_is_told_so():
    command = ["bash", "-c", f"{sys.executable} -c '{READS_INPUT}' <&-"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ran.stderr.endswith("OSError: [Errno 9] is closed: 'standard input'\n")


async def test_a_line_without_end_is_no_answer_and_the_next_one_counts(capsys):
    lines = asyncio.StreamReader()
    lines.feed_data(b"x" * 200_000 + b"\nwin\n")
    win, other = terms.Action(kind=terms.ACTION_KIND_WIN), terms.Action(kind=terms.ACTION_KIND_PASS)
    table = pb.TableSnapshot(hand=pb.HandSnapshot(round_wind="E"), decision=pb.Decision(options=[win, other]))
    assert await Person(Console(stderr=True), lines).choose(table) == win
    assert "a line of more than 64 KiB is none of: win" in capsys.readouterr().err


class Accounts:
    """Takes each refresh token once, as the account service does."""

    def __init__(self):
        self.token = "0"

    async def RefreshSession(self, request, **_):
        assert request.refresh_token == self.token, "a token came a second time: all is ended"
        self.token = str(int(self.token) + 1)
        return account.RefreshSessionResponse(session=account.Session(refresh_token=self.token))


async def test_two_commands_that_go_on_by_one_file_do_not_end_each_others_session(tmp_path):
    path, accounts = tmp_path / "session.json", Accounts()
    path.write_text('{"refresh_token": "0"}')
    async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
        one, other = Session(channel, path), Session(channel, path)
        one.accounts = other.accounts = accounts
        for session in (one, other):
            await session.go_on()
        for session in (one, other, other, one):
            await session.metadata()
    assert path.read_text() == '{"refresh_token": "6"}'
