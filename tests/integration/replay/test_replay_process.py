"""The replay service as a real process: what it acknowledged outlives a kill, and the rest is taken again."""

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import sqlalchemy as sa

from mahjong_engine.match import MatchLength
from mahjong_kit.sql import open_database
from mahjong_replay import migrations
from mahjong_replay.tables import HAND, MATCH
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceStub
from tests.contract.replay.reported import reported
from tests.kit.processes import ServiceProcess, service_process
from tests.kit.serving import patient_stub
from tests.kit.tokens import SERVICE_KEY

WORKERS = 6


@asynccontextmanager
async def replay_service(dsn: str, **settings: Any) -> AsyncIterator[tuple[Any, ServiceProcess]]:
    with service_process(
        "replay", database_dsn=dsn, service_key=SERVICE_KEY, verify_period_s=0.2, **settings
    ) as process:
        async with patient_stub(ReplayServiceStub, process.started()) as stub:
            yield stub, process


async def rows(dsn, table):
    async with open_database(dsn, migrations) as database, database.engine.connect() as connection:
        return [dict(row) for row in (await connection.execute(sa.select(table))).mappings()]


async def until_verified(dsn, count):
    query = sa.select(sa.func.count()).select_from(MATCH).where(MATCH.c.verification == "verified")
    async with open_database(dsn, migrations) as database, asyncio.timeout(60):
        while True:
            async with database.engine.connect() as connection:
                if (await connection.execute(query)).scalar_one() == count:
                    return
            await asyncio.sleep(0.05)


async def report_all(stub, issuer, reports, process, killed_after):
    """Reports from some tasks at once; kills the process after some answers. Returns what was acknowledged."""
    done, queue = set(), list(reports)

    async def work():
        while queue:
            request = queue.pop()
            call = stub.StoreHand if isinstance(request, pb.StoreHandRequest) else stub.FinishMatch
            try:
                await call(request, metadata=issuer.service(), timeout=60)
            except grpc.aio.AioRpcError:
                assert killed_after is not None
                return
            done.add(request.SerializeToString())
            if len(done) == killed_after:
                process.kill()

    await asyncio.gather(*(work() for _ in range(WORKERS)))
    return done


async def test_service_killed_in_a_loop_of_reports_has_each_once_when_reported_again(database_dsn, issuer):
    matches = [reported(length=MatchLength.EAST_ROUND) for _ in range(6)]
    reports = [request for match in matches for request in (*match.hands, match.finish)]
    random.Random(7).shuffle(reports)
    acknowledged = set()
    for killed_after in (3, 17, None):
        async with replay_service(database_dsn) as (stub, process):
            waiting = [r for r in reports if killed_after is None or r.SerializeToString() not in acknowledged]
            acknowledged |= await report_all(stub, issuer, waiting, process, killed_after)
            if killed_after is None:
                await until_verified(database_dsn, len(matches))
    assert len(acknowledged) == len(reports)
    assert len(await rows(database_dsn, HAND)) == sum(len(match.hands) for match in matches)
    for row in await rows(database_dsn, MATCH):
        assert (row["hands_stored"], row["verification"]) == (row["hand_count"], "verified")


async def test_record_fetched_from_the_service_is_accepted_by_mahjong_verify(sqlite_dsn, issuer, account_address):
    match = reported(rules="taiwanese", length=MatchLength.EAST_ROUND)
    async with replay_service(sqlite_dsn, account_address=account_address) as (stub, _):
        await match.store_all(stub, issuer)
        metadata, lines = issuer.player(match.players[0]), []
        for number in range(len(match.hands)):
            request = pb.GetHandRecordRequest(match_id=match.match_id, hand_number=number)
            lines.append((await stub.GetHandRecord(request, metadata=metadata)).record_json)
    verify = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mahjong_cli", "verify", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    printed, _ = await verify.communicate(b"\n".join(lines))
    assert verify.returncode == 0
    assert [json.loads(line) for line in printed.splitlines()] == [{"ok": True}] * len(match.hands)
