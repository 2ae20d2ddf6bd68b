"""Plays one seat of one table: follows its stream, answers its decisions, comes back after every interruption."""

import asyncio
import secrets
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, Protocol

import grpc

from mahjong_cli.play.mirror import Mirror
from mahjong_cli.play.patience import Patience
from mahjong_cli.play.session import CALL_TIMEOUT_S, Session
from mahjong_kit.errors import reason_of
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as service

TOO_LATE_REASONS: Final = frozenset(
    {
        "ERROR_REASON_DECISION_CLOSED",
        "ERROR_REASON_NONCE_CLOSED",
        "ERROR_REASON_NO_RESULT_OPEN",
        "ERROR_REASON_MATCH_OVER",
    }
)
"""The table went on without the answer; the stream tells how."""


class Chooser(Protocol):
    """Whoever decides for the seat."""

    async def choose(self, table: pb.TableSnapshot) -> terms.Action:
        """Returns one of the options of the table's open decision."""

    async def confirm(self, table: pb.TableSnapshot) -> None:
        """Returns when the result of the hand has been seen."""


async def play_seat(
    session: Session, table_id: str, chooser: Chooser, show: Callable[[Mirror, service.WatchTableResponse], None]
) -> pb.TableSnapshot:
    """Plays until the match is over and returns the table as it was then.

    Raises:
        grpc.aio.AioRpcError: the gateway refused for good, or nothing answered for `GIVE_UP_AFTER_S`.
    """
    return await _SeatPlayer(session, table_id, chooser, show).run()


class _SeatPlayer:
    def __init__(
        self,
        session: Session,
        table_id: str,
        chooser: Chooser,
        show: Callable[[Mirror, service.WatchTableResponse], None],
    ) -> None:
        self._session = session
        self._table_id = table_id
        self._chooser = chooser
        self._show = show
        self._mirror = Mirror()
        self._answering: asyncio.Task[None] | None = None
        self._answered = ""
        """What `_answering` is about: a decision id, or the number of a hand whose result is confirmed."""
        self._sending: set[asyncio.Task[None]] = set()
        """What is under way to the server: it gets there, also when the table has gone on meanwhile."""

    async def run(self) -> pb.TableSnapshot:
        patience = Patience()
        try:
            while self._mirror.table.phase != pb.TABLE_PHASE_OVER:
                try:
                    await self._watch(patience)
                except grpc.aio.AioRpcError as error:
                    await patience.wait_after(error)
            if self._sending:
                await asyncio.wait(self._sending, timeout=CALL_TIMEOUT_S)
        finally:
            self._stop_answering()
            for sending in self._sending:
                sending.cancel()
        return self._mirror.table

    async def _watch(self, patience: Patience) -> None:
        """Follows one stream to its end or until the match is over."""
        request = service.WatchTableRequest(
            table_id=self._table_id, epoch=self._mirror.epoch, after_sequence=self._mirror.sequence
        )
        call = self._session.tables.WatchTable(request, metadata=await self._session.metadata())
        try:
            async for message in call:
                patience.renew()
                if self._mirror.apply(message) == "resync":
                    self._mirror.epoch = self._mirror.sequence = 0
                if message.heartbeat.echo_id:
                    self._start(self._echo(message.heartbeat.echo_id))
                self._show(self._mirror, message)
                if self._mirror.table.phase == pb.TABLE_PHASE_OVER:
                    return
                self._react()
        finally:
            call.cancel()

    def _react(self) -> None:
        """Starts the answer that the table waits for, and drops one that it no longer waits for."""
        if self._answering is not None and self._answering.done():
            self._answering.result()  # raises what went wrong with it
        table = self._mirror.table
        if table.phase == pb.TABLE_PHASE_NONCES:
            self._answer("nonce", self._give_nonce)
        elif table.HasField("decision"):
            self._answer(table.decision.decision_id, self._decide)
        elif table.phase == pb.TABLE_PHASE_RESULT:
            self._answer(f"result {table.hand.hand_number}", self._confirm)
        else:
            self._stop_answering()

    def _answer(self, what: str, act: Callable[[], Awaitable[None]]) -> None:
        if what != self._answered:
            self._stop_answering()
            self._answered = what
            self._answering = asyncio.ensure_future(act())

    def _stop_answering(self) -> None:
        if self._answering is not None:
            self._answering.cancel()
        self._answering, self._answered = None, ""

    async def _echo(self, echo_id: str) -> None:
        """Lets the server measure the way to us and back; one that gets lost is not missed."""
        request = service.EchoHeartbeatRequest(table_id=self._table_id, echo_id=echo_id)
        with suppress(grpc.aio.AioRpcError):
            await self._session.tables.EchoHeartbeat(request, timeout=5, metadata=await self._session.metadata())

    async def _decide(self) -> None:
        decision_id = self._mirror.table.decision.decision_id
        action = await self._chooser.choose(self._mirror.table)
        request = service.SubmitActionRequest(
            request_id=str(uuid.uuid4()), table_id=self._table_id, decision_id=decision_id, action=action
        )
        await self._send(self._session.tables.SubmitAction, request)

    async def _give_nonce(self) -> None:
        request = service.SubmitNonceRequest(table_id=self._table_id, nonce=secrets.token_bytes(32))
        await self._send(self._session.tables.SubmitNonce, request)

    async def _confirm(self) -> None:
        hand_number = self._mirror.table.hand.hand_number
        await self._chooser.confirm(self._mirror.table)
        request = service.ConfirmResultRequest(table_id=self._table_id, hand_number=hand_number)
        await self._send(self._session.tables.ConfirmResult, request)

    def _start(self, sending: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(sending)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    async def _send(self, method: Callable[..., Awaitable[object]], request: object) -> None:
        await asyncio.shield(self._start(self._sent(method, request)))

    async def _sent(self, method: Callable[..., Awaitable[object]], request: object) -> None:
        """Sends a request; an answer that came too late is none of our business any more."""
        try:
            await self._session.call(method, request)
        except grpc.aio.AioRpcError as error:
            if reason_of(error) not in TOO_LATE_REASONS:
                raise
