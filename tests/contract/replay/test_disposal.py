"""Deleted accounts leave their matches nameless; matches go when their time is over."""

from datetime import UTC, datetime, timedelta

import grpc

from mahjong_engine.match import MatchLength
from mahjong_replay.disposal import Disposal
from mahjong_replay.tables import DELETED_PLAYER, HAND, HAND_AWARD, MATCH, MATCH_PLAYER
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from tests.contract.replay.reported import END_S, new_id, reported
from tests.kit.wire import refused


async def anonymise(served, issuer, player, service="account"):
    request = pb.AnonymisePlayerRequest(player_id=player)
    return (await served.stub.AnonymisePlayer(request, metadata=issuer.service(service))).match_count


async def get_match(served, issuer, match, reader):
    request = pb.GetMatchRequest(match_id=match.match_id)
    return await served.stub.GetMatch(request, metadata=issuer.player(reader))


async def test_anonymised_player_is_in_no_list_and_nowhere_in_the_database(served, issuer):
    gone, stays = new_id(), new_id()
    matches = [reported([gone, stays], end_s=END_S + i) for i in range(3)]
    for match in matches:
        await match.store_all(served.stub, issuer)
    await served.until_checked(3)
    assert await anonymise(served, issuer, gone) == 3
    assert await anonymise(served, issuer, gone) == 0
    seat, other, *_ = (await get_match(served, issuer, matches[0], stays)).match.occupants
    assert (seat.WhichOneof("occupant"), seat.display_name) == (None, "Deleted player")
    assert (other.player_id, other.display_name) == (stays, "Person 1")
    with refused() as refusal:
        await get_match(served, issuer, matches[0], gone)
    assert refusal.reason == "MATCH_NOT_FOUND"
    request = pb.ListMyMatchesRequest(filter=pb.MatchFilter(opponent_id=gone))
    assert not (await served.stub.ListMyMatches(request, metadata=issuer.player(stays))).matches
    for stored in (MATCH, MATCH_PLAYER, HAND, HAND_AWARD):
        assert gone not in repr(await served.rows(stored))


async def test_reports_that_still_name_a_deleted_player_are_no_conflict_and_stay_nameless(served, issuer):
    gone, stays = new_id(), new_id()
    begun, late = (reported([gone, stays], length=MatchLength.EAST_ROUND) for _ in range(2))
    await served.stub.StoreHand(begun.hands[0], metadata=issuer.service("table"))
    await anonymise(served, issuer, gone)
    for match in (begun, late):
        await match.store_all(served.stub, issuer)
        await match.store_all(served.stub, issuer)
        found = (await get_match(served, issuer, match, stays)).match
        assert found.HasField("end_time")
        assert found.occupants[0].WhichOneof("occupant") is None
    await served.until_checked(2)
    assert gone not in repr([await served.rows(stored) for stored in (MATCH, MATCH_PLAYER, HAND_AWARD)])
    assert served.count("reports_conflicting_total") == 0


async def test_player_who_turns_up_again_is_taken_out_by_the_next_round(served, issuer):
    gone = new_id()
    match = reported([gone])
    await match.store_all(served.stub, issuer)
    async with served.database.engine.begin() as connection:  # As if both had happened at the same time.
        await connection.execute(DELETED_PLAYER.insert().values(player_id=gone))
    await Disposal(served.database).anonymise_late()
    assert gone not in repr([await served.rows(stored) for stored in (MATCH, MATCH_PLAYER)])


async def test_only_the_account_service_anonymises(served, issuer):
    with refused() as refusal:
        await anonymise(served, issuer, new_id(), service="table")
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")
    with refused() as refusal:
        await anonymise(served, issuer, "nobody")
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "player_id")


async def test_matches_whose_time_is_over_go_by_kind_and_the_others_stay(served, issuer):
    me = new_id()
    old, new = END_S, END_S + 10 * 86_400
    kinds = (game.TABLE_KIND_RATED, game.TABLE_KIND_CASUAL, game.TABLE_KIND_PRACTICE)
    matches = {(kind, end): reported([me], kind=kind, end_s=end) for kind in kinds for end in (old, new)}
    for match in matches.values():
        await match.store_all(served.stub, issuer)
    await served.until_checked(6)
    now = datetime.fromtimestamp(END_S, UTC) + timedelta(days=12)
    keep = {"rated": 0, "casual": 5, "practice": 1}
    assert await Disposal(served.database).prune(keep, now) == 3
    left = {row["match_id"] for row in await served.rows(MATCH)}
    kept = [(game.TABLE_KIND_RATED, old), (game.TABLE_KIND_RATED, new), (game.TABLE_KIND_CASUAL, new)]
    assert left == {matches[key].match_id for key in kept}
    assert {row["match_id"] for row in await served.rows(HAND)} == left
    assert await Disposal(served.database).prune(keep, now) == 0
