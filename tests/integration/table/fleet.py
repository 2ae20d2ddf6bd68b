"""Several table workers and a gateway as processes, and players at many tables who notice every pause."""

import asyncio
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc

from mahjong_cli.serve.supervisor import free_ports
from mahjong_kit.errors import reason_of
from mahjong_kit.sql import open_database
from mahjong_table import migrations
from mahjong_table.core.entry import Answered, TimeCredited
from mahjong_table.ownership.placement import placement
from mahjong_table.store.log import Log
from mahjong_table.store.shards import Shards
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.kit.processes import ServiceProcess, service_process
from tests.kit.serving import patient_stub
from tests.kit.table_client import SeatClient, plain_answer, table_request
from tests.kit.table_log import log_of
from tests.kit.tokens import SERVICE_KEY, TokenIssuer

RETRIED = frozenset({"ERROR_REASON_DRAINING", "ERROR_REASON_SERVICE_UNREACHABLE", "ERROR_REASON_STORE_UNREACHABLE", ""})
"""Reasons that a client answers by the same call again, without a word to its player."""
CLOSED = frozenset({"ERROR_REASON_DECISION_CLOSED", "ERROR_REASON_MATCH_OVER"})
PACE = {
    "nonce_window_ms": 0,
    "result_window_ms": 500,
    "floor_min_ms": 40,
    "floor_max_ms": 80,
    "computer_min_ms": 300,
    "computer_max_ms": 600,
}


@dataclass
class Told:
    """What players were told, and how long each waited for anything new at its table."""

    acknowledged: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    """Table, decision and sequence of each acknowledged answer, by request id."""
    pauses_s: list[float] = field(default_factory=list)
    """Of each stream that ended: how long until the next one brought something."""
    problems: list[str] = field(default_factory=list)
    """Errors that a player would have had to act on."""


class Fleet:
    """Table workers over one database, behind a gateway."""

    def __init__(self, stack: ExitStack, dsn: str, redis_url: str, account_address: str, count: int) -> None:
        self._stack = stack
        self.dsn = dsn
        ports = free_ports(count + 1)
        self.ports = ports[1:]
        self._table = {
            "database_dsn": dsn,
            "redis_url": redis_url,
            "replay_address": "127.0.0.1:1",
            "rating_address": "127.0.0.1:1",
            **PACE,
        }
        self._shared = {"service_key": SERVICE_KEY, "account_address": account_address}
        self.workers: dict[int, ServiceProcess] = {port: self._worker(port) for port in self.ports}
        for process in self.workers.values():
            process.started()
        targets = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        settings = {"table_address": f"ipv4:{targets}", "http_port": 0, "port": ports[0], "web_root": "/nowhere"}
        gateway = service_process("gateway", **self._shared, **settings)
        stack.enter_context(gateway).started()
        self.address = f"127.0.0.1:{ports[0]}"

    def _worker(self, port: int) -> ServiceProcess:
        return self._stack.enter_context(service_process("table", **self._shared, **self._table, port=port))

    async def restart(self, port: int) -> None:
        """Starts a worker again that has ended."""
        self.workers[port] = self._worker(port)
        await asyncio.to_thread(self.workers[port].started)

    async def owners(self) -> dict[int, str]:
        """Returns the address of each shard's owner."""
        async with open_database(self.dsn, migrations) as database:
            survey = await Shards(database).survey()
        known = survey.workers
        return {row.shard: known[row.worker_id].address for row in survey.shards if row.worker_id in known}

    async def until_shared(self, *ports: int, timeout_s: float = 120.0) -> float:
        """Waits until these workers own all shards and each has its share; returns how long it took."""
        started = time.monotonic()
        wanted = {f"127.0.0.1:{port}" for port in ports}
        async with asyncio.timeout(timeout_s), open_database(self.dsn, migrations) as database:
            while True:
                survey = await Shards(database).survey()
                names = frozenset(row.worker_id for row in survey.workers.values() if row.address in wanted)
                owners = tuple(row.worker_id for row in survey.shards)
                if len(names) == len(ports) and owners == placement(names):
                    return time.monotonic() - started
                await asyncio.sleep(0.1)


@contextmanager
def fleet(dsn: str, redis_url: str, account_address: str, count: int = 3) -> Iterator[Fleet]:
    """Starts a fleet."""
    with ExitStack() as stack:
        yield Fleet(stack, dsn, redis_url, account_address, count)


class Crowd:
    """One person with three computers at each of many tables."""

    def __init__(self, fleet: Fleet, issuer: TokenIssuer) -> None:
        self._fleet = fleet
        self._issuer = issuer
        self.told = Told()
        self.clients: list[SeatClient] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def sit_down(self, count: int) -> None:
        """Opens tables at workers in turn and begins to play through the gateway."""
        for number in range(count):
            player = str(uuid.uuid4())
            port = self._fleet.ports[number % len(self._fleet.ports)]
            request = table_request(player, length=game.MATCH_LENGTH_FULL, clock=game.CLOCK_RELAXED)
            async with patient_stub(TableServiceStub, f"127.0.0.1:{port}") as stub:
                made: Any = await stub.CreateTable(request, metadata=self._issuer.service("matchmaker"), timeout=30)
            self.clients.append(SeatClient(None, self._issuer, player, made.table_id))
        self._tasks = [asyncio.create_task(self._play(client)) for client in self.clients]

    async def until_answered(self, count: int, timeout_s: float = 120.0) -> None:
        """Waits until every table has gone on by so many more events since now."""
        before = {client.table_id: client.sequence for client in self.clients}
        async with asyncio.timeout(timeout_s):
            for client in self.clients:
                while client.sequence < before[client.table_id] + count and client.ended is not True:
                    await asyncio.sleep(0.02)

    async def stand_up(self) -> None:
        """Stops playing; raises what went wrong in any player."""
        for task in self._tasks:
            task.cancel()
        for outcome in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    async def check(self) -> int:
        """Holds every acknowledgement to the log; returns how many there were."""
        async with open_database(self._fleet.dsn, migrations) as database:
            log = Log(database)
            for request_id, (table_id, decision_id, sequence) in self.told.acknowledged.items():
                entry = await log.entry_of_request(table_id, request_id)
                assert entry is not None, "an acknowledged answer was lost"
                assert isinstance(entry.what, Answered)
                assert (entry.what.decision_id, entry.what.stands_at) == (decision_id, sequence)
        return len(self.told.acknowledged)

    async def credited_ms(self, table_ids: set[str]) -> list[int]:
        """Returns the time that was credited at some tables."""
        async with open_database(self._fleet.dsn, migrations) as database:
            logs = [await log_of(Log(database), table_id) for table_id in table_ids]
        return [e.what.shift_ms for entries in logs for e in entries if isinstance(e.what, TimeCredited)]

    async def _play(self, client: SeatClient) -> None:
        async with grpc.aio.insecure_channel(self._fleet.address, [("grpc.enable_retries", 0)]) as channel:
            client.stub = TableServiceStub(channel)
            lost_at = None
            try:
                while client.ended is not True:
                    lost_at = await self._watch(client, lost_at)
            finally:
                await client.unwatch()

    async def _watch(self, client: SeatClient, lost_at: float | None) -> float:
        """Watches until the stream ends; returns since when the player has not had one."""
        seen = len(client.statuses)
        await client.watch()
        await client.until(lambda: client.ended is not None or len(client.statuses) > seen, 120)
        if client.ended is None and lost_at is not None:
            self.told.pauses_s.append(time.monotonic() - lost_at)
            lost_at = None
        while client.ended is None:
            await client.until(lambda: client.decision or client.ended is not None, 120)
            if client.decision is not None and client.ended is None:
                await self._answer(client)
        lost_at = lost_at or time.monotonic()
        if isinstance(client.ended, grpc.aio.AioRpcError):
            self._judge(client.ended)
            await asyncio.sleep(0.02)
        return lost_at

    async def _answer(self, client: SeatClient) -> None:
        decision, request_id = client.decision, str(uuid.uuid4())
        assert decision is not None
        action = plain_answer(decision)
        while True:
            try:
                sequence = await client.answer(action, decision_id=decision.decision_id, request_id=request_id)
            except grpc.aio.AioRpcError as error:
                if reason_of(error) in CLOSED:
                    break
                self._judge(error)
                await asyncio.sleep(0.05)
                continue
            self.told.acknowledged[request_id] = (client.table_id, decision.decision_id, sequence)
            break
        closed = decision.decision_id
        await client.until(
            lambda: client.decision is None or client.decision.decision_id != closed or client.ended is not None, 120
        )

    def _judge(self, error: grpc.aio.AioRpcError) -> None:
        if reason_of(error) not in RETRIED:
            self.told.problems.append(f"{error.code().name} {reason_of(error)} {error.details()}")
