"""An asyncio seat driver: many people who answer their tables' decisions, at little cost to the machine."""

import asyncio
import time
import uuid
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import grpc

from mahjong_kit.errors import reason_of
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.kit.shared_stub import SharedStub
from tests.kit.table_client import people, plain_answer
from tests.kit.tokens import Metadata, TokenIssuer

CLOSED = frozenset({"ERROR_REASON_DECISION_CLOSED", "ERROR_REASON_MATCH_OVER", "ERROR_REASON_NO_RESULT_OPEN"})
"""Another seat's claim or the clock was first: no fault."""
RETRIED = frozenset({"ERROR_REASON_DRAINING", "ERROR_REASON_SERVICE_UNREACHABLE", "ERROR_REASON_STORE_UNREACHABLE", ""})
"""A client sends the same again, without a word to its player."""
_RETRY_S = 0.05
_SEATS_PER_CHANNEL = 250
_OPENERS = 16
_OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))


@dataclass
class Told:
    """What all players of a run were told."""

    acknowledged_s: list[float] = field(default_factory=list)
    """Of each acknowledged answer: from the call to its acknowledgement, retries included."""
    closed: int = 0
    events: int = 0
    pauses_s: list[float] = field(default_factory=list)
    """Of each lost stream: until the next one brought something."""
    problems: list[str] = field(default_factory=list)

    def forget(self) -> None:
        """Begins a new measurement."""
        self.acknowledged_s, self.pauses_s, self.closed, self.events = [], [], 0, 0


class Seat:
    """One person at one table, who answers plainly after a thought."""

    def __init__(self, stub: Any, metadata: Metadata, table_id: str, told: Told, thought_s: float) -> None:
        self._stub = stub
        self._metadata = metadata
        self._table_id = table_id
        self._told = told
        self._thought_s = thought_s
        self._epoch = self._sequence = 0
        self._hand = 0
        self._is_over = False
        self._answers: set[asyncio.Task[None]] = set()
        self._chance = Random(table_id)
        self._lost_at: float | None = None

    async def play(self) -> None:
        """Plays to the end of the match, through every interruption."""
        try:
            while not self._is_over:
                try:
                    await self._watch()
                except grpc.aio.AioRpcError as error:
                    self._lost_at = self._lost_at or time.monotonic()
                    self._judge(error)
                    await asyncio.sleep(_RETRY_S)
        finally:
            for answer in self._answers:
                answer.cancel()

    async def _watch(self) -> None:
        request = pb.WatchTableRequest(table_id=self._table_id, epoch=self._epoch, after_sequence=self._sequence)
        call = self._stub.WatchTable(request, metadata=self._metadata)
        try:
            async for response in call:
                if self._lost_at is not None:
                    self._told.pauses_s.append(time.monotonic() - self._lost_at)
                    self._lost_at = None
                self._take(response)
        finally:
            call.cancel()
        self._is_over = True

    def _take(self, response: pb.WatchTableResponse) -> None:
        match response.WhichOneof("payload"):
            case "snapshot":
                self._epoch, self._sequence = response.epoch, response.sequence
                self._hand = response.snapshot.hand.hand_number
                if response.snapshot.HasField("decision"):
                    self._start(self._answer(response.snapshot.decision))
            case "event":
                if response.sequence != self._sequence + 1:
                    self._told.problems.append(f"event {response.sequence} after {self._sequence}")
                self._epoch, self._sequence = response.epoch, response.sequence
                self._told.events += 1
                self._take_event(response.event)
            case "resync":
                self._told.problems.append("resync")
                self._epoch = self._sequence = 0

    def _take_event(self, event: event_pb2.TableEvent) -> None:
        match event.WhichOneof("event"):
            case "decision_opened":
                self._start(self._answer(event.decision_opened.decision))
            case "hand_dealt":
                self._hand = event.hand_dealt.hand_number
            case "hand_ended":
                self._start(self._confirm(self._hand))

    def _start(self, what: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(what)
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _answer(self, decision: event_pb2.Decision) -> None:
        if self._thought_s:
            await asyncio.sleep(self._thought_s * self._chance.uniform(0.5, 1.5))
        request = pb.SubmitActionRequest(
            request_id=str(uuid.uuid4()),
            table_id=self._table_id,
            decision_id=decision.decision_id,
            action=plain_answer(decision),
        )
        started = time.perf_counter()
        while True:
            try:
                await self._stub.SubmitAction(request, metadata=self._metadata, timeout=30)
            except grpc.aio.AioRpcError as error:
                if reason_of(error) in CLOSED:
                    self._told.closed += 1
                    return
                if not self._judge(error):
                    return
                await asyncio.sleep(_RETRY_S)
            else:
                self._told.acknowledged_s.append(time.perf_counter() - started)
                return

    async def _confirm(self, hand: int) -> None:
        request = pb.ConfirmResultRequest(table_id=self._table_id, hand_number=hand)
        try:
            await self._stub.ConfirmResult(request, metadata=self._metadata, timeout=30)
        except grpc.aio.AioRpcError as error:
            if reason_of(error) not in CLOSED:
                self._judge(error)

    def _judge(self, error: grpc.aio.AioRpcError) -> bool:
        """Returns whether the same call may be sent again; notes what a player would have had to act on."""
        if reason_of(error) in RETRIED:
            return True
        self._told.problems.append(f"{error.code().name} {reason_of(error)} {error.details()}")
        return False


class Crowd:
    """People at many tables, over a few channels.

    Those who call a worker itself watch over a stream that they share by channel, as the gateway's clients do: a worker
    costs what it costs in production.
    """

    def __init__(self, address: str, issuer: TokenIssuer, *, thought_s: float, is_worker: bool) -> None:
        self.told = Told()
        self._address = address
        self._is_worker = is_worker
        self._issuer = issuer
        self._thought_s = thought_s
        self._channels: list[grpc.aio.Channel] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._stub: Any = None

    async def sit_down(self, tables: int, people_each: int, openers: Sequence[str]) -> None:
        """Opens tables at workers in turn, and begins to play at each at once.

        Args:
            tables: how many.
            people_each: people at each table; computers have its other seats.
            openers: addresses of the workers.
        """
        stubs: list[Any] = []
        for address in openers:
            self._channels.append(grpc.aio.insecure_channel(address, _OPTIONS))
            stubs.append(TableServiceStub(self._channels[-1]))
        numbers = iter(range(tables))

        async def open_some() -> None:
            for number in numbers:
                await self._open(stubs[number % len(stubs)], people_each)

        await asyncio.gather(*(open_some() for _ in range(_OPENERS)))

    async def stand_up(self) -> None:
        """Stops playing; raises what went wrong in a player of ours."""
        for task in self._tasks:
            task.cancel()
        for outcome in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome
        for channel in self._channels:
            await channel.close()

    def _connect(self) -> Any:
        channel = grpc.aio.insecure_channel(self._address, _OPTIONS)
        self._channels.append(channel)
        return (
            SharedStub(channel, self._issuer.internal_tokens("gateway"))
            if self._is_worker
            else TableServiceStub(channel)
        )

    async def _open(self, opener: Any, people_each: int) -> None:
        players = [str(uuid.uuid4()) for _ in range(people_each)]
        request = pb.CreateTableRequest(
            match_id=str(uuid.uuid4()),
            rule_set=game.RULE_SET_CLASSICAL,
            clock=game.CLOCK_STANDARD,
            length=game.MATCH_LENGTH_FULL,
            table_kind=game.TABLE_KIND_PRIVATE,
            occupants=people(*players),
        )
        metadata = self._issuer.service("matchmaker")
        while True:
            try:
                made = await opener.CreateTable(request, metadata=metadata, timeout=60)
                break
            except grpc.aio.AioRpcError as error:
                if reason_of(error) not in {*RETRIED, "ERROR_REASON_NO_TABLE_CAPACITY"}:
                    raise
                await asyncio.sleep(_RETRY_S)  # The match id makes it safe.
        for player in players:
            if len(self._tasks) % _SEATS_PER_CHANNEL == 0:
                self._stub = self._connect()
            seat = Seat(self._stub, self._issuer.player(player), made.table_id, self.told, self._thought_s)
            self._tasks.append(asyncio.create_task(seat.play()))
