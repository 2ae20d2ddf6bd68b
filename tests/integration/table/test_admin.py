"""`mahjong admin` before real workers: what it lists, draining one, ending and revealing a table."""

import asyncio
import json
import sys
import uuid

import pytest

from mahjong_table.shards import SHARD_COUNT
from mahjongplanet.table.v1 import admin_service_pb2 as pb
from mahjongplanet.table.v1.admin_service_pb2_grpc import AdminServiceStub
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.integration.table.fleet import fleet
from tests.kit.serving import patient_stub
from tests.kit.table_client import SeatClient, plain_answer, table_request
from tests.kit.tokens import SERVICE_KEY
from tests.kit.wire import refused


@pytest.fixture
def workers(sqlite_dsn, redis_url, account_address):
    with fleet(sqlite_dsn, redis_url, account_address, count=2) as started:
        yield started


@pytest.fixture
def admin(workers, tmp_path):
    key = tmp_path / "service.key"
    key.write_text(SERVICE_KEY)

    async def run(*words, port=workers.ports[0], status=0):
        options = ["--address", f"127.0.0.1:{port}", "--key-file", str(key), "--operator", "olga"]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mahjong_cli", "admin", *options, *words),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode == status, err.decode()
        return [json.loads(line) for line in out.splitlines()] if status == 0 else err.decode()

    return run


async def test_an_operator_lists_drains_ends_and_reveals(workers, admin, issuer):
    await workers.until_shared(*workers.ports)
    first, second = workers.ports
    players = {port: str(uuid.uuid4()) for port in workers.ports}
    opened = {}
    for port, player in players.items():
        async with patient_stub(TableServiceStub, f"127.0.0.1:{port}") as stub:
            made = await stub.CreateTable(table_request(player), metadata=issuer.service("matchmaker"))
            opened[port] = made.table_id

    listed = {worker["address"]: worker for worker in await admin("workers")}
    assert {address: worker["table_count"] for address, worker in listed.items()} == {
        f"127.0.0.1:{port}": 1 for port in workers.ports
    }
    assert sum(worker["shard_count"] for worker in listed.values()) == SHARD_COUNT
    assert all(worker["live"] and not worker["draining"] for worker in listed.values())
    assert {table["table_id"]: table["address"] for table in await admin("tables")} == {
        opened[port]: f"127.0.0.1:{port}" for port in workers.ports
    }

    await admin("drain", port=second)
    await workers.until_shared(first)
    shards = await admin("shards", port=second)
    assert len(shards) == SHARD_COUNT
    assert {shard["address"] for shard in shards} == {f"127.0.0.1:{first}"}
    draining = {worker["address"] for worker in await admin("workers") if worker["draining"]}
    assert draining == {f"127.0.0.1:{second}"}

    moved = opened[second]
    async with patient_stub(TableServiceStub, workers.address) as stub:
        client = await SeatClient(stub, issuer, players[second], moved).watch()
        await client.answer(plain_answer(await client.until_asked()))
        await client.unwatch()
    shown, *log = await admin("table", moved, "--log")
    assert (shown["stage"], shown["table"]["address"], shown["server_seed"]) == ("hand", f"127.0.0.1:{first}", "")
    assert [entry["sequence"] for entry in log] == list(range(1, len(log) + 1))
    assert any(entry["player_id"] == players[second] for entry in log)
    assert "MATCH_NOT_OVER" in await admin("table", moved, "--reveal", status=1)

    await admin("end", moved, port=second)
    (over,) = await admin("table", moved, "--reveal")
    assert over["stage"] == "over"
    assert over["server_seed"]
    assert "MATCH_OVER" in await admin("end", moved, port=first, status=1)
    assert "TABLE_NOT_FOUND" in await admin("table", str(uuid.uuid4()), status=1)


async def test_only_operators_are_answered(workers, issuer):
    async with patient_stub(AdminServiceStub, f"127.0.0.1:{workers.ports[0]}") as stub:
        for metadata in (issuer.player(), issuer.service("matchmaker")):
            with refused() as refusal:
                await stub.ListWorkers(pb.ListWorkersRequest(), metadata=metadata)
            assert refusal.reason == "CALLER_NOT_ALLOWED"
