"""A person at the terminal who decides for a seat."""

import asyncio
import atexit
import os
import sys

from rich.console import Console

from mahjong_cli.play.words import action_words, table_lines
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb


class Person:
    """Shows the table at each decision and reads answers, a line each, from standard input."""

    def __init__(self, console: Console, lines: asyncio.StreamReader) -> None:
        self._console = console
        self._lines = lines

    async def choose(self, table: pb.TableSnapshot) -> terms.Action:
        """Asks until the answer is one of the options; any unambiguous beginning will do."""
        options = {action_words(option): option for option in table.decision.options}
        for line in table_lines(table):
            self._console.print(line, markup=False)
        self._console.print(f"Your choice: {' · '.join(options)}", style="bold", markup=False)
        while True:
            answer = " ".join((await self._read()).split())
            if answer in options:
                return options[answer]
            matches = {words for words in options if answer and words.lower().startswith(answer.lower())}
            if len(matches) == 1:
                return options[matches.pop()]
            self._console.print(f"{answer or 'An empty line'} is none of: {' · '.join(options)}", markup=False)

    async def confirm(self, table: pb.TableSnapshot) -> None:
        """Waits for the Return key."""
        if table.hand_ended.match_over:
            return
        self._console.print("Return: next hand", style="bold")
        await self._read()

    async def _read(self) -> str:
        line = await self._lines.readline()
        if not line:
            raise EOFError("standard input ended")
        return line.decode(errors="replace")


async def standard_input() -> asyncio.StreamReader:
    """Returns standard input as a stream, so that a decision that times out can stop waiting for it."""
    # The loop makes it non-blocking, for the shell that shares the terminal too. That is undone at the end, by a copy:
    # the loop closes what it was given.
    number = sys.stdin.fileno()
    atexit.register(os.set_blocking, os.dup(number), os.get_blocking(number))
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader
