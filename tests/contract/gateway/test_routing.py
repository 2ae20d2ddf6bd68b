"""Calls about tables go to the worker that owns the table, also while it changes."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest
from typing_extensions import override

from mahjong_kit.errors import StaleStateError, UnavailableError
from mahjong_kit.sharding import SHARD_COUNT, shard_of
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1 import worker_service_pb2 as workers_pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.contract.gateway.paths import SUBMIT_ACTION, told_by_reply
from tests.contract.gateway.upstreams import Tables, Workers, heartbeat, upstream
from tests.kit.waiting import until
from tests.kit.wire import refused

TABLE = "083a1367-cce9-4a1c-86df-935ccf68705a"
OTHER = "a18651ed-089f-4ef1-9dc1-23debe97af6a"
LEASE_LOST = StaleStateError(ErrorReason.ERROR_REASON_LEASE_LOST)


class Owners:
    """Who owns which shard."""

    def __init__(self):
        self.addresses: dict[int, str] = {}
        self.asked = 0

    def give(self, address, shards=range(SHARD_COUNT)):
        self.addresses |= dict.fromkeys(shards, address)


class OwnedWorkers(Workers):
    """Tells who owns which shard."""

    def __init__(self, tables, owners):
        super().__init__(tables)
        self.owners = owners

    @override
    async def LocateShards(self, request, context):
        self.owners.asked += 1
        listed = [
            workers_pb.WorkerShards(
                address=address, shards=[s for s, a in self.owners.addresses.items() if a == address]
            )
            for address in set(self.owners.addresses.values())
        ]
        return workers_pb.LocateShardsResponse(workers=listed)


class Pair:
    """Two workers, of which the gateway is told the first."""

    def __init__(self, addresses, tables, owners):
        self.addresses, self.tables, self.owners = addresses, tables, owners

    def give(self, number, *table_ids):
        """Lets a worker own tables; all others if none is named."""
        self.owners.give(self.addresses[number], [shard_of(t) for t in table_ids] or range(SHARD_COUNT))


@pytest.fixture
async def workers(issuer):
    owners, tables = Owners(), (Tables(), Tables())
    async with AsyncExitStack() as stack:
        addresses = [
            await stack.enter_async_context(upstream(issuer, each, OwnedWorkers(each, owners))) for each in tables
        ]
        workers = Pair(addresses, tables, owners)
        workers.give(0)
        yield workers


@pytest.fixture
async def ports(serve_gateway, workers):
    workers.give(1, OTHER)
    async with serve_gateway(workers.addresses[0]) as opened:
        await until(lambda: workers.owners.asked)
        yield opened


async def submit(ports, token, table_id):
    return await ports.call(SUBMIT_ACTION, json.dumps({"tableId": table_id}).encode(), authorization=token)


async def test_a_call_goes_to_the_owner_of_its_table(ports, workers, token):
    for table_id in (TABLE, OTHER):
        assert (await submit(ports, token, table_id)).status == 200
    assert [[request.table_id for request in tables.requests] for tables in workers.tables] == [[TABLE], [OTHER]]


async def test_a_call_follows_a_table_that_has_moved(ports, workers, token):
    async def moved():
        workers.give(1, TABLE)
        raise LEASE_LOST

    workers.tables[0].act = moved
    assert (await submit(ports, token, TABLE)).status == 200
    assert [len(tables.requests) for tables in workers.tables] == [1, 1]


async def test_a_call_that_hangs_at_a_worker_that_lost_the_table_is_made_anew(ports, workers, token):
    hangs = asyncio.Event()

    async def hang():
        hangs.set()
        await asyncio.sleep(60)

    workers.tables[0].act = hang
    calling = asyncio.create_task(submit(ports, token, TABLE))
    await hangs.wait()
    workers.give(1, TABLE)
    async with asyncio.timeout(60):
        assert (await calling).status == 200
    assert len(workers.tables[1].requests) == 1


async def test_a_stream_at_a_worker_that_lost_the_table_ends_so_that_clients_resume(ports, workers, token):
    workers.tables[0].sent.put_nowait(heartbeat(1))
    async with ports.channel() as channel, asyncio.timeout(60):
        request = pb.WatchTableRequest(table_id=TABLE)
        call = TableServiceStub(channel).WatchTable(request, metadata=(("authorization", token),))
        assert (await call.read()).sequence == 1
        workers.give(1, TABLE)
        with refused() as refusal:
            await call.read()
    assert refusal.reason == "DRAINING"


@pytest.mark.parametrize("error", [LEASE_LOST, UnavailableError(ErrorReason.ERROR_REASON_DRAINING)])
async def test_a_stream_that_has_not_begun_is_held_until_its_table_has_moved(ports, workers, token, error):
    workers.tables[0].sent.put_nowait(error)
    workers.tables[1].sent.put_nowait(heartbeat(7))
    async with ports.channel() as channel, asyncio.timeout(60):
        request = pb.WatchTableRequest(table_id=TABLE)
        call = TableServiceStub(channel).WatchTable(request, metadata=(("authorization", token),))
        await until(workers.tables[0].unwatched.is_set)
        workers.give(1, TABLE)
        assert (await call.read()).sequence == 7


async def test_clients_are_never_told_that_a_lease_was_lost(serve_gateway, workers, token):
    async def lost():
        raise LEASE_LOST

    workers.tables[0].act = lost
    async with serve_gateway(workers.addresses[0], hold_s=0.2) as ports:
        error = told_by_reply(await submit(ports, token, TABLE))
    assert (error.code, error.reason) == ("unavailable", "DRAINING")
