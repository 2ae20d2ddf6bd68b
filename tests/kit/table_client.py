"""A player of the table service as tests know one: watches, checks every number of its stream, answers."""

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import grpc

from mahjong_kit.client import streaming
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb
from tests.kit.tokens import TokenIssuer

WAIT_S = 60.0
PATIENCE_S = 30.0

WINS = (game.ACTION_KIND_WIN, game.ACTION_KIND_ROB_FLOWER)


def people(*player_ids: str) -> list[game.Occupant]:
    """Returns four occupants: these players, then computers."""
    occupants = [
        game.Occupant(player_id=player_id, display_name=f"P{seat}") for seat, player_id in enumerate(player_ids)
    ]
    computers = 4 - len(occupants)
    return occupants + [game.Occupant(computer=game.COMPUTER_LEVEL_BASIC, display_name="Computer")] * computers


def table_request(*player_ids: str, **changed: Any) -> pb.CreateTableRequest:
    """Returns the request of a private classical table of one hand."""
    fields: dict[str, Any] = {
        "match_id": str(uuid.uuid4()),
        "rule_set": game.RULE_SET_CLASSICAL,
        "clock": game.CLOCK_STANDARD,
        "length": game.MATCH_LENGTH_ONE_HAND,
        "table_kind": game.TABLE_KIND_PRIVATE,
        "occupants": people(*player_ids),
    }
    return pb.CreateTableRequest(**(fields | changed))


class SeatClient:
    """One player at one table. Events are kept for good; each must follow the one before without a gap."""

    def __init__(self, stub: Any, issuer: TokenIssuer, player_id: str, table_id: str) -> None:
        self.stub = stub
        self.player_id = player_id
        self.table_id = table_id
        self.metadata = issuer.player(player_id)
        self.epoch = 0
        self.sequence = 0
        self.events: dict[int, event_pb2.TableEvent] = {}
        self.snapshots: list[event_pb2.TableSnapshot] = []
        self.statuses: list[pb.TableStatus] = []
        self.heartbeats: list[int] = []
        self.echo_ids: list[str] = []
        self.resyncs = 0
        self.decision: event_pb2.Decision | None = None
        self.ended: grpc.aio.AioRpcError | bool | None = None
        """How the stream ended: True in order, else the error."""
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # Watching

    async def watch(self, *, after: int | None = None, epoch: int | None = None) -> "SeatClient":
        """Opens a stream: a snapshot at first, later what was missed."""
        await self.unwatch()
        self.ended = None
        self.sequence = self.sequence if after is None else after
        request = pb.WatchTableRequest(
            table_id=self.table_id,
            epoch=self.epoch if epoch is None else epoch,
            after_sequence=self.sequence,
        )
        self._task = asyncio.create_task(self._read(request))
        return self

    async def unwatch(self) -> None:
        """Cuts the connection."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def until(self, met: Callable[[], Any], timeout_s: float = WAIT_S) -> Any:
        """Waits until something is true of what was received; returns it."""
        async with asyncio.timeout(timeout_s):
            while not (found := met()):
                self._changed.clear()
                await self._changed.wait()
        return found

    async def until_event(self, kind: str, after: int = 0) -> event_pb2.TableEvent:
        """Waits for an event of a kind."""
        return await self.until(lambda: next(iter(self.events_of(kind, after)), None))

    async def until_asked(self) -> event_pb2.Decision:
        """Waits for an open decision of this seat."""
        return await self.until(lambda: self.decision)

    async def until_ended(self) -> grpc.aio.AioRpcError | bool:
        """Waits until the stream has ended."""
        return await self.until(lambda: self.ended)

    def events_of(self, kind: str, after: int = 0) -> list[event_pb2.TableEvent]:
        """Returns the events of a kind, oldest first."""
        return [e for s, e in sorted(self.events.items()) if s > after and e.WhichOneof("event") == kind]

    # Acting

    async def answer(
        self,
        action: game.Action,
        *,
        decision_id: str | None = None,
        request_id: str | None = None,
        table_id: str | None = None,
    ) -> int:
        """Answers the open decision, or the one of an id."""
        if decision_id is None:
            assert self.decision is not None
            decision_id = self.decision.decision_id
        request = pb.SubmitActionRequest(
            request_id=request_id or str(uuid.uuid4()),
            table_id=table_id or self.table_id,
            decision_id=decision_id,
            action=action,
        )
        response = await self.stub.SubmitAction(request, metadata=self.metadata, timeout=PATIENCE_S)
        return int(response.sequence)

    async def answer_plainly(self, request_id: str | None = None) -> int | None:
        """Answers the open decision plainly and waits until it is closed; None if others closed it first."""
        decision, sequence = self.decision, None
        assert decision is not None
        request_id = request_id or str(uuid.uuid4())
        while sequence is None:
            try:
                action = plain_answer(decision)
                sequence = await self.answer(action, decision_id=decision.decision_id, request_id=request_id)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    break
                await asyncio.sleep(0.02)
        await self.until(
            lambda: self.ended or self.decision is None or self.decision.decision_id != decision.decision_id
        )
        return sequence

    async def play_until(self, done: Callable[[], Any]) -> None:
        """Answers plainly until something is true of what was received."""
        while not done():
            await self.until(lambda: self.decision or done())
            if self.decision is not None and not done():
                await self.answer_plainly()

    async def play_hand(self, hand: int) -> None:
        """Answers plainly until a hand has ended."""
        await self.play_until(lambda: len(self.events_of("hand_ended")) > hand)

    async def play_on(self) -> None:
        """Answers plainly until the match is over."""
        await self.play_until(lambda: self.ended)

    async def give_nonce(self, nonce: bytes) -> None:
        """Gives this player's nonce."""
        await self.stub.SubmitNonce(pb.SubmitNonceRequest(table_id=self.table_id, nonce=nonce), metadata=self.metadata)

    async def echo(self, echo_id: str) -> None:
        """Echoes a heartbeat."""
        request = pb.EchoHeartbeatRequest(table_id=self.table_id, echo_id=echo_id)
        await self.stub.EchoHeartbeat(request, metadata=self.metadata)

    async def confirm(self, hand: int) -> None:
        """Confirms the result of a hand."""
        request = pb.ConfirmResultRequest(table_id=self.table_id, hand_number=hand)
        await self.stub.ConfirmResult(request, metadata=self.metadata)

    # Reading

    async def _read(self, request: pb.WatchTableRequest) -> None:
        try:
            async with streaming(self.stub.WatchTable(request, metadata=self.metadata)) as responses:
                async for response in responses:
                    self._take(response)
            self.ended = True
        except grpc.aio.AioRpcError as error:
            self.ended = error
        self._changed.set()

    def _take(self, response: pb.WatchTableResponse) -> None:
        assert response.HasField("server_time")
        self.epoch = response.epoch
        match response.WhichOneof("payload"):
            case "snapshot":
                self.snapshots.append(response.snapshot)
                self.sequence = response.sequence
                snapshot = response.snapshot
                self.decision = snapshot.decision if snapshot.HasField("decision") else None
            case "event":
                assert response.sequence == self.sequence + 1, (response.sequence, self.sequence)
                self.sequence = response.sequence
                self._take_event(response.event)
            case "status":
                assert response.sequence == self.sequence
                self.statuses.append(response.status)
            case "heartbeat":
                assert response.sequence == self.sequence
                self.heartbeats.append(response.sequence)
                if response.heartbeat.echo_id:
                    self.echo_ids.append(response.heartbeat.echo_id)
            case "resync":
                self.resyncs += 1
        self._changed.set()

    def _take_event(self, event: event_pb2.TableEvent) -> None:
        assert self.sequence not in self.events, "an event came twice"
        self.events[self.sequence] = event
        match event.WhichOneof("event"):
            case "decision_opened":
                self.decision = event.decision_opened.decision
            case "decision_closed":
                if self.decision is not None and self.decision.decision_id == event.decision_closed.decision_id:
                    self.decision = None


def plain_answer(decision: event_pb2.Decision) -> game.Action:
    """Returns a sensible answer: a win, else no claim, else the last discard offered."""
    wins = [option for option in decision.options if option.kind in WINS]
    return wins[0] if wins else decision.options[-1]
