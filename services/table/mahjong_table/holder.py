"""The shell around the decisions of `ownership`: heartbeats, rounds, take-overs, hand-overs."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

from mahjong_kit.errors import ServiceError
from mahjong_kit.log import get_logger
from mahjong_table import errors
from mahjong_table.environment import Environment
from mahjong_table.ownership.lease import Lease
from mahjong_table.ownership.plan import Limits, plan_round
from mahjong_table.ownership.survey import Survey, WorkerSeen
from mahjong_table.peers import Peers
from mahjong_table.settings import TableSettings
from mahjong_table.store.shards import ReplacedError, Shards

_SETTLE_POLL_S = 0.002
_SETTLE_MAX_S = 2.0
_RELEASE_PAUSE_S = 0.05
_RELEASE_MAX_S = 2.0
_WATCH_S = 0.1
_OFFER_WAIT_S = 0.25

_log = get_logger()


def limits_of(settings: TableSettings) -> Limits:
    """Returns how much one step does."""
    return Limits(round(settings.lease_s * 1000), settings.claims_max, settings.releases_max)


class Holder:
    """Holds a worker's shards: takes what it ought to have, gives away what others ought to have."""

    def __init__(self, worker_id: str, shards: Shards, env: Environment, lease: Lease, peers: Peers) -> None:
        self.worker_id = worker_id
        self._shards = shards
        self._env = env
        self._keeper = env.keeper
        self._lease = lease
        self._peers = peers
        self._limits = limits_of(env.settings)
        self._address = ""
        self.is_draining = False
        self._noted_at = 0
        """When the last heartbeat that succeeded was sent, by the clock of the tables."""
        self._stops: dict[int, int] = {}
        """Shards whose tables stopped while the database has them running here, and when. Heartbeats never say that
        the worker was well any later, for whoever takes its shards counts the outage from what they say."""
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
                self._let_go(tuple(self._keeper.epochs))
                raise
            except Exception as error:  # noqa: BLE001 - the database is away; the lease tells when that matters
                _log.warning("worker.unnoted", problem=type(error).__name__)

    async def run_watch(self) -> None:
        """Lets go of everything once the lease has run out without a heartbeat that succeeded, until cancelled."""
        while True:
            await asyncio.sleep(_WATCH_S)
            if self._keeper.epochs and not self._lease.is_held(time.monotonic()):
                self._env.metrics.fenced.inc()
                self._stops |= dict.fromkeys(self._keeper.epochs, self._noted_at)
                _log.error("worker.fenced", worker_id=self.worker_id, shards=len(self._keeper.epochs))
                self._let_go(tuple(self._keeper.epochs))

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
        """Gives every shard to another worker while play goes on; returns when all are gone or nobody takes them."""
        self.is_draining = True
        started = time.monotonic()
        try:
            async with asyncio.timeout(limit_s):
                await self._beat()
                while await self._act():
                    pass
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
        async with self._step:
            epochs, stopped_at = await self._stop(tuple(self._keeper.epochs))
            await self._release(epochs, stopped_at)
            self._let_go(tuple(epochs), errors.draining())
            await self._shards.leave(self.worker_id)

    async def take(self, shards: Collection[int]) -> list[int]:
        """Takes shards that were offered; returns those that are held now."""
        if not self.is_draining and self._lease.is_held(time.monotonic()):
            self._wake.set()  # A round sees to it if this takes long, as when two workers offer each other shards.
            with suppress(TimeoutError):
                async with asyncio.timeout(_OFFER_WAIT_S):
                    await self._step.acquire()
                try:
                    if missing := [shard for shard in shards if shard not in self._keeper.epochs]:
                        await self._claim(missing)
                finally:
                    self._step.release()
        return [shard for shard in shards if shard in self._keeper.epochs]

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
            survey = await self._shards.survey()
            own = {row.shard for row in survey.shards if row.worker_id == self.worker_id}
            self._stops = {shard: at for shard, at in self._stops.items() if shard in own}
            plan = plan_round(survey, self.worker_id, self._keeper.epochs, self._limits)
            if plan.lost:
                _log.warning("shards.lost", shards=len(plan.lost))
                self._let_go(plan.lost)
            if plan.claims:
                return await self._claim(plan.claims)
            return await self._hand_over(plan.releases, survey)

    async def _claim(self, shards: Sequence[int]) -> bool:
        """Takes shards with their tables; returns whether it got any.

        If that fails half-way, they are not held, and the next round begins anew.
        """
        started = time.monotonic()
        claimed = await self._shards.claim(self.worker_id, shards, self._limits.lease_ms, self._stops)
        try:
            self._keeper.epochs.update((claim.shard, claim.epoch) for claim in claimed)
            tables = await self._keeper.load_all(self._env, {claim.shard: claim.stopped_at for claim in claimed})
            await self._shards.settle(self.worker_id, [claim.shard for claim in claimed])
            for claim in claimed:
                self._stops.pop(claim.shard, None)
        except BaseException:
            # The database may have them running already: their tables, if they ran, have stopped now.
            self._stops |= dict.fromkeys((claim.shard for claim in claimed), self._env.clock.now())
            self._let_go([claim.shard for claim in claimed])
            raise
        self._env.projector.own([claim.shard for claim in claimed])
        if tables:
            self._env.metrics.take_over_s.observe(time.monotonic() - started)
        duration_ms = round(1000 * (time.monotonic() - started))
        _log.info("shards.claimed", shards=len(claimed), tables=tables, duration_ms=duration_ms)
        return bool(claimed)

    async def _hand_over(self, releases: Mapping[str, Sequence[int]], survey: Survey) -> bool:
        """Gives shards to their successors; returns whether any went."""
        has_given = False
        for successor, shards in releases.items():
            address = survey.workers[successor].address
            is_ready = await self._peers.prepare(address, shards)
            if not is_ready and not self.is_draining:
                continue  # It can't be reached: everybody keeps what they have.
            started = time.monotonic()
            epochs, stopped_at = await self._stop(shards)
            try:
                await self._release(epochs, stopped_at)
                await self._peers.offer(address, tuple(epochs))
            finally:
                tables = len(self._keeper.tables_of(epochs))
                self._let_go(tuple(epochs), errors.draining())
            if tables:
                self._env.metrics.hand_over_s.observe(time.monotonic() - started)
            duration_ms = round(1000 * (time.monotonic() - started))
            _log.info("shards.released", shards=len(epochs), tables=tables, to=address, duration_ms=duration_ms)
            has_given = True
        return has_given

    async def _stop(self, shards: Sequence[int]) -> tuple[dict[int, int], int]:
        """Stops the tables of shards once all that they have done is committed; returns the epochs and when."""
        # A commit that failed is looked into first, and its time is credited.
        await self._until(lambda: not any(table.is_stalled for table in self._keeper.tables_of(shards)))
        epochs = {shard: self._keeper.epochs[shard] for shard in shards if shard in self._keeper.epochs}
        for shard in epochs:
            del self._keeper.epochs[shard]  # No new table comes.
        for table in self._keeper.tables_of(epochs):
            table.leave()
        stopped_at = self._env.clock.now()
        self._stops |= dict.fromkeys(epochs, stopped_at)
        await self._until(lambda: all(table.is_settled for table in self._keeper.tables_of(epochs)))
        return epochs, stopped_at

    async def _release(self, epochs: Mapping[int, int], stopped_at: int) -> None:
        """Gives stopped shards up, again and again for a while if the database fails: their players wait meanwhile.

        If it fails for good, the next round takes them back as of when they stopped.
        """
        latest = time.monotonic() + _RELEASE_MAX_S
        while True:
            try:
                await self._shards.release(self.worker_id, epochs, stopped_at)
            except Exception as error:
                if time.monotonic() >= latest:
                    raise
                _log.warning("shards.release_repeated", shards=len(epochs), problem=type(error).__name__)
                await asyncio.sleep(_RELEASE_PAUSE_S)
            else:
                break
        for shard in epochs:
            self._stops.pop(shard, None)

    async def _until(self, is_met: Callable[[], bool]) -> None:
        """Waits for the tables, but not for ever: what is late is fenced by the epoch."""
        latest = time.monotonic() + _SETTLE_MAX_S
        while not is_met() and time.monotonic() < latest:
            await asyncio.sleep(_SETTLE_POLL_S)

    def _let_go(self, shards: Collection[int], error: ServiceError | None = None) -> None:
        self._keeper.let_go(self._env, shards, error or errors.lease_lost())

    async def _beat(self) -> None:
        sent_at, me = time.monotonic(), self._me()
        await self._shards.heartbeat(me)
        self._renew(sent_at, me)

    def _renew(self, sent_at: float, me: WorkerSeen) -> None:
        if not self._lease.is_held(time.monotonic()) and self._keeper.epochs:
            return  # It has run out before: `run_watch` lets go first.
        self._lease.renew(sent_at)
        self._noted_at = me.noted_at

    def _me(self) -> WorkerSeen:
        noted_at = min(self._stops.values(), default=self._env.clock.now())
        return WorkerSeen(self.worker_id, self._address, 0, noted_at, self.is_draining)
