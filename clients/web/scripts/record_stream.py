# ruff: noqa: INP001 - a script, no package
"""Records what a table sends one viewer, through a running gateway.

    python clients/web/scripts/record_stream.py http://127.0.0.1:8080 classical FILE [one_hand|east_round [SEED]]

Plays an untimed practice match with legal answers drawn by the seed, and writes each message of WatchTable as a line of
base64. At every tenth question, and after each hand, it watches anew from a snapshot, so that a reader can compare the
sum of the events with what the server says is true.
"""

import asyncio
import base64
import random
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

from connectrpc.code import Code
from connectrpc.errors import ConnectError

from mahjongplanet.account.v1.account_service_connect import AccountServiceClient
from mahjongplanet.account.v1.account_service_pb2 import CreateGuestRequest
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.matchmaker.v1.matchmaker_service_connect import MatchmakerServiceClient
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2 import StartPracticeRequest
from mahjongplanet.table.v1.event_pb2 import TABLE_PHASE_OVER, TABLE_PHASE_RESULT, Decision
from mahjongplanet.table.v1.table_service_connect import TableServiceClient
from mahjongplanet.table.v1.table_service_pb2 import (
    ConfirmResultRequest,
    SubmitActionRequest,
    SubmitNonceRequest,
    WatchTableRequest,
    WatchTableResponse,
)

RULE_SETS = {"classical": game.RULE_SET_CLASSICAL, "taiwanese": game.RULE_SET_TAIWANESE}
LENGTHS = {"one_hand": game.MATCH_LENGTH_ONE_HAND, "east_round": game.MATCH_LENGTH_EAST_ROUND}
EAGER = (game.ACTION_KIND_WIN, game.ACTION_KIND_KONG, game.ACTION_KIND_ORIGINAL_CALL, game.ACTION_KIND_ROB_FLOWER)
SNAPSHOT_EVERY = 10


class Recorder:
    """One guest at one practice table."""

    def __init__(self, address: str, chance: random.Random) -> None:
        self._accounts = AccountServiceClient(address)
        self._matchmaker = MatchmakerServiceClient(address)
        self._tables = TableServiceClient(address)
        self._chance = chance
        self._headers: dict[str, str] = {}
        self._table_id = ""
        self._questions = 0

    async def start(self, rule_set: game.RuleSet.ValueType, length: game.MatchLength.ValueType) -> None:
        """Signs in and opens the table."""
        guest = await self._accounts.create_guest(CreateGuestRequest(display_name="Recorder"))
        self._headers = {"authorization": f"Bearer {guest.session.access_token}"}
        request = StartPracticeRequest(
            request_id=str(uuid.uuid4()),
            rule_set=rule_set,
            clock=game.CLOCK_UNTIMED,
            length=length,
            computers=[game.COMPUTER_LEVEL_BASIC] * 3,
        )
        self._table_id = (await self._matchmaker.start_practice(request, headers=self._headers)).table_id

    async def messages(self) -> AsyncIterator[WatchTableResponse]:
        """Yields every message until the match is over, and answers what is asked."""
        is_over = False
        while not is_over:
            request = WatchTableRequest(table_id=self._table_id)
            async with aclosing(self._tables.watch_table(request, headers=self._headers)) as stream:
                async for message in stream:
                    yield message
                    is_over = _is_over(message)
                    if is_over or await self._answer(message):
                        break

    async def _answer(self, message: WatchTableResponse) -> bool:
        """Answers what a message asks for; returns whether to watch anew first, from a snapshot."""
        kind = message.WhichOneof("payload")
        snapshot, event = message.snapshot, message.event
        if kind == "snapshot" and not snapshot.HasField("hand"):
            nonce = SubmitNonceRequest(table_id=self._table_id, nonce=self._chance.randbytes(32))
            await self._tables.submit_nonce(nonce, headers=self._headers)
        elif kind == "snapshot" and snapshot.HasField("decision"):
            await self._submit(snapshot.decision)
        elif kind == "event" and event.HasField("decision_opened"):
            self._questions += 1
            if self._questions % SNAPSHOT_EVERY == 0:
                return True
            await self._submit(event.decision_opened.decision)
        elif kind == "event" and event.HasField("hand_ended"):
            return not event.hand_ended.match_over
        elif kind == "snapshot" and snapshot.phase == TABLE_PHASE_RESULT:
            confirm = ConfirmResultRequest(table_id=self._table_id, hand_number=snapshot.hand.hand_number)
            await self._tables.confirm_result(confirm, headers=self._headers)
        return False

    async def _submit(self, decision: Decision) -> None:
        options = list(decision.options)
        eager = [option for option in options if option.kind in EAGER or option.original_call]
        request = SubmitActionRequest(
            request_id=str(uuid.uuid4()),
            table_id=self._table_id,
            decision_id=decision.decision_id,
            action=self._chance.choice(eager or options),
        )
        try:
            await self._tables.submit_action(request, headers=self._headers)
        except ConnectError as error:
            if error.code is not Code.ABORTED:  # a claim lapses when somebody nearer has won
                raise


def _is_over(message: WatchTableResponse) -> bool:
    return message.event.HasField("match_ended") or message.snapshot.phase == TABLE_PHASE_OVER


async def _record(address: str, rule_set: str, path: Path, length: str = "one_hand", seed: str = "1") -> None:
    recorder = Recorder(address, random.Random(seed))
    await recorder.start(RULE_SETS[rule_set], LENGTHS[length])
    lines = [base64.b64encode(message.SerializeToString()).decode() async for message in recorder.messages()]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    _address, _rule_set, _path, *_rest = sys.argv[1:]
    asyncio.run(_record(_address, _rule_set, Path(_path), *_rest))
