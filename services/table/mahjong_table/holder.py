"""The shell around the decisions of `ownership`: heartbeats, rounds, take-overs, hand-overs."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from mahjong_kit.log import get_logger
from mahjong_table.environment import Environment
from mahjong_table.foresight import Foresight
from mahjong_table.moves import Moves
from mahjong_table.ownership.lease import Lease, Silence
from mahjong_table.ownership.plan import Limits, Plan, plan_round
from mahjong_table.ownership.survey import Survey, WorkerSeen
from mahjong_table.peers import Peers
from mahjong_table.settings import TableSettings
from mahjong_table.store.shards import ReplacedError, Shards

_WATCH_S = 0.1
_OFFER_WAIT_S = 0.25
_SILENT_BEATS = 3.5
"""Heartbeats that a worker must miss before its successors get ready."""

_log = get_logger()


def limits_of(settings: TableSettings) -> Limits:
    """Returns how much one step does."""
    silent_s = min(_SILENT_BEATS * settings.alive_period_s, settings.lease_s)
    return Limits(round(settings.lease_s * 1000), round(silent_s * 1000), settings.claims_max, settings.releases_max)


class Holder:
    """Holds a worker's shards: takes what it ought to have, gives away what others ought to have."""

    def __init__(self, worker_id: str, shards: Shards, env: Environment, lease: Lease, peers: Peers) -> None:
        self.worker_id = worker_id
        self._shards = shards
        self._env = env
        self._keeper = env.keeper
        self._lease = lease
        self._moves = Moves(worker_id, shards, env, peers)
        self._foresight = Foresight(env.keeper)
        self._limits = limits_of(env.settings)
        self._address = ""
        self.is_draining = False
        self._noted_at = 0
        """When the last heartbeat that succeeded was sent, by the clock of the tables."""
        self._silence = Silence(env.settings.lease_s, 2 * env.settings.alive_period_s)
        self._step = asyncio.Lock()
        """Only one step changes what is held at a time."""
        self._wake = asyncio.Event()

    async def join(self, address: str) -> None:
        """Makes the worker known; from now on it needs heartbeats."""
        self._address = address
        sent_at, me = time.monotonic(), self._me()
        await self._shards.join(me)
        self._renew(sent_at, me)

    async def settle_in(self) -> None:
        """Takes what is free of the worker's share; the rounds go on from there."""
        while await self._act():
            pass
        _log.info("worker.joined", worker_id=self.worker_id, address=self._address, shards=len(self._keeper.epochs))

    async def run_heartbeats(self) -> None:
        """Says again and again that the worker lives, until cancelled.

        Raises:
            ReplacedError: another process serves at this worker's address.
        """
        while True:
            await asyncio.sleep(self._env.settings.alive_period_s)
            try:
                await self._beat()
            except ReplacedError:
                _log.error("worker.replaced", worker_id=self.worker_id, address=self._address)
                self._lease.drop()
                self._moves.let_go(tuple(self._keeper.epochs))
                raise
            except Exception as error:  # noqa: BLE001 - the database is away; the lease tells when that matters
                _log.warning("worker.unnoted", problem=type(error).__name__)

    async def run_watch(self) -> None:
        """Lets go of everything once the lease has run out without a heartbeat that succeeded, until cancelled."""
        while True:
            await asyncio.sleep(_WATCH_S)
            if self._keeper.epochs and not self._lease.is_held(time.monotonic()):
                self._env.metrics.fenced.inc()
                self._moves.stops |= dict.fromkeys(self._keeper.epochs, self._noted_at)
                _log.error("worker.fenced", worker_id=self.worker_id, shards=len(self._keeper.epochs))
                self._moves.let_go(tuple(self._keeper.epochs))

    async def run_rounds(self) -> None:
        """Takes and gives away shards, one step after another while there is something to do, until cancelled."""
        while True:
            try:
                while await self._act():
                    pass
            except Exception as error:  # noqa: BLE001 - the database is away; the next round sees what came of it
                _log.warning("worker.round_failed", problem=repr(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._env.settings.round_s):
                    await self._wake.wait()
            self._wake.clear()

    async def drain(self, limit_s: float) -> None:
        """Gives every shard to another worker while play goes on; returns when all are gone or nobody takes them.

        What is left when the time is over is released at once: the others take it, all at the same time.
        """
        self.is_draining = True
        started = time.monotonic()
        try:
            await self._beat()
            while await self._act():  # No step is broken off: its tables would wait for the lease.
                if time.monotonic() - started >= limit_s:
                    _log.warning("worker.drain_cut_short", shards=len(self._keeper.epochs))
                    async with self._step:
                        await self._moves.give_up()
        except Exception as error:  # noqa: BLE001 - what is left is released at the end, or taken over after the lease
            _log.warning("worker.drain_failed", problem=repr(error), shards=len(self._keeper.epochs))
        duration_ms = round(1000 * (time.monotonic() - started))
        _log.info("worker.drained", worker_id=self.worker_id, left=len(self._keeper.epochs), duration_ms=duration_ms)

    async def start_draining(self) -> None:
        """Begins to give everything away and stays, as an operator may wish."""
        self.is_draining = True
        await self._beat()
        self._wake.set()

    async def leave(self) -> None:
        """Releases what is left, once its tables rest, and is forgotten."""
        self._foresight.stop()
        async with self._step:
            await self._moves.leave()

    async def take(self, shards: Collection[int]) -> list[int]:
        """Takes shards that were made over to this worker or are free; returns those that are held now."""
        if not self.is_draining and self._lease.is_held(time.monotonic()):
            self._wake.set()  # A round sees to it if this takes long, as when two workers offer each other shards.
            with suppress(TimeoutError):
                async with asyncio.timeout(_OFFER_WAIT_S):
                    await self._step.acquire()
                try:
                    await self._moves.adopt(self._missing(shards))
                    if missing := self._missing(shards):
                        await self._moves.claim(missing)
                finally:
                    self._step.release()
        return [shard for shard in shards if shard in self._keeper.epochs]

    def _missing(self, shards: Collection[int]) -> list[int]:
        return [shard for shard in shards if shard not in self._keeper.epochs]

    async def survey(self) -> Survey:
        """Returns who lives and who owns what, as the database has it."""
        return await self._shards.survey()

    async def locate(self) -> dict[str, list[int]]:
        """Returns the shards of every worker's address, as the database has them."""
        survey = await self._shards.survey()
        owners: dict[str, list[int]] = {}
        for row in survey.shards:
            if row.worker_id is not None and (owner := survey.workers.get(row.worker_id)) is not None:
                owners.setdefault(owner.address, []).append(row.shard)
        return owners

    async def _act(self) -> bool:
        """Does one step; returns whether there may be more to do at once."""
        if not self._lease.is_held(time.monotonic()):
            return False
        async with self._step:
            await self._moves.settle()
            survey = await self._shards.survey()
            own = {row.shard for row in survey.shards if row.worker_id == self.worker_id}
            self._moves.forget_stops(but=own)
            patience_ms = self._silence.patience_ms(time.monotonic())
            plan = self._plan(survey, patience_ms)
            if plan.lost:
                _log.warning("shards.lost", shards=len(plan.lost))
                self._moves.let_go(plan.lost)
            if plan.claims:
                self._foresight.stop()
                return await self._moves.claim(plan.claims, patience_ms)
            self._foresight.expect(plan.expected)
            return await self._hand_over(plan.releases, survey)

    def _plan(self, survey: Survey, patience_ms: int) -> Plan:
        limits = replace(
            self._limits,
            lease_ms=self._limits.lease_ms + patience_ms,
            silent_ms=self._limits.silent_ms + patience_ms,
        )
        return plan_round(survey, self.worker_id, self._keeper.epochs, limits, self._keeper.shards_with_tables)

    async def _hand_over(self, releases: Mapping[str, Sequence[int]], survey: Survey) -> bool:
        """Gives shards to all their successors at the same time; returns whether any went."""
        gone = await asyncio.gather(
            *(
                self._moves.give(successor, survey.workers[successor].address, shards, at_any_rate=self.is_draining)
                for successor, shards in releases.items()
            ),
            return_exceptions=True,
        )
        for outcome in gone:
            if isinstance(outcome, BaseException):
                raise outcome
        return any(gone)

    async def _beat(self) -> None:
        sent_at, me = time.monotonic(), self._me()
        await self._shards.heartbeat(me)
        self._renew(sent_at, me)

    def _renew(self, sent_at: float, me: WorkerSeen) -> None:
        if not self._lease.is_held(time.monotonic()) and self._keeper.epochs:
            return  # It has run out before: `run_watch` lets go first.
        self._lease.renew(sent_at)
        self._noted_at = me.noted_at
        if self._silence.broken(sent_at):
            self._wake.set()

    def _me(self) -> WorkerSeen:
        # Whoever takes over counts the outage from here: never later than from when some table stopped.
        behind_since = self._keeper.behind_since(self._env.clock.now())
        noted_at = min([behind_since, *self._moves.stops.values()])
        return WorkerSeen(self.worker_id, self._address, 0, noted_at, self.is_draining)
