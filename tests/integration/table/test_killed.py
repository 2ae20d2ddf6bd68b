"""A real table process that is killed again and again while four players play at each of its tables."""

import asyncio
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import grpc
import orjson
import pytest

from mahjong_table.core.entry import Entry, happening
from mahjong_table.core.evolve import evolve, open_table
from mahjong_table.core.state import Opening
from mahjong_table.core.terms import terms_from_json
from mahjong_table.wire.event import event_to_proto
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.kit.processes import ServiceProcess, service_process
from tests.kit.table_client import SeatClient, plain_answer, table_request
from tests.kit.tokens import SERVICE_KEY, TokenIssuer

KILLS = 3
TABLES = 3
ANSWERS_BETWEEN_KILLS = 40
RETRIED = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


@dataclass
class Play:
    """What the players of all tables were promised."""

    acknowledged: dict[str, tuple[str, str, str, int]] = field(default_factory=dict)
    """Table, player, decision and sequence of every acknowledged answer, by request id."""

    async def until(self, count: int) -> None:
        async with asyncio.timeout(120):
            while len(self.acknowledged) < count:
                await asyncio.sleep(0.01)


class House:
    """The process, its stores, and how it is started again."""

    def __init__(self, stack: ExitStack, settings: dict[str, Any]) -> None:
        self._stack = stack
        self._settings = settings
        self.process: ServiceProcess = stack.enter_context(service_process("table", **settings))
        self.address = self.process.started()

    def kill_and_start(self) -> None:
        self.process.kill()
        port = self.address.rpartition(":")[2]
        self.process = self._stack.enter_context(service_process("table", **(self._settings | {"port": port})))
        self.process.started()


@pytest.fixture
def database(tmp_path) -> str:
    return str(tmp_path / "table.db")


@pytest.fixture
def house(database: str, redis_url: str, account_address: str) -> Iterator[House]:
    settings = {
        "database_dsn": f"sqlite:///{database}",
        "service_key": SERVICE_KEY,
        "account_address": account_address,
        "redis_url": redis_url,
        "nonce_window_ms": 300,
        "result_window_ms": 300,
        "floor_min_ms": 5,
        "floor_max_ms": 20,
        "alive_period_s": 0.1,
        "replay_address": "127.0.0.1:1",
        "rating_address": "127.0.0.1:1",
    }
    with ExitStack() as stack:
        yield House(stack, settings)


async def play(client: SeatClient, promised: Play) -> None:
    """Plays to the end of the match through every outage, as a careful client does."""
    while True:
        if client.ended is True:
            return
        if client.ended is not None:
            assert client.ended.code() in RETRIED, client.ended
            await asyncio.sleep(0.05)
            await client.watch()
        await client.until(lambda: client.decision or client.ended is not None, 120)
        if client.decision is not None and client.ended is None:
            await answer(client, promised)


async def answer(client: SeatClient, promised: Play) -> None:
    """Answers once; sends the very same again until it is acknowledged or refused for good."""
    decision, request_id = client.decision, str(uuid.uuid4())
    action = plain_answer(decision)
    while True:
        try:
            sequence = await client.answer(action, decision_id=decision.decision_id, request_id=request_id)
        except grpc.aio.AioRpcError as error:
            if error.code() in RETRIED:
                await asyncio.sleep(0.05)
                continue
            assert error.code() is grpc.StatusCode.ABORTED, error  # noqa: PT017 - others may have closed it
            break
        promised.acknowledged[request_id] = (client.table_id, client.player_id, decision.decision_id, sequence)
        break
    with_same = lambda: client.decision is None or client.decision.decision_id != decision.decision_id  # noqa: E731
    await client.until(lambda: with_same() or client.ended is not None, 120)


async def test_a_table_process_killed_under_load_loses_nothing_that_was_acknowledged(
    house: House, database: str, issuer: TokenIssuer
) -> None:
    promised = Play()
    async with grpc.aio.insecure_channel(house.address, [("grpc.enable_retries", 0)]) as channel:
        stub = TableServiceStub(channel)
        clients = []
        for _ in range(TABLES):
            players = [str(uuid.uuid4()) for _ in range(4)]
            request = table_request(*players, length=game.MATCH_LENGTH_ONE_HAND, clock=game.CLOCK_RELAXED)
            table_id = (await stub.CreateTable(request, metadata=issuer.service("matchmaker"))).table_id
            clients += [SeatClient(stub, issuer, player, table_id) for player in players]
        await asyncio.gather(*(client.watch() for client in clients))
        games = [asyncio.create_task(play(client, promised)) for client in clients]
        for kill in range(KILLS):
            await promised.until((kill + 1) * ANSWERS_BETWEEN_KILLS)
            await asyncio.to_thread(house.kill_and_start)
        async with asyncio.timeout(180):
            await asyncio.gather(*games)

    logged = read_log(database)
    for request_id, (table_id, player_id, decision_id, sequence) in promised.acknowledged.items():
        found = [row for row in logged[table_id] if row["request_id"] == request_id]
        assert len(found) == 1
        answered = orjson.loads(found[0]["payload"])
        assert (found[0]["player_id"], answered["decision"], answered["stands_at"]) == (
            player_id,
            decision_id,
            sequence,
        )
    for client in clients:
        assert client.events[client.sequence].WhichOneof("event") == "match_ended"
        assert seen_by(client) == told_by_log(database, client)


def read_log(database: str) -> dict[str, list[sqlite3.Row]]:
    """Returns the rows of every table's log."""
    with sqlite3.connect(database) as connection:
        connection.row_factory = sqlite3.Row
        tables: dict[str, list[sqlite3.Row]] = {}
        for row in connection.execute("SELECT * FROM decision ORDER BY table_id, sequence"):
            tables.setdefault(row["table_id"], []).append(row)
        return tables


def seen_by(client: SeatClient) -> dict[int, bytes]:
    """Returns the events that a client received, by sequence."""
    return {sequence: event.SerializeToString() for sequence, event in client.events.items()}


def told_by_log(database: str, client: SeatClient) -> dict[int, bytes]:
    """Returns the same events as the log alone tells them."""
    with sqlite3.connect(database) as connection:
        connection.row_factory = sqlite3.Row
        row = connection.execute("SELECT * FROM game_table WHERE table_id = ?", (client.table_id,)).fetchone()
    terms = terms_from_json(orjson.loads(row["terms"]))
    opening = Opening(
        row["table_id"], terms, row["server_seed"], row["opened_at"], row["nonce_window_ms"], row["result_window_ms"]
    )
    state, notices = open_table(opening)
    told = list(notices)
    for entry in read_log(database)[client.table_id]:
        what = happening(entry["kind"], orjson.loads(entry["payload"]))
        state, shown = evolve(state, Entry(entry["sequence"], entry["at"], what, entry["request_id"]))
        told += shown
    seat = terms.seat_of(client.player_id)
    events = {n.sequence: event_to_proto(n, terms.length).SerializeToString() for n in told if n.seat == seat}
    return {sequence: event for sequence, event in events.items() if sequence in client.events}
