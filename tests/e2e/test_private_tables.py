"""Four `mahjong play --auto` form a private table by invite, play an East round, and a rematch."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import pytest

from tests.kit.processes import clean_environment
from tests.kit.stack import Stack

TIMEOUT_S: Final = 500.0


@asynccontextmanager
async def playing(stack: Stack, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Runs `mahjong play` at the stack; ends it with the block."""
    command = (sys.executable, "-m", "mahjong_cli", "play", "--address", stack.grpc, "--auto", "basic", "--json")
    process = await asyncio.create_subprocess_exec(
        *command,
        *arguments,
        env=clean_environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def results_of(process: asyncio.subprocess.Process) -> list[dict[str, Any]]:
    """Waits for the end of a player; returns its lines."""
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()[-2000:]
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.timeout(TIMEOUT_S + 60)
async def test_four_processes_form_a_private_table_by_invite_play_a_round_and_a_rematch(stack):
    async with asyncio.timeout(TIMEOUT_S), AsyncExitStack() as processes:

        async def start(*arguments: str) -> asyncio.subprocess.Process:
            return await processes.enter_async_context(playing(stack, *arguments, "--matches", "2"))

        host = await start("--host", "4", "--length", "east_round", "--clock", "relaxed", "--rule-set", "taiwanese")
        assert host.stdout is not None
        invite = json.loads(await host.stdout.readline())["invite"]
        guests = [await start("--join", invite) for _ in range(3)]
        results = await asyncio.gather(*map(results_of, (host, *guests)))

    for match in range(2):
        of_match = [lines[match] for lines in results]
        assert len({result["match_id"] for result in of_match}) == 1
        assert {result["seat"] for result in of_match} == {0, 1, 2, 3}
        assert all(result["standings"] == of_match[0]["standings"] for result in of_match)
        assert {result["rating"] for result in of_match} == {"skipped_not_rated"}
    first, second = ([lines[match] for lines in results] for match in range(2))
    assert first[0]["match_id"] != second[0]["match_id"]
    assert {result["player_id"] for result in first} == {result["player_id"] for result in second}


@pytest.mark.timeout(TIMEOUT_S + 60)
async def test_wrong_invite_ends_the_command_with_the_reason(stack):
    async with asyncio.timeout(TIMEOUT_S), playing(stack, "--join", "00000000") as process:
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert b"ERROR_REASON_INVITE_NOT_FOUND" in errors
