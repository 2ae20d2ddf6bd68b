"""A player: watches its table, answers at its own pace, repeats itself, loses its connection, comes back."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextvars import Context
from random import Random
from typing import TYPE_CHECKING, Any

from mahjong_engine.tile import Seat
from mahjong_kit.errors import ServiceError
from mahjong_table.core.clock import Clock
from mahjong_table.core.terms import Terms
from mahjong_table.worker import Worker
from mahjong_wire.action import action_from_proto
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb
from tests.dst.gateway import RETRIED
from tests.dst.host import random_uuid
from tests.dst.network import LostError
from tests.dst.oracle import Request, ViolationError
from tests.dst.process import Process

if TYPE_CHECKING:
    from tests.dst.world import World

_PACES_S = {
    Clock.BULLET: (0.3, 0.8, 1.5, 5.0),
    Clock.BLITZ: (0.3, 1.5, 3.0, 8.0),
    Clock.STANDARD: (0.3, 1.5, 3.0, 3.0, 5.0, 12.0),
    Clock.RELAXED: (3.0, 8.0, 15.0, 40.0),
    Clock.UNTIMED: (15.0, 60.0, 200.0, 600.0),
}
"""Median times of thought: people choose a clock that suits them, more or less."""
_WINS = (game.ACTION_KIND_WIN, game.ACTION_KIND_ROB_FLOWER)
_SILENCE_MAX_S = 7.0
_UNREAD_MAX = 40
_NEXT_S = 1e-5
_GIVE_UP_S = 600.0


class Style:
    """How a player plays: seconds of thought, and shares of what it does."""

    def __init__(self, chance: Random, clock: Clock) -> None:
        self.median_s = chance.choice(_PACES_S[clock])
        self.absent = chance.choice((0.0, 0.0, 0.02, 0.3, 0.9))
        """Share of decisions that it lets time out."""
        self.claims = chance.choice((0.05, 0.3, 0.9))
        self.is_restless = chance.random() < 0.3
        """Whether it comes and goes."""


class Connection:
    """One stream between a worker and a player; in order, but late and cut at any moment."""

    def __init__(self) -> None:
        self.received: deque[pb.WatchTableResponse | None] = deque()
        self.wake = asyncio.Event()
        self.has_room = asyncio.Event()
        self.has_room.set()
        self.on_the_way = 0
        self.arrives_at = 0.0
        self.sent_at = -1.0
        self.packet: list[pb.WatchTableResponse | None] = []
        """What was sent together just now; it arrives together."""
        self.is_cut = False
        self.task: asyncio.Task[Any] | None = None

    def cut(self) -> None:
        """Ends it, as far as the player knows."""
        self.is_cut = True
        self.wake.set()

    async def arrivals(self) -> AsyncIterator[pb.WatchTableResponse | None]:
        """Yields what arrives, until the connection is cut."""
        while not self.is_cut:
            if not self.received:
                self.wake.clear()
                await self.wake.wait()
                continue
            self.has_room.set()
            yield self.received.popleft()


class Player:
    """One person at one table."""

    def __init__(self, world: "World", table_id: str, terms: Terms, seat: Seat) -> None:
        self.player_id = terms.occupants[seat].player_id or ""
        self.seat = seat
        self.table_id = table_id
        self.sequence = 0
        self.is_done = False
        self._epoch = 0
        self._hand = 0
        self._decision: event_pb2.Decision | None = None
        self._world = world
        self._chance = Random(world.chance.getrandbits(64))
        self._style = Style(self._chance, terms.clock)
        self._connection: Connection | None = None
        self._jobs: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        """Plays until the match is over."""
        if self._chance.random() < 0.5:
            self._start(self._command(lambda w: w.service.submit_nonce(self.player_id, self.table_id, bytes(32))))
        while not self.is_done:
            await self._watch_once()
            if not self.is_done:
                is_away = self._style.is_restless and self._chance.random() < 0.3
                await asyncio.sleep(self._chance.uniform(5, 120) if is_away else self._chance.uniform(0.05, 1))
        for job in self._jobs:
            job.cancel()

    def cut(self) -> None:
        """Loses the connection; the worker finds out some time later."""
        if self._connection is not None:
            self._connection.cut()

    # Watching

    async def _watch_once(self) -> None:
        process = await self._world.gateway.owner(self.table_id)
        if process is None:
            return
        if self._chance.random() < 0.1:
            self.sequence = 0  # Another device: it needs a snapshot.
        connection = self._connection = Connection()
        if self._style.is_restless:
            self._world.loop.call_later(self._chance.expovariate(1 / 300), self.cut)
        self._open(process, connection)
        silence = self._world.loop.call_later(_SILENCE_MAX_S, connection.cut)
        heard_at = self._world.loop.time()
        async for response in connection.arrivals():
            if response is None:
                break
            if self._world.loop.time() > heard_at + _NEXT_S:
                heard_at = self._world.loop.time()
                silence.cancel()
                silence = self._world.loop.call_later(_SILENCE_MAX_S, connection.cut)
            self._take(response)
            if self.is_done:
                break
        silence.cancel()
        connection.is_cut = True
        self._world.gateway.forget(self.table_id)
        if connection.task is not None:
            delay_s = self._chance.choice((0.1, 0.1, 15.0))
            self._world.loop.call_later(delay_s, connection.task.cancel, context=Context())

    def _open(self, process: Process, connection: Connection) -> None:
        epoch, after = self._epoch, self.sequence

        def arrive() -> None:
            if not process.host.is_dead:
                connection.task = process.host.spawn(self._send_all(process.worker, connection, epoch, after))

        self._world.loop.call_later(self._world.network.delay_s(), arrive, context=Context())

    async def _send_all(self, worker: Worker, connection: Connection, epoch: int, after: int) -> None:
        """Runs on the worker's host."""
        oracle = self._world.oracle
        try:
            async for response in worker.service.watch(self.player_id, self.table_id, epoch, after):
                if response.HasField("event"):
                    oracle.judge_event(self.table_id, self.seat, response.sequence, response.event)
                elif response.HasField("snapshot"):
                    oracle.judge_snapshot(self.table_id, self.seat, response.sequence, response.snapshot)
                self._carry(connection, response)
                if len(connection.received) + connection.on_the_way > _UNREAD_MAX:
                    connection.has_room.clear()
                await connection.has_room.wait()
        except ServiceError:
            pass
        except Exception as error:  # noqa: BLE001 - a client would get INTERNAL
            oracle.report(error)
        self._carry(connection, None)

    def _carry(self, connection: Connection, response: pb.WatchTableResponse | None) -> None:
        now = self._world.loop.time()
        connection.on_the_way += 1
        if connection.sent_at == now:
            connection.packet.append(response)
            return
        connection.sent_at, connection.packet = now, [response]
        connection.arrives_at = max(connection.arrives_at + _NEXT_S, now + self._world.network.delay_s())
        self._world.loop.call_at(connection.arrives_at, _arrive, connection, connection.packet, context=Context())

    def _take(self, response: pb.WatchTableResponse) -> None:
        self._epoch = response.epoch
        match response.WhichOneof("payload"):
            case "snapshot":
                self.sequence = response.sequence
                self._take_snapshot(response.snapshot)
            case "event":
                if response.sequence != self.sequence + 1:
                    self._gap(response.sequence)
                self.sequence = response.sequence
                self._take_event(response.event)
            case "status" | "heartbeat":
                if response.sequence != self.sequence:
                    self._gap(response.sequence)

    def _gap(self, sequence: int) -> None:
        named = {"table": self.table_id, "seat": self.seat, "before": self.sequence, "sequence": sequence}
        self._world.oracle.report(ViolationError("a stream has no gap", **named))

    def _take_snapshot(self, snapshot: event_pb2.TableSnapshot) -> None:
        self.is_done = snapshot.HasField("match_ended")
        self._decision = None
        self._hand = snapshot.hand.hand_number
        if snapshot.HasField("decision"):
            self._ask(snapshot.decision)
        if snapshot.HasField("hand_ended"):
            self._confirm()

    def _take_event(self, event: event_pb2.TableEvent) -> None:
        match event.WhichOneof("event"):
            case "decision_opened":
                self._ask(event.decision_opened.decision)
            case "decision_closed":
                self._decision = None
            case "hand_dealt":
                self._hand = event.hand_dealt.hand_number
            case "hand_ended":
                self._confirm()
            case "match_ended":
                self.is_done = True

    # Acting

    def _ask(self, decision: event_pb2.Decision) -> None:
        known = self._decision
        self._decision = decision
        if known is not None and known.decision_id == decision.decision_id:
            return  # Its time was moved.
        self._start(self._answer(decision))

    async def _answer(self, decision: event_pb2.Decision) -> None:
        if self._chance.random() < self._style.absent and decision.HasField("deadline_time"):
            return
        await asyncio.sleep(self._style.median_s * self._chance.lognormvariate(0, 0.7))
        if self._decision is None or self._decision.decision_id != decision.decision_id:
            return
        request = self._request(decision)
        if self._chance.random() < 0.03:  # Another device answers at the same time, perhaps otherwise.
            self._start(self._submit(*self._request(decision)))
        await self._submit(*request)
        if self._chance.random() < 0.1:
            await asyncio.sleep(self._chance.choice((0.1, 5.0, 60.0, 600.0)) * self._chance.random())
            await self._submit(*request)

    def _request(self, decision: event_pb2.Decision) -> tuple[Request, pb.SubmitActionRequest]:
        action = self._choose(decision)
        request_id = str(random_uuid(self._chance))
        sent = pb.SubmitActionRequest(
            request_id=request_id, table_id=self.table_id, decision_id=decision.decision_id, action=action
        )
        return Request(self.table_id, request_id, self.seat, decision.decision_id, action_from_proto(action)), sent

    def _choose(self, decision: event_pb2.Decision) -> game.Action:
        options = list(decision.options)
        wins = [option for option in options if option.kind in _WINS]
        if wins:
            return wins[0]
        if options[-1].kind == game.ACTION_KIND_PASS and self._chance.random() > self._style.claims:
            return options[-1]
        return self._chance.choice(options)

    async def _submit(self, request: Request, sent: pb.SubmitActionRequest) -> None:
        """Sends an answer until it is accepted or refused for good."""
        oracle, loop = self._world.oracle, self._world.loop
        give_up_at = loop.time() + _GIVE_UP_S

        async def handle(worker: Worker) -> int:
            began_at = loop.time()
            try:
                sequence = await worker.service.submit_action(self.player_id, sent, request.action)
            except ServiceError as error:
                if error.reason not in RETRIED:
                    oracle.refuse(request, error.reason, began_at)
                raise
            oracle.acknowledge(request, sequence)
            return sequence

        while loop.time() < give_up_at:
            try:
                await self._world.gateway.call(self.table_id, handle)
            except LostError:
                pass
            except ServiceError as error:
                if error.reason not in RETRIED:
                    self._world.refusals[error.reason] += 1
                    return
            else:
                return
            await asyncio.sleep(self._chance.uniform(0.05, 1.0))

    def _confirm(self) -> None:
        hand = self._hand

        async def confirm() -> None:
            await asyncio.sleep(self._chance.uniform(0.5, 15))
            await self._command(lambda w: w.service.confirm_result(self.player_id, self.table_id, hand))

        if self._chance.random() < 0.8:
            self._start(confirm())

    async def _command(self, handler: Any) -> None:
        for _ in range(5):
            try:
                await self._world.gateway.call(self.table_id, handler)
            except LostError:
                pass
            except ServiceError as error:
                if error.reason not in RETRIED:
                    return
            else:
                return
            await asyncio.sleep(0.5)

    def _start(self, job: Any) -> None:
        task = self._world.loop.create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)


def _arrive(connection: Connection, packet: list[pb.WatchTableResponse | None]) -> None:
    connection.on_the_way -= len(packet)
    connection.received += packet
    connection.wake.set()
