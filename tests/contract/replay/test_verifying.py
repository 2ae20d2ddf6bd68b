"""Any stored match that is over is verified on request, by its readers and by operators."""

import grpc
import pytest

from mahjong_engine.match import MatchLength
from mahjong_replay.tables import MATCH
from mahjongplanet.replay.v1 import admin_service_pb2 as admin_pb
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from tests.contract.replay.reported import new_id, reported
from tests.kit.wire import refused


def verify(served, issuer, reader, match_id):
    return served.stub.VerifyMatch(pb.VerifyMatchRequest(match_id=match_id), metadata=issuer.player(reader))


def verify_stored(served, issuer, match_id):
    request = admin_pb.VerifyStoredMatchRequest(match_id=match_id)
    return served.admin.VerifyStoredMatch(request, metadata=issuer.operator())


@pytest.mark.parametrize("rules", ["classical", "taiwanese"])
async def test_sound_match_is_verified_by_its_player_and_by_an_operator(served, issuer, rules):
    match = reported(rules=rules, length=MatchLength.EAST_ROUND)
    await match.store_all(served.stub, issuer)
    for found in (
        await verify(served, issuer, match.players[0], match.match_id),
        await verify_stored(served, issuer, match.match_id),
    ):
        assert (found.hand_count, list(found.flaws)) == (len(match.hands), [])


async def test_match_that_was_changed_in_the_store_is_found_out(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    await served.until_checked(1)
    async with served.database.engine.begin() as connection:
        await connection.execute(MATCH.update().values(server_seed=bytes(80)))
    found = await verify(served, issuer, match.players[0], match.match_id)
    (flaw,) = found.flaws
    assert (flaw.hand_number, flaw.reason, flaw.HasField("decision")) == (0, "WRONG_DERIVATION", False)
    (row,) = await served.rows(MATCH)
    assert row["verification"] == "verified"  # What is found on request is told, not stored.


async def test_match_that_is_not_over_or_not_readable_is_refused(served, issuer):
    match = reported(length=MatchLength.EAST_ROUND)
    await served.stub.StoreHand(match.hands[0], metadata=issuer.service("table"))
    not_over = grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_OVER"
    not_found = grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND"
    for call, expected in (
        (verify(served, issuer, match.players[0], match.match_id), not_over),
        (verify(served, issuer, new_id(), match.match_id), not_found),
        (verify(served, issuer, new_id(), "no id"), not_found),
        (verify_stored(served, issuer, match.match_id), not_over),
        (verify_stored(served, issuer, new_id()), not_found),
    ):
        with refused() as refusal:
            await call
        assert (refusal.code, refusal.reason) == expected


async def test_operators_call_is_refused_to_players_and_services(served, issuer):
    for metadata in (issuer.player(new_id()), issuer.service("table")):
        with refused() as refusal:
            request = admin_pb.VerifyStoredMatchRequest(match_id=new_id())
            await served.admin.VerifyStoredMatch(request, metadata=metadata)
        assert refusal.reason == "CALLER_NOT_ALLOWED"
