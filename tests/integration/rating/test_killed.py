"""The rating service is killed at any moment; what was reported is applied once when it is reported again."""

import asyncio
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf.duration_pb2 import Duration

from mahjong_kit.sql import open_database
from mahjong_rating import migrations
from mahjong_rating.tables import MATCH_REPORT, RATING, RATING_CHANGE
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from tests.contract.rating.reports import computer, new_id, person, report
from tests.kit.processes import ServiceProcess, service_process
from tests.kit.serving import patient_stub
from tests.kit.tokens import SERVICE_KEY
from tests.kit.wire import refused

STEPS = Path(__file__).with_name("step_reporter.py")


async def rows(dsn, table):
    async with open_database(dsn, migrations) as database, database.engine.connect() as connection:
        return [dict(row) for row in (await connection.execute(sa.select(table))).mappings()]


async def assert_applied_once(dsn, requests):
    """Every match stands once, and each player's history is one unbroken chain that ends in the rating."""
    reports, history, ratings = [await rows(dsn, table) for table in (MATCH_REPORT, RATING_CHANGE, RATING)]
    assert sorted(row["match_id"] for row in reports) == sorted(request.match_id for request in requests)
    people = {r.match_id: {s.occupant.player_id for s in r.seats if s.occupant.player_id} for r in requests}
    for match_id, players in people.items():
        assert sorted(row["player_id"] for row in history if row["match_id"] == match_id) == sorted(players)
    for rating in ratings:
        own = sorted((r for r in history if r["player_id"] == rating["player_id"]), key=lambda row: row["sequence"])
        assert [row["match_count_before"] for row in own] == list(range(len(own)))
        assert [row["mu_before"] for row in own] == [25.0, *(row["mu_after"] for row in own[:-1])]
        assert (rating["match_count"], rating["mu"]) == (len(own), own[-1]["mu_after"])


@asynccontextmanager
async def rating_service(dsn: str) -> AsyncIterator[tuple[Any, ServiceProcess]]:
    with service_process("rating", database_dsn=dsn, service_key=SERVICE_KEY) as process:
        async with patient_stub(RatingServiceStub, process.started()) as stub:
            yield stub, process


@pytest.mark.parametrize("step", [1, 2, 3, 4])
async def test_report_of_a_process_killed_between_statements_is_applied_once_later(database_dsn, issuer, step):
    request = report([person(new_id(), s) for s in range(3)] + [computer(9)])
    await rows(database_dsn, RATING)  # Makes the tables.
    process = await asyncio.create_subprocess_exec(
        sys.executable, STEPS, database_dsn, request.SerializeToString().hex(), stdout=asyncio.subprocess.PIPE
    )
    for expected in range(1, step + 1):
        assert await process.stdout.readline() == b"done %d\n" % expected
        if expected < step:
            process.send_signal(signal.SIGUSR1)
    process.kill()
    await process.wait()
    assert await rows(database_dsn, MATCH_REPORT) == []
    async with rating_service(database_dsn) as (stub, _):
        response = await stub.ReportMatch(request, metadata=issuer.service())
        assert response.outcome == pb.RATING_OUTCOME_APPLIED
    await assert_applied_once(database_dsn, [request])


async def test_service_killed_in_a_loop_of_reports_applies_each_once_when_reported_again(database_dsn, issuer):
    chance = random.Random(20)
    players = [new_id() for _ in range(8)]
    requests = [
        report([*(person(p, chance.randrange(-99, 99)) for p in chance.sample(players, 3)), computer(0)])
        for _ in range(200)
    ]
    acknowledged = set()
    for killed_after in (7, 23, 12, 30, None):
        async with rating_service(database_dsn) as (stub, process):
            waiting = [r for r in requests if killed_after is None or r.match_id not in acknowledged]
            acknowledged |= await report_all(stub, waiting, issuer, process, killed_after)
    assert len(acknowledged) == len(requests)
    await assert_applied_once(database_dsn, requests)


async def report_all(stub, requests, issuer, process, killed_after):
    """Reports from eight tasks at once; kills the process after some answers. Returns the matches acknowledged."""
    done = set()
    queue = list(requests)

    async def work():
        while queue:
            request = queue.pop()
            try:
                await stub.ReportMatch(request, metadata=issuer.service(), timeout=60)
            except grpc.aio.AioRpcError:
                assert killed_after is not None
                return
            done.add(request.match_id)
            if len(done) == killed_after:
                process.kill()

    await asyncio.gather(*(work() for _ in range(8)))
    return done


async def test_service_stops_soon_after_sigterm_with_a_player_waiting(database_dsn, issuer, account_address):
    settings = {"database_dsn": database_dsn, "service_key": SERVICE_KEY, "account_address": account_address}
    with service_process("rating", **settings) as process:
        async with grpc.aio.insecure_channel(process.started()) as channel:
            stub = RatingServiceStub(channel)  # A stub of the kit would ask again elsewhere.
            asked = pb.GetMatchRatingRequest(match_id=new_id(), wait_duration=Duration(seconds=10))
            waiting = asyncio.ensure_future(stub.GetMatchRating(asked, metadata=issuer.player(), timeout=12))
            await stub.ReportMatch(report([computer(0)] * 4), metadata=issuer.service())
            process.send(signal.SIGTERM)
            with refused() as refusal:
                await waiting
            assert refusal.reason == "DRAINING"
            assert await asyncio.to_thread(process.ended) == 0
