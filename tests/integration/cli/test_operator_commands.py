"""`mahjong verify --match` and `mahjong admin ratings recompute` before real services: output and exit status."""

import asyncio
import json
import sys

import sqlalchemy as sa

from mahjong_engine.match import MatchLength
from mahjong_kit.sql import open_database
from mahjong_rating import migrations as rating_migrations
from mahjong_rating.tables import RATING
from mahjong_replay import migrations as replay_migrations
from mahjong_replay.tables import MATCH
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceStub
from tests.contract.rating.reports import computer, new_id, person, report
from tests.contract.replay.reported import reported
from tests.kit.processes import service_process
from tests.kit.serving import patient_stub
from tests.kit.tokens import SERVICE_KEY


async def run(tmp_path, *words):
    """Runs a command of the command line; returns its exit status, the objects it wrote, and its complaints."""
    key = tmp_path / "service.key"
    key.write_text(SERVICE_KEY)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mahjong_cli", *words),
        env={"MAHJONG_SERVICE_KEY_FILE": str(key), "PATH": "/usr/bin:/bin"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode, [json.loads(line) for line in out.splitlines()], err.decode()


async def execute(dsn, migrations, statement):
    async with open_database(dsn, migrations) as database, database.engine.begin() as connection:
        await connection.execute(statement)


async def test_verify_judges_a_stored_match_and_finds_one_that_was_changed(sqlite_dsn, issuer, tmp_path):
    match = reported(length=MatchLength.EAST_ROUND)
    with service_process("replay", database_dsn=sqlite_dsn, service_key=SERVICE_KEY) as process:
        address = process.started()
        async with patient_stub(ReplayServiceStub, address) as stub:
            await match.store_all(stub, issuer)
        command = "verify", "--address", address, "--match"
        sound = {"ok": True, "match": match.match_id, "hands": len(match.hands)}
        assert await run(tmp_path, *command, match.match_id) == (0, [sound], "")
        await execute(
            sqlite_dsn, replay_migrations, sa.update(MATCH).values(standings=[[s, 1, 2000] for s in range(4)])
        )
        status, (flaw,), _ = await run(tmp_path, *command, match.match_id)
        assert (status, flaw["ok"], flaw["hand"], flaw["reason"]) == (1, False, None, "WRONG_STANDINGS")
        status, written, complaint = await run(tmp_path, *command, new_id())
        assert (status, written) == (1, [])
        assert "MATCH_NOT_FOUND" in complaint
        assert (await run(tmp_path, "verify"))[0] == 2


async def test_recompute_tells_every_difference_and_ends_with_one_if_there_is_any(sqlite_dsn, issuer, tmp_path):
    with service_process("rating", database_dsn=sqlite_dsn, service_key=SERVICE_KEY) as process:
        address = process.started()
        async with patient_stub(RatingServiceStub, address) as stub:
            for _ in range(5):
                seats = [person(new_id(), 2), person(new_id(), 1), computer(0), computer(0)]
                await stub.ReportMatch(report(seats), metadata=issuer.service())
        command = "admin", "ratings", "recompute", "--address", address
        summary = {"match_count": 5, "player_count": 10, "difference_count": 0}
        assert await run(tmp_path, *command) == (0, [summary], "")
        await execute(sqlite_dsn, rating_migrations, sa.update(RATING).values(match_count=2))
        status, (*differences, last), _ = await run(tmp_path, *command, "--rule-set", "classical")
        assert (status, last["difference_count"], len(differences)) == (1, 10, 10)
        assert {(d["table"], d["field"], d["stored"], d["recomputed"]) for d in differences} == {
            ("rating", "match_count", "2", "1")
        }
