"""Any stored match that is over is verified on request, by its readers and by operators."""

import grpc
import pytest

from mahjong_engine.match import MatchLength
from mahjong_replay.codec import pack
from mahjong_replay.tables import HAND, MATCH
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


def flaws_of(found):
    return [(flaw.hand_number if flaw.HasField("hand_number") else None, flaw.reason) for flaw in found.flaws]


@pytest.mark.parametrize("record", [b"", b"garbage", pack(b"no JSON"), pack(b"[]"), pack(b"{}")])
async def test_damaged_record_is_found_out_and_keeps_no_other_match_from_being_verified(served, issuer, record):
    match = reported(length=MatchLength.EAST_ROUND)
    await match.store_all(served.stub, issuer)
    await served.until_checked(1)
    async with served.database.engine.begin() as connection:
        await connection.execute(HAND.update().where(HAND.c.hand_number == 1).values(record=record))
        await connection.execute(MATCH.update().values(verification="due"))
    sound = reported()
    await sound.store_all(served.stub, issuer)
    await served.until_checked(3)
    assert {row["match_id"]: row["verification"] for row in await served.rows(MATCH)} == {
        match.match_id: "failed",
        sound.match_id: "verified",
    }
    ((hand_number, reason),) = flaws_of(await verify(served, issuer, match.players[0], match.match_id))
    assert (hand_number, reason) in {(1, "DAMAGED"), (1, "MALFORMED"), (1, "UNKNOWN_RULES")}


async def test_hand_that_is_missing_is_found_out_also_in_a_match_that_was_left(served, issuer):
    match = reported(length=MatchLength.EAST_ROUND)
    match.finish.ClearField("standings")
    match.finish.hand_count = 2
    for request in match.hands[:2]:
        await served.stub.StoreHand(request, metadata=issuer.service("table"))
    await served.stub.FinishMatch(match.finish, metadata=issuer.service("table"))
    assert flaws_of(await verify(served, issuer, match.players[0], match.match_id)) == []
    await served.until_checked(1)
    async with served.database.engine.begin() as connection:
        await connection.execute(HAND.delete().where(HAND.c.hand_number == 1))
    assert flaws_of(await verify(served, issuer, match.players[0], match.match_id)) == [(None, "HANDS_MISSING")]


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
