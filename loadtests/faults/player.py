"""One seat: plays by a computer player's decisions through every outage, and writes down all that it is told."""

import asyncio
import secrets
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import grpc

from loadtests.faults.pauses import Progress
from loadtests.faults.transcript import ANSWER, CONFIRMATION, EVENT, NONCE, REFUSED, SNAPSHOT, Transcript
from mahjong_cli.play.computer import Computer
from mahjong_cli.play.mirror import Mirror
from mahjong_cli.play.session import Session
from mahjong_kit.client import streaming
from mahjong_kit.errors import reason_of
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as pb

RETRY_S: Final = 0.1
CALL_TIMEOUT_S: Final = 10.0
RETRIED: Final = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED}
)
"""Nobody knows whether the call was carried out, or it was not: the very same call goes out again."""
TOO_LATE: Final = frozenset(
    {
        "ERROR_REASON_DECISION_CLOSED",
        "ERROR_REASON_NONCE_CLOSED",
        "ERROR_REASON_NO_RESULT_OPEN",
        "ERROR_REASON_MATCH_OVER",
    }
)
"""The table went on without the answer: others or the clock closed what it was about."""


class Player:
    """A signed-in player at a table."""

    def __init__(self, session: Session, table: str, transcript: Transcript, progress: Progress) -> None:
        self.table = table
        self.name = session.profile.player_id
        self._session = session
        self._transcript = transcript
        self._progress = progress
        self._mirror = Mirror()
        self._computer = Computer("basic")
        self._met: set[str] = set()
        """What was answered, or is being answered: decisions, hands whose results are confirmed."""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._mirror.table.phase == event_pb2.TABLE_PHASE_OVER

    async def play(self) -> None:
        """Plays until the match is over or the task is cancelled."""
        try:
            while not self.is_over:
                try:
                    await self._watch()
                except grpc.aio.AioRpcError as error:
                    self._judge(error)
                    await asyncio.sleep(RETRY_S)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _watch(self) -> None:
        """Follows one stream to its end."""
        mirror = self._mirror
        request = pb.WatchTableRequest(table_id=self.table, epoch=mirror.epoch, after_sequence=mirror.sequence)
        async with streaming(self._tables.WatchTable(request, metadata=await self._session.metadata())) as messages:
            async for message in messages:
                self._take(message)
                if self.is_over:
                    return

    def _take(self, message: pb.WatchTableResponse) -> None:
        match message.WhichOneof("payload"):
            case "event":
                self._note(EVENT, sequence=message.sequence, body=message.event.SerializeToString().hex())
                self._progress.note(self.table)
            case "snapshot":
                self._note(SNAPSHOT, sequence=message.sequence)
            case "resync":
                self._mirror.epoch = self._mirror.sequence = 0
        self._mirror.apply(message)
        self._react()

    def _react(self) -> None:
        """Answers what the table asks, each thing once."""
        table = self._mirror.table
        if table.HasField("decision"):
            self._start(table.decision.decision_id, self._decide)
        elif table.phase == event_pb2.TABLE_PHASE_NONCES:
            self._start("nonce", self._give_nonce)
        elif table.phase == event_pb2.TABLE_PHASE_RESULT:
            self._start(f"result {table.hand.hand_number}", self._confirm)

    def _start(self, what: str, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if what not in self._met:
            self._met.add(what)
            task = asyncio.create_task(act())
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._note(REFUSED, body=repr(task.exception()))

    async def _decide(self) -> None:
        decision = self._mirror.table.decision.decision_id
        action = await self._computer.choose(self._mirror.table)
        request = pb.SubmitActionRequest(
            request_id=str(uuid.uuid4()), table_id=self.table, decision_id=decision, action=action
        )
        sent_s = time.monotonic()
        answer = await self._send(self._tables.SubmitAction, request)
        if answer is not None:
            self._note(
                ANSWER,
                sequence=answer.sequence,
                request=request.request_id,
                decision=decision,
                body=action.SerializeToString().hex(),
                sent_s=sent_s,
                told_s=time.monotonic(),
            )

    async def _give_nonce(self) -> None:
        nonce = secrets.token_bytes(32)
        if await self._send(self._tables.SubmitNonce, pb.SubmitNonceRequest(table_id=self.table, nonce=nonce)):
            self._note(NONCE, body=nonce.hex())

    async def _confirm(self) -> None:
        hand = self._mirror.table.hand.hand_number
        request = pb.ConfirmResultRequest(table_id=self.table, hand_number=hand)
        if await self._send(self._tables.ConfirmResult, request):
            self._note(CONFIRMATION, hand=hand)

    async def _send(self, method: Callable[..., Awaitable[Any]], request: object) -> Any | None:
        """Sends the very same request until it is acknowledged; returns None if it came too late."""
        while True:
            try:
                return await method(request, timeout=CALL_TIMEOUT_S, metadata=await self._session.metadata())
            except grpc.aio.AioRpcError as error:
                if reason_of(error) in TOO_LATE:
                    return None
                if not self._judge(error):
                    return None
                await asyncio.sleep(RETRY_S)

    def _judge(self, error: grpc.aio.AioRpcError) -> bool:
        """Returns whether a careful client goes on in silence; writes the error down if not."""
        if error.code() in RETRIED:
            return True
        self._note(REFUSED, body=f"{error.code().name} {reason_of(error)} {error.details()}")
        return False

    def _note(self, of: str, **more: str | float) -> None:
        self._transcript.add(of, self.table, self.name, **more)

    @property
    def _tables(self) -> Any:
        return self._session.tables
