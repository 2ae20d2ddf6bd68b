"""One run: players at tables, faults one after another, and what the checker says of it all."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
import orjson

from loadtests.faults.house import House, databases, open_house
from loadtests.faults.injections import Fault, Outcome
from loadtests.faults.pauses import Progress
from loadtests.faults.player import Player
from loadtests.faults.transcript import CALM, Transcript
from mahjong_cli.play.lobby import quick_play
from mahjong_cli.play.session import Session
from mahjongplanet.game.v1 import terms_pb2 as game

SEATS: Final = 4
CALM_S: Final = 10.0
CHANNEL: Final = (
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
)
GOES_ON_EVENTS: Final = 60
"""Events that the players of a table must get after a fault before the next one comes, all four together."""
PATIENCE_S: Final = 120.0


@dataclass
class Result:
    """What one fault came to."""

    fault: str
    what: str
    database: str
    pauses_s: list[float]
    """The longest pause of each table that it concerned."""
    acknowledgements: int = 0
    events: int = 0
    notes: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)


class Crowd:
    """Four players at each of some tables, found by the queue."""

    def __init__(self, address: str, transcript: Transcript, progress: Progress) -> None:
        self._address = address
        self._transcript = transcript
        self._progress = progress
        self._channels: list[grpc.aio.Channel] = []
        self._games: list[asyncio.Task[None]] = []
        self.players: list[Player] = []

    @property
    def tables(self) -> set[str]:
        """The tables that are still played."""
        return {player.table for player in self.players if not player.is_over}

    async def sit_down(self, tables: int) -> None:
        """Signs guests in, queues them and begins to play."""
        for _ in range(tables):
            self.players += await asyncio.gather(*(self._guest() for _ in range(SEATS)))
        self._games = [asyncio.create_task(player.play()) for player in self.players]

    async def stand_up(self) -> None:
        """Stops playing; raises what went wrong in any player."""
        for one in self._games:
            one.cancel()
        outcomes = await asyncio.gather(*self._games, return_exceptions=True)
        for channel in self._channels:
            await channel.close()
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def go_on(self) -> list[str]:
        """Waits until every table has gone on since now; returns those that have not."""
        before = {table: self._progress.count(table) for table in self.tables}
        give_up_at = time.monotonic() + PATIENCE_S
        while late := self._behind(before):
            if time.monotonic() > give_up_at:
                return late
            await asyncio.sleep(0.1)
        return []

    def _behind(self, before: dict[str, int]) -> list[str]:
        return [each for each in self.tables if self._progress.count(each) < before[each] + GOES_ON_EVENTS]

    async def _guest(self) -> Player:
        channel = grpc.aio.insecure_channel(self._address, options=CHANNEL)
        self._channels.append(channel)
        session = Session(channel, None)
        await session.sign_in("Guest")
        table = await quick_play(session, game.RULE_SET_CLASSICAL, game.CLOCK_STANDARD, rated=True, show=lambda _: None)
        return Player(session, table, self._transcript, self._progress)


async def run(faults: Sequence[Fault], tables: int, directory: Path, logs: Path | None = None) -> list[Result]:
    """Puts in faults that are over one kind of database, after a calm time; returns what each came to.

    Args:
        faults: what is put in, one after another.
        tables: how many are played.
        directory: for databases and what players were told.
        logs: for the services' logs, if they are wanted.
    """
    kind = faults[0].database
    path = directory / f"{kind}.transcript"
    with databases(kind, directory) as stores:
        with path.open("wb") as file:
            transcript = Transcript(file)
            async with open_house(stores, logs) as house, playing(house, transcript, tables) as (crowd, progress):
                results = [await _calm(kind, crowd, progress)]
                for fault in faults:
                    results += [await _fault(fault, house, crowd, progress, transcript)]
        findings = await asyncio.to_thread(_checked, path, stores.dsns["table"])
    for result in results:
        _merge(result, findings.pop(result.fault, {}))
    results[0].violations += [each for finding in findings.values() for each in finding["violations"]]
    return results


@asynccontextmanager
async def playing(house: House, transcript: Transcript, tables: int) -> AsyncIterator[tuple[Crowd, Progress]]:
    """Plays while the block runs."""
    progress = Progress()
    crowd = Crowd(house.address, transcript, progress)
    try:
        await crowd.sit_down(tables)
        await crowd.go_on()
        yield crowd, progress
    finally:
        await crowd.stand_up()


async def _calm(kind: str, crowd: Crowd, progress: Progress) -> Result:
    started_s = time.monotonic()
    await asyncio.sleep(CALM_S)
    return Result(CALM, "nothing, for comparison", kind, _pauses(progress, crowd.tables, started_s))


async def _fault(fault: Fault, house: House, crowd: Crowd, progress: Progress, transcript: Transcript) -> Result:
    transcript.fault = fault.name
    print(f"{fault.what} …", file=sys.stderr)
    tables, started_s = crowd.tables, time.monotonic()
    outcome: Outcome = await fault.put_in(house)
    mended_s = time.monotonic() - started_s
    stuck = await crowd.go_on()
    concerned = {table for table in tables if outcome.concerns(table)}
    return Result(
        fault.name,
        fault.what,
        fault.database,
        _pauses(progress, concerned, started_s),
        notes=[f"put in and mended in {mended_s:.1f} s", *outcome.notes],
        violations=[*outcome.violations, *(f"table {table} did not go on" for table in stuck)],
    )


def _pauses(progress: Progress, tables: set[str], started_s: float) -> list[float]:
    return [progress.longest_s(table, started_s, time.monotonic()) for table in tables]


def _checked(transcript: Path, dsn: str) -> dict[str, Any]:
    """Returns what the checker finds, in a process of its own."""
    command = [sys.executable, "-m", "loadtests.faults.checker", str(transcript), dsn]
    found: dict[str, Any] = orjson.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def _merge(result: Result, finding: dict[str, Any]) -> None:
    result.acknowledgements = finding.get("acknowledgements", 0)
    result.events = finding.get("events", 0)
    result.violations += finding.get("violations", [])
