"""A person at the terminal who decides for a seat."""

import asyncio
import os
import sys
import threading
from contextlib import suppress
from typing import Final

from rich.console import Console

from mahjong_cli.lines import input_closed
from mahjong_cli.play.words import action_words, table_lines
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb

READ_BYTES: Final = 4096


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
        try:
            line = await self._lines.readline()
        except ValueError:  # The stream has thrown it away.
            return "a line of more than 64 KiB"
        if not line:
            raise EOFError("standard input ended")
        return line.decode(errors="replace")


async def standard_input() -> asyncio.StreamReader:
    """Returns standard input as a stream, so that a decision that times out can stop waiting for it.

    A thread reads it: an event loop cannot wait for every file and device, and would leave a terminal non-blocking.

    Raises:
        OSError: it is closed.
    """
    if sys.stdin is None:
        raise input_closed()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    number = sys.stdin.fileno()

    def read() -> None:
        with suppress(RuntimeError):  # The loop has closed: nobody waits for more.
            while data := os.read(number, READ_BYTES):
                loop.call_soon_threadsafe(reader.feed_data, data)
            loop.call_soon_threadsafe(reader.feed_eof)

    threading.Thread(target=read, daemon=True).start()
    return reader
