"""One run: some workers, many tables, their players and everything that goes wrong, all from one seed."""

import asyncio
import gc
import logging
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self
from zlib import crc32

import structlog

from mahjong_engine.match import MatchLength
from mahjong_kit.errors import ServiceError
from mahjong_table.core.clock import Clock
from mahjong_table.core.terms import Level, Occupant, TableKind, Terms
from tests.dst.chaos import Chaos
from tests.dst.database import SimulatedDatabase
from tests.dst.forgetful import ForgetfulRedis
from tests.dst.gateway import RETRIED, Gateway
from tests.dst.host import random_uuid, simulated_machines
from tests.dst.loop import VirtualLoop
from tests.dst.network import LostError, Network
from tests.dst.oracle import Oracle, TableRecord, ViolationError
from tests.dst.player import Player
from tests.dst.process import SETTINGS, Process, Receivers
from tests.dst.scale import fewer_shards
from tests.dst.tally import Tally

_SAMPLE_S = 0.5
_OVERDUE_MAX_S = 3.0
_SERVED_BEFORE_S = 10.0
_SETTLE_S = 120.0
_SLOW_S = 0.01
_COLLECT_S = 300.0
_RELEASED_AFTER_S = 60.0
_CREATE_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class Scale:
    """How much a run simulates."""

    hours: float = 0.1
    tables: int = 16
    """Where people play at a clock that suits them, or let it run out."""
    waiting: int = 80
    """Untimed tables where people take minutes: most of the time nothing happens but what goes wrong."""
    workers: int = 3
    mean_pause_s: float = 15.0
    """Between two faults."""


@dataclass(slots=True)
class Report:
    """What came of a run."""

    seed: int
    violation: Exception | None = None
    at_s: float = 0.0
    table_hours: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    digest: int = 0
    """The same whenever the seed is run again: of every log entry, answer and event, and of when."""


class World:
    """Everything there is in a run."""

    def __init__(self, seed: int, scale: Scale, loop: VirtualLoop) -> None:
        self.loop = loop
        self.chance = Random(seed)
        self.scale = scale
        self.tally = Tally()
        self.database = SimulatedDatabase(self._draw(), self.tally)
        self.oracle = self.database.observer = Oracle(self.database.raw)
        loop.on_error = self.oracle.report
        self.redis = ForgetfulRedis(self._draw())
        self.network = Network(loop, self._draw(), self.tally)
        self.receivers = Receivers(self.network, self._draw())
        self.gateway = Gateway(self, self._draw())
        self.addresses = [f"worker-{number}:7003" for number in range(scale.workers)]
        self.skew_s = dict.fromkeys(self.addresses, 0.0)
        self.processes: dict[str, Process] = {}
        self.graveyard: list[Process] = []
        self.players: dict[Player, None] = {}
        self.refusals: Counter[str] = Counter()
        self.chaos = Chaos(self, self._draw(), scale.mean_pause_s)
        self._served_since: dict[str, tuple[Process, float]] = {}
        self._unserved_since: dict[str, float] = {}
        self._is_closing = False

    def _draw(self) -> Random:
        return Random(self.chance.getrandbits(64))

    async def run(self) -> None:
        """Runs everything; returns at the end or raises the first violation."""
        jobs = [asyncio.create_task(job) for job in (*map(self._supervise, self.addresses), self._watch_time())]
        matches = [asyncio.create_task(self._play_matches(n)) for n in range(self.scale.tables + self.scale.waiting)]
        trouble = asyncio.create_task(self.chaos.run())
        await self._until(asyncio.sleep(self.scale.hours * 3600))
        trouble.cancel()
        await self._until(self.chaos.end())
        newest = self.database.raw.execute("SELECT coalesce(max(report_id), 0) FROM outbox").fetchone()[0]
        await self._until(asyncio.sleep(_SETTLE_S))
        self._judge_end(newest)
        for task in (*jobs, *matches):
            task.cancel()
        if self.oracle.found.done():
            self.oracle.found.result()

    async def _until(self, awaited: Any) -> None:
        task = asyncio.ensure_future(awaited)
        await asyncio.wait([task, self.oracle.found], return_when=asyncio.FIRST_COMPLETED)
        if self.oracle.found.done():
            task.cancel()
            self.oracle.found.result()

    async def _supervise(self, address: str) -> None:
        """Starts a worker again and again."""
        chance = self._draw()
        while True:
            process = self.processes[address] = Process(self, address, self.skew_s[address])
            await process.ended
            self.graveyard.append(process)
            await asyncio.sleep(chance.choice((0.3, 3.0, 20.0)) * chance.random())

    # Matches

    async def _play_matches(self, number: int) -> None:
        """Opens one table after another, as a matchmaker does, and lets people play at it."""
        chance = self._draw()
        await asyncio.sleep(chance.uniform(0, 60))
        while True:
            terms = _draw_terms(chance, is_waiting=number >= self.scale.tables)
            table_id = await self._open(terms, chance)
            if table_id is not None:
                players = [Player(self, table_id, terms, seat) for seat in terms.people]
                self.players.update(dict.fromkeys(players))
                await asyncio.gather(*(player.play() for player in players))
                for player in players:
                    del self.players[player]
            await asyncio.sleep(chance.uniform(1, 30))

    async def _open(self, terms: Terms, chance: Random) -> str | None:
        """Opens a table, asking again until told its id; must be told the same one whatever happened before."""
        known: str | None = None
        repeats = chance.choice((1, 1, 2))
        while True:
            process = self.gateway.any_process()
            if process is not None and not process.host.is_dead:
                worker = process.worker
                try:
                    table_id = await self.network.call(
                        process.host, lambda w=worker: w.service.create_table(terms), _CREATE_TIMEOUT_S
                    )
                except LostError:
                    pass
                except ServiceError as error:
                    if error.reason not in RETRIED:
                        self.oracle.report(ViolationError("a match can be opened", reason=error.reason))
                        return None
                else:
                    if known not in {None, table_id}:
                        self.oracle.report(ViolationError("a match has one table", first=known, second=table_id))
                    known = table_id
                    self.oracle.opened(table_id, terms)
                    repeats -= 1
                    if not repeats:
                        return known
            await asyncio.sleep(chance.uniform(0.1, 2))

    # Time

    async def _watch_time(self) -> None:
        """Measures for how long each table is served, and finds what is overdue although nothing hinders it."""
        collect_at = 0.0
        while True:
            await asyncio.sleep(_SAMPLE_S)
            now = self.loop.time()
            served = self._served()
            for table_id, table in self.oracle.tables.items():
                if table.state.is_over:
                    continue
                process = served.get(table_id)
                if process is not None:
                    table.served_s += _SAMPLE_S
                if process is None or not self._can_commit(process):
                    self._served_since.pop(table_id, None)
                    since = self._unserved_since.setdefault(table_id, now)
                    if self.chaos.is_calm and now - since > _OVERDUE_MAX_S:
                        self.oracle.report(ViolationError("a table is served again", table=table_id, for_s=now - since))
                    continue
                self._unserved_since.pop(table_id, None)
                server, since = self._served_since.get(table_id, (None, now))
                if server is not process:  # Its clock is another one, until the credit is committed.
                    since = now
                self._served_since[table_id] = process, since
                self._judge_deadline(table, process, now - since)
            if now >= collect_at:
                gc.collect()
                collect_at = now + _COLLECT_S

    def _served(self) -> dict[str, Process]:
        """Returns who serves each table: the owner of its shard, who may not know so any more, or not yet.

        While the database is away that goes on until somebody notices. A worker that goes down serves nobody from the
        moment it stops its clocks: it may need seconds to give its shards up, which the next owner credits.
        """
        epochs = {row["shard"]: row["epoch"] for row in self.database.raw.execute("SELECT shard, epoch FROM shard")}
        return {
            table_id: process
            for process in self.processes.values()
            if process.is_up and not process.worker.env.wheel._is_closed
            for table_id, live in process.worker.keeper._live.items()
            if live.epoch == epochs[live.shard]
            and not live.is_stalled
            and live._halted_by is None
            and not live._is_leaving
        }

    def _can_commit(self, process: Process) -> bool:
        weather = self.database.weather
        return not weather.is_down and process.host not in weather.cut_off

    def _judge_deadline(self, table: TableRecord, process: Process, served_s: float) -> None:
        if served_s < _SERVED_BEFORE_S or self.database.weather.delay_s > _SLOW_S:
            return
        now = process.host.run(process.worker.env.clock.now)
        overdue_s = self.oracle.overdue_s(table, now, SETTINGS.latency_credit_max_ms)
        if overdue_s > _OVERDUE_MAX_S:
            self.oracle.report(ViolationError("no deadline is overdue", table=table.table_id, overdue_s=overdue_s))

    def _judge_end(self, newest_report: int) -> None:
        """All trouble has been over for a while: everything must be in order."""
        waiting = self.database.raw.execute(
            "SELECT count(*) FROM outbox WHERE delivered_at IS NULL AND report_id <= ?", (newest_report,)
        ).fetchone()[0]
        if waiting:
            self.oracle.report(ViolationError("reports are delivered", waiting=waiting))
        self.oracle.judge_reports(self.receivers.taken, self.receivers.service)
        now = self.loop.time()
        for process in self.processes.values():
            for table_id in process.worker.keeper._live if process.is_up else ():
                table = self.oracle.tables.get(table_id)  # None if it was opened, and nobody came.
                if table is not None and now - (table.ended_at_s or now) > _RELEASED_AFTER_S:
                    self.oracle.report(ViolationError("an ended table leaves the memory", table=table_id))
        rows = self.database.raw.execute("SELECT shard, worker_id FROM shard").fetchall()
        owners = {process.worker.worker_id for process in self.processes.values() if process.is_up}
        if lost := [row["shard"] for row in rows if row["worker_id"] not in owners]:
            self.oracle.report(ViolationError("every shard has an owner", without=lost))

    # What is told at the end

    def report(self, seed: int, violation: Exception | None) -> Report:
        """Returns what came of the run."""
        oracle, now = self.oracle, self.loop.time()
        hours = sum((t.ended_at_s or now) - t.opened_at_s for t in oracle.tables.values()) / 3600
        checked = Counter(
            {
                "tables": len(oracle.tables),
                "log entries": oracle.entries_checked,
                "acknowledgements": oracle.acknowledged,
                "repeated requests": oracle.retries_checked,
                "events shown": oracle.events_checked,
                "snapshots shown": oracle.snapshots_checked,
                "reports taken": oracle.reports_checked,
                "timeouts": oracle.timeouts,
                "seconds credited": round(oracle.credits_s),
                "worker starts": len(self.graveyard) + len(self.processes),
            }
        )
        told = self.tally.counts, checked, self.refusals
        digest = crc32(repr([sorted(counts.items()) for counts in told]).encode(), oracle.trace)
        return Report(seed, violation, now, hours, self.tally.counts, checked, digest)


def simulate(seed: int, scale: Scale, plant: Callable[[], Any] | None = None) -> Report:
    """Runs one seed; the same seed always gives the same report.

    Args:
        seed: all chance comes from it.
        scale: how much is simulated.
        plant: gives a context in which the service has a bug, for the simulation to find.
    """
    loop = VirtualLoop()
    asyncio.set_event_loop(loop)
    was_collecting = gc.isenabled()
    gc.disable()  # What is finalised when would depend on the process.
    try:
        with simulated_machines(), fewer_shards(), Logs() as errors, (plant or suppress)():
            return loop.run_until_complete(_simulate(seed, scale, loop, errors))
    finally:
        asyncio.set_event_loop(None)
        if was_collecting:
            gc.enable()


async def _simulate(seed: int, scale: Scale, loop: VirtualLoop, errors: Any) -> Report:
    world = World(seed, scale, loop)
    errors.world = world
    violation: Exception | None = None
    try:
        await world.run()
    except Exception as error:  # noqa: BLE001 - whatever it is, the seed tells
        violation = error
    for process in world.processes.values():
        process.host.crash()
    return world.report(seed, violation)


class Logs:
    """Keeps the service's log back, but for what must never be logged: tables that a fault of ours has stopped."""

    world: World | None = None

    def __enter__(self) -> Self:
        structlog.configure(processors=[self._take], wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
        return self

    def __exit__(self, *_: object) -> None:
        structlog.reset_defaults()

    def _take(self, logger: Any, method: str, event: Any) -> Any:
        if self.world is not None and event["event"] in {"table.halted", "computer.failed"}:
            self.world.oracle.report(
                ViolationError("no fault of ours stops a table", problem=repr(event.get("exc_info")))
            )
        raise structlog.DropEvent


def _draw_terms(chance: Random, *, is_waiting: bool) -> Terms:
    people = chance.choice((1, 1, 2) if is_waiting else (1, 2, 4, 4))
    clock = Clock.UNTIMED if is_waiting else chance.choices(list(Clock), (1, 1, 3, 3, 1))[0]
    seats = set(chance.sample(range(4), people))
    occupants = tuple(
        Occupant(f"Player {seat}", player_id=str(random_uuid(chance)))
        if seat in seats
        else Occupant("Computer", level=Level.BASIC)
        for seat in range(4)
    )
    return Terms(
        str(random_uuid(chance)),
        chance.choice(("classical", "taiwanese")),
        clock,
        chance.choice((MatchLength.ONE_HAND, MatchLength.EAST_ROUND)),
        TableKind.PRIVATE,
        occupants,  # type: ignore[arg-type]
    )
