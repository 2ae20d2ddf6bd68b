"""A player who plays by the options that the server sends, through losses of every process in between."""

import asyncio
import uuid
from typing import Any

import grpc

from mahjong_kit.client import streaming
from mahjong_kit.errors import reason_of
from mahjongplanet.game.v1.terms_pb2 import ACTION_KIND_WIN, Action
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub

_CLOSED = {"ERROR_REASON_DECISION_CLOSED", "ERROR_REASON_MATCH_OVER"}


class Player:
    """Watches one table to the end of its match and answers each decision."""

    def __init__(self, address: str, token: str, table_id: str) -> None:
        self._address = address
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._table_id = table_id
        self._epoch = 0
        self._sequence = 0
        self.events: list[Any] = []
        """Events as they came, without those that a snapshot stood for."""
        self.snapshots = 0
        self.streams = 0
        self.answered: dict[str, Action] = {}
        """Acknowledged answers by decision."""
        self.ended: Any = None

    async def play(self) -> None:
        """Plays until the match has ended."""
        while self.ended is None:
            try:
                async with grpc.aio.insecure_channel(self._address) as channel:
                    await self._watch(TableServiceStub(channel))
            except grpc.aio.AioRpcError as error:
                if error.code() not in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}:
                    raise
                await asyncio.sleep(0.1)

    async def _watch(self, stub: Any) -> None:
        request = pb.WatchTableRequest(table_id=self._table_id, epoch=self._epoch, after_sequence=self._sequence)
        self.streams += 1
        async with streaming(stub.WatchTable(request, metadata=self._metadata, timeout=240)) as responses:
            async for response in responses:
                await self._take(stub, response)

    async def _take(self, stub: Any, response: Any) -> None:
        kind = response.WhichOneof("payload")
        if kind == "event":
            assert (response.epoch, response.sequence) == (self._epoch, self._sequence + 1), "an event was lost"
            self.events.append(response.event)
        if kind in {"event", "snapshot"}:
            self._epoch, self._sequence = response.epoch, response.sequence
        if kind == "snapshot":
            self.snapshots += 1
            await self._meet(stub, response.snapshot)
        if kind == "event" and response.event.HasField("decision_opened"):
            await self._answer(stub, response.event.decision_opened.decision)
        if kind == "event" and response.event.HasField("match_ended"):
            self.ended = response.event.match_ended

    async def _meet(self, stub: Any, snapshot: Any) -> None:
        if snapshot.HasField("match_ended"):
            self.ended = snapshot.match_ended
        elif snapshot.HasField("decision"):
            await self._answer(stub, snapshot.decision)

    async def _answer(self, stub: Any, decision: Any) -> None:
        wins = [option for option in decision.options if option.kind == ACTION_KIND_WIN]
        action = (wins or list(decision.options))[-1]
        request = pb.SubmitActionRequest(
            request_id=str(uuid.uuid4()), table_id=self._table_id, decision_id=decision.decision_id, action=action
        )
        while True:
            try:
                await stub.SubmitAction(request, metadata=self._metadata, timeout=30)
            except grpc.aio.AioRpcError as error:
                if reason_of(error) in _CLOSED:
                    return
                if error.code() not in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}:
                    raise
                await asyncio.sleep(0.1)
            else:
                self.answered[decision.decision_id] = action
                return
