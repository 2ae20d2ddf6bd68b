"""Four `mahjong play --auto` at one table, through the gateway, to the verified records of a full match."""

import asyncio
import json
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from tests.kit.processes import clean_environment
from tests.kit.stack import Stack

MATCH_TIMEOUT_S: Final = 500.0
LEVELS: Final = ("basic", "strong", "basic", "basic")
UNDER_WAY: Final = 150
"""Decisions after which a match is well under way."""


async def mahjong(*arguments: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """Runs a command of `mahjong` and returns its exit status, output and errors."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "mahjong_cli",
        *arguments,
        env=clean_environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MATCH_TIMEOUT_S):
            output, errors = await process.communicate(stdin)
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode or 0, output, errors


async def play(stack: Stack, rule_set: str, level: str, records: Path, *, clock: str = "standard") -> dict[str, Any]:
    """Plays a rated match by a computer player's decisions and returns what it came to."""
    where = ("--address", stack.grpc, "--rule-set", rule_set, "--clock", clock, "--rated")
    status, output, errors = await mahjong("play", *where, "--auto", level, "--records", str(records), "--json")
    assert status == 0, errors.decode()[-2000:]
    return json.loads(output)


def table_process(stack: Stack) -> psutil.Process:
    """Returns the table service's process of a stack."""
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or []
        if "mahjong_table" in command and str(stack.data) in process.environ().get("TABLE_DATABASE_DSN", ""):
            return process
    raise AssertionError("no table process")


def decisions_in_log(stack: Stack) -> int:
    """Returns how many entries the decision log has by now."""
    with sqlite3.connect(f"file:{stack.data / 'db' / 'table.db'}?mode=ro", uri=True) as database:
        (count,) = database.execute("select count(*) from decision").fetchone()
    return int(count)


async def kill_in_mid_match(stack: Stack) -> None:
    """Kills the table process once the match is well under way; the supervisor starts it again."""
    before = decisions_in_log(stack)
    async with asyncio.timeout(MATCH_TIMEOUT_S):
        while decisions_in_log(stack) < before + UNDER_WAY:
            await asyncio.sleep(0.05)
    table_process(stack).send_signal(signal.SIGKILL)


@pytest.mark.timeout(MATCH_TIMEOUT_S + 60)
@pytest.mark.parametrize("rule_set", ["classical", "taiwanese"])
async def test_four_terminal_players_finish_a_rated_match_through_a_killed_table_process(stack, tmp_path, rule_set):
    games = [play(stack, rule_set, level, tmp_path / str(number)) for number, level in enumerate(LEVELS)]
    *results, _ = await asyncio.gather(*games, kill_in_mid_match(stack))

    match_id, standings = results[0]["match_id"], results[0]["standings"]
    assert {result["match_id"] for result in results} == {match_id}
    assert {result["seat"] for result in results} == {0, 1, 2, 3}
    assert all(result["standings"] == standings for result in results)
    assert [result["rating"] for result in results] == ["applied"] * 4

    saved = {(tmp_path / str(number) / f"{match_id}.jsonl").read_bytes() for number in range(4)}
    assert len(saved) == 1, "everybody gets the same records"
    lines = saved.pop()
    status, output, _ = await mahjong("verify", "-", stdin=lines)
    records = [json.loads(line) for line in lines.splitlines()]
    assert (status, output.splitlines()) == (0, [b'{"ok":true}'] * len(records))
    result = records[-1]["result"]
    assert (result["match_over"], result["dealer_changes_after"]) == (True, 16)
    assert {standing["seat"]: standing["score"] for standing in standings} == dict(enumerate(result["scores_after"]))


@pytest.mark.timeout(MATCH_TIMEOUT_S + 60)
async def test_a_lone_player_of_the_rated_queue_plays_computers_and_keeps_the_rating(stack, tmp_path):
    result = await play(stack, "classical", "basic", tmp_path, clock="blitz")
    assert result["rating"] == "skipped_too_few_people"
    assert [path.name for path in tmp_path.iterdir()] == [f"{result['match_id']}.jsonl"]
