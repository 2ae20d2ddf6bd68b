"""A whole rated match by two people and two computers, real processes throughout: two ratings change, once."""

import asyncio
import uuid
from contextlib import ExitStack

import pytest
import sqlalchemy as sa

from mahjong_cli.serve.supervisor import free_ports
from mahjong_kit.sql import open_database
from mahjong_rating import migrations
from mahjong_rating.tables import MATCH_REPORT, RATING, RATING_CHANGE, SEASON_RATING
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.kit.processes import service_process
from tests.kit.serving import patient_stub
from tests.kit.table_client import SeatClient, table_request
from tests.kit.tokens import SERVICE_KEY

AT_ONCE = {
    "nonce_window_ms": 0,
    "result_window_ms": 0,
    "floor_min_ms": 0,
    "floor_max_ms": 0,
    "computer_min_ms": 0,
    "computer_max_ms": 0,
    "report_retry_max_s": 0.5,
}


async def rows(dsn, table):
    async with open_database(dsn, migrations) as database, database.engine.connect() as connection:
        return [dict(row) for row in (await connection.execute(sa.select(table))).mappings()]


@pytest.fixture
def ratings_dsn(tmp_path):
    return f"sqlite:///{tmp_path / 'rating.db'}"


async def test_rated_match_changes_exactly_two_ratings_once_through_a_killed_rating_service(
    sqlite_dsn, ratings_dsn, redis_url, account_address, issuer
):
    (rating_port,) = free_ports(1)
    shared = {"service_key": SERVICE_KEY, "account_address": account_address}
    anna, bela = str(uuid.uuid4()), str(uuid.uuid4())
    with ExitStack() as stack:
        addresses = {"rating_address": f"127.0.0.1:{rating_port}", "replay_address": "127.0.0.1:1"}
        settings = {**shared, **addresses, **AT_ONCE, "database_dsn": sqlite_dsn, "redis_url": redis_url}
        table = stack.enter_context(service_process("table", **settings))
        match_id, scores = await play(table.started(), issuer, anna, bela)

        def start_rating():
            return service_process("rating", **shared, database_dsn=ratings_dsn, port=rating_port)

        with start_rating() as killed:  # Dies when it has committed, about to answer or just having done so.
            await asyncio.to_thread(killed.wait_for, "match.reported")
            killed.kill()
        stack.enter_context(start_rating()).started()
        async with patient_stub(RatingServiceStub, f"127.0.0.1:{rating_port}") as stub:
            request = pb.GetMatchRatingRequest(match_id=match_id)
            found = await stub.GetMatchRating(request, metadata=issuer.player(anna))
            again = report_of(match_id, scores, (await rows(ratings_dsn, MATCH_REPORT))[0])
            for _ in range(3):
                assert (await stub.ReportMatch(again, metadata=issuer.service("table"))).outcome == found.outcome
    assert found.outcome == pb.RATING_OUTCOME_APPLIED
    assert {change.player_id for change in found.changes} == {anna, bela}
    assert [change.score for change in found.changes] == sorted(scores[:2], reverse=True)
    for stored in (RATING, RATING_CHANGE, SEASON_RATING):
        assert sorted(row["player_id"] for row in await rows(ratings_dsn, stored)) == sorted([anna, bela])
    assert [row["match_count"] for row in await rows(ratings_dsn, RATING)] == [1, 1]


async def play(address, issuer, *players):
    """Plays a full rated match; returns its id and the final scores by seat."""
    async with patient_stub(TableServiceStub, address) as stub:
        request = table_request(*players, table_kind=game.TABLE_KIND_RATED, length=game.MATCH_LENGTH_FULL)
        made = await stub.CreateTable(request, metadata=issuer.service("matchmaker"))
        seats = [await SeatClient(stub, issuer, player, made.table_id).watch() for player in players]
        async with asyncio.timeout(200):
            await asyncio.gather(*(seat.play_on() for seat in seats))
        (ended,) = seats[0].events_of("match_ended")
        return request.match_id, [s.score for s in sorted(ended.match_ended.standings, key=lambda s: s.seat)]


def report_of(match_id, scores, stored):
    """Returns the report that the table sent."""
    request = pb.ReportMatchRequest(
        match_id=match_id, rule_set=game.RULE_SET_CLASSICAL, table_kind=game.TABLE_KIND_RATED
    )
    request.end_time.FromDatetime(stored["end_time"])
    for (player_id, _, score), final in zip(stored["seats"], scores, strict=True):
        assert score == final
        occupant = (
            game.Occupant(player_id=player_id) if player_id else game.Occupant(computer=game.COMPUTER_LEVEL_BASIC)
        )
        request.seats.add(occupant=occupant, score=score)
    return request
