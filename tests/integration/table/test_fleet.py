"""Three workers, a gateway and forty tables under play: crashes, frozen processes, a roll of every worker."""

import asyncio
import signal
import statistics
import time
import uuid
from collections.abc import Iterator

import pytest

from mahjong_kit.sql import open_database
from mahjong_table import migrations
from mahjong_table.shards import shard_of
from mahjong_table.store.log import ENTRIES
from mahjong_table.store.shards import Shards
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.integration.table.fleet import Crowd, Fleet, fleet
from tests.kit.serving import patient_stub
from tests.kit.table_client import SeatClient, plain_answer, table_request
from tests.kit.tokens import TokenIssuer

pytestmark = pytest.mark.timeout(300)
TABLES = 40
LEASE_S = 6.0


@pytest.fixture
def workers(postgres_dsn: str, redis_url: str, account_address: str) -> Iterator[Fleet]:
    with fleet(postgres_dsn, redis_url, account_address) as started:
        yield started


@pytest.fixture
def sqlite_workers(sqlite_dsn: str, redis_url: str, account_address: str) -> Iterator[Fleet]:
    with fleet(sqlite_dsn, redis_url, account_address) as started:
        yield started


async def tables_at(fleet: Fleet, crowd: Crowd, port: int) -> set[str]:
    """Returns the tables that a worker owns."""
    owners = await fleet.owners()
    ids = {client.table_id for client in crowd.clients}
    return {table_id for table_id in ids if owners[shard_of(table_id)] == f"127.0.0.1:{port}"}


def summary(what: str, pauses_s: list[float]) -> str:
    """Returns one line about pauses."""
    if not pauses_s:
        return f"{what}: nobody noticed"
    ordered = sorted(pauses_s)
    p99 = ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
    figures = f"p50 {statistics.median(ordered):.3f} s, p99 {p99:.3f} s, max {ordered[-1]:.3f} s"
    return f"{what}: {len(ordered)} pauses, {figures}"


async def test_a_killed_workers_tables_go_on_elsewhere(workers, issuer, capsys):
    await workers.until_shared(*workers.ports)
    crowd = Crowd(workers, issuer)
    await crowd.sit_down(TABLES)
    await crowd.until_answered(3)
    victim = workers.ports[0]
    taken = await tables_at(workers, crowd, victim)
    assert taken
    workers.workers[victim].kill()
    took_s = await workers.until_shared(*workers.ports[1:])
    await crowd.until_answered(3)
    await crowd.stand_up()
    credited = await crowd.credited_ms(taken)
    with capsys.disabled():
        print(f"\nkill -9: {len(taken)} of {TABLES} tables taken over {took_s:.1f} s after the kill")
        print(summary("kill -9", crowd.told.pauses_s), f"credited {min(credited)} to {max(credited)} ms")
    assert len(credited) >= len(taken)
    assert crowd.told.problems == []
    assert await crowd.check() > TABLES


async def test_a_worker_that_was_frozen_for_two_leases_writes_nothing_when_it_wakes(workers, issuer, capsys):
    await workers.until_shared(*workers.ports)
    crowd = Crowd(workers, issuer)
    await crowd.sit_down(TABLES)
    await crowd.until_answered(2)
    frozen = workers.ports[1]
    lost = await tables_at(workers, crowd, frozen)
    async with open_database(workers.dsn, migrations) as database:
        before = {row.shard: row.epoch for row in (await Shards(database).survey()).shards}
    workers.workers[frozen].send(signal.SIGSTOP)
    frozen_at = time.monotonic()
    try:
        await workers.until_shared(*[port for port in workers.ports if port != frozen])
        await crowd.until_answered(2)
        await asyncio.sleep(max(0.0, 2 * LEASE_S - (time.monotonic() - frozen_at)))
    finally:
        workers.workers[frozen].send(signal.SIGCONT)
    await workers.until_shared(*workers.ports)
    await crowd.until_answered(2)
    await crowd.stand_up()
    with capsys.disabled():
        print("\n" + summary("SIGSTOP for two leases", crowd.told.pauses_s))
    assert crowd.told.problems == []
    assert await crowd.check() > TABLES
    async with open_database(workers.dsn, migrations) as database, database.reading() as session:
        rows = (await session.execute(ENTRIES.select().order_by(ENTRIES.c.table_id, ENTRIES.c.sequence))).all()
    for table_id in lost:
        epochs = [row.epoch for row in rows if row.table_id == table_id]
        assert epochs == sorted(epochs), "an entry of an old owner stands after one of a newer owner"
        assert epochs[-1] > before[shard_of(table_id)]


@pytest.mark.parametrize("kind", ["sqlite_workers", "workers"])
async def test_a_roll_of_every_worker_under_load_loses_nothing_and_is_hardly_noticed(kind, request, issuer, capsys):
    fleet = request.getfixturevalue(kind)
    await fleet.until_shared(*fleet.ports)
    crowd = Crowd(fleet, issuer)
    await crowd.sit_down(TABLES)
    await crowd.until_answered(2)
    stopped_ms: list[int] = []
    for port in fleet.ports:
        process = fleet.workers[port]
        process.send(signal.SIGTERM)
        assert await asyncio.to_thread(process.ended, 60) == 0
        stopped_ms += [entry["duration_ms"] for entry in process.said("shards.released") if entry["tables"]]
        await fleet.until_shared(*[other for other in fleet.ports if other != port])
        await fleet.restart(port)
        await fleet.until_shared(*fleet.ports)
        await crowd.until_answered(1)
    await crowd.stand_up()
    with capsys.disabled():
        print("\n" + summary(f"SIGTERM roll, {kind}, without a stream", crowd.told.pauses_s))
        print(summary("tables stopped", [each / 1000 for each in stopped_ms]))
    assert crowd.told.problems == []
    assert await crowd.check() > TABLES
    assert crowd.told.pauses_s, "every table has moved"


async def test_a_request_that_is_sent_again_to_the_new_owner_gets_the_first_answer(
    workers: Fleet, issuer: TokenIssuer
) -> None:
    await workers.until_shared(*workers.ports)
    owner = workers.ports[2]
    player = str(uuid.uuid4())
    async with patient_stub(TableServiceStub, f"127.0.0.1:{owner}") as stub:
        made = await stub.CreateTable(table_request(player), metadata=issuer.service("matchmaker"))
    async with patient_stub(TableServiceStub, workers.address) as stub:
        client = await SeatClient(stub, issuer, player, made.table_id).watch()
        decision = await client.until_asked()
        sent = {"decision_id": decision.decision_id, "request_id": str(uuid.uuid4())}
        first = await client.answer(plain_answer(decision), **sent)
        workers.workers[owner].kill()
        await workers.until_shared(*workers.ports[:2])
        assert await client.answer(plain_answer(decision), **sent) == first
        await client.unwatch()
