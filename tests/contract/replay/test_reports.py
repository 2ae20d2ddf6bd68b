"""Reports of hands and ends: in any order, any number of times, and nothing but the first content stands."""

import asyncio
import random

import grpc

from mahjong_engine.match import MatchLength
from mahjong_replay.tables import HAND, MATCH, MATCH_PLAYER
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from tests.contract.replay.conftest import replica
from tests.contract.replay.reported import new_id, reported
from tests.kit.wire import refused

EAST = MatchLength.EAST_ROUND


def changed(request, change):
    """A copy of a request with a change."""
    copy = type(request).FromString(request.SerializeToString())
    change(copy)
    return copy


def setting(path, value):
    """The change of one field, such as `terms.occupants.1.player_id`."""
    *parts, name = path.split(".")

    def change(message):
        for part in parts:
            message = message[int(part)] if part.isdigit() else getattr(message, part)
        setattr(message, name, value)

    return change


async def summary(served, issuer, match):
    request = pb.GetMatchRequest(match_id=match.match_id)
    return await served.stub.GetMatch(request, metadata=issuer.player(match.players[0]))


async def assert_conflict(call, match_id):
    with refused() as refusal:
        await call
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REPORT_CONFLICT")
    assert refusal.metadata == {"match_id": match_id}


async def assert_invalid(call, field):
    with refused() as refusal:
        await call
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.metadata["field"] == field


async def test_reports_in_any_order_and_twice_lead_to_the_same_match(served, issuer):
    for seed in range(3):
        match = reported(length=EAST)
        calls = [(served.stub.StoreHand, request) for request in match.hands]
        calls = [*calls, (served.stub.FinishMatch, match.finish)] * 2
        random.Random(seed).shuffle(calls)
        for call, request in calls:
            await call(request, metadata=issuer.service())
        found = await summary(served, issuer, match)
        assert found.match.hand_count == len(match.hands)
        assert list(found.match.standings) == list(match.finish.standings)
        assert [hand.hand_number for hand in found.hands] == list(range(len(match.hands)))
    assert served.count("matches_over_total") == 3
    assert served.count("reports_repeated_total") == served.count("hands_stored_total") + 3


async def test_match_is_over_to_readers_only_when_its_last_hand_is_there(served, issuer):
    match = reported(length=EAST)
    *hands, late = match.hands
    await served.stub.FinishMatch(match.finish, metadata=issuer.service())
    for request in hands:
        await served.stub.StoreHand(request, metadata=issuer.service())
    listed, me = pb.ListMyMatchesRequest(), issuer.player(match.players[0])
    before = await summary(served, issuer, match)
    assert not before.match.standings
    assert not before.match.HasField("end_time")
    assert not (await served.stub.ListMyMatches(listed, metadata=me)).matches
    await served.stub.StoreHand(late, metadata=issuer.service())
    after = await summary(served, issuer, match)
    assert list(after.match.standings) == list(match.finish.standings)
    assert after.match.end_time == match.finish.end_time
    assert [m.match_id for m in (await served.stub.ListMyMatches(listed, metadata=me)).matches] == [match.match_id]


async def test_reports_of_a_match_at_once_on_two_replicas_store_it_once(replay_settings, issuer):
    match = reported(length=EAST)
    async with replica(replay_settings, issuer) as one, replica(replay_settings, issuer) as other:
        calls = [(served.stub.StoreHand, hand) for hand in match.hands for served in [one, other] * 5]
        calls += [(served.stub.FinishMatch, match.finish) for served in [one, other] * 5]
        random.Random(1).shuffle(calls)
        await asyncio.gather(*(call(request, metadata=issuer.service(), timeout=60) for call, request in calls))
        assert len(await one.rows(HAND)) == len(match.hands)
        assert [row["hands_stored"] for row in await one.rows(MATCH)] == [len(match.hands)]
        assert len(await one.rows(MATCH_PLAYER)) == 1
        assert one.count("matches_over_total") + other.count("matches_over_total") == 1


async def test_reports_of_one_hand_with_two_contents_at_once_let_one_stand(served, issuer):
    (first,) = reported().hands
    second = changed(first, setting("record_json", first.record_json + b"\n"))
    requests = (first, second) * 25
    calls = [served.stub.StoreHand(request, metadata=issuer.service(), timeout=60) for request in requests]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    refusals = [isinstance(outcome, grpc.aio.AioRpcError) for outcome in outcomes]
    assert refusals in ([False, True] * 25, [True, False] * 25)
    assert len(await served.rows(HAND)) == 1


async def test_hand_with_other_bytes_is_a_conflict(served, issuer):
    match = reported()
    await served.stub.StoreHand(match.hands[0], metadata=issuer.service())
    other = changed(match.hands[0], setting("record_json", match.hands[0].record_json + b" "))
    await assert_conflict(served.stub.StoreHand(other, metadata=issuer.service()), match.match_id)
    assert served.count("reports_conflicting_total") == 1


async def test_report_with_other_terms_is_a_conflict(served, issuer):
    match = reported(length=EAST)
    await served.stub.StoreHand(match.hands[0], metadata=issuer.service())
    for path, value in (
        ("terms.occupants.0.player_id", new_id()),
        ("terms.occupants.3.display_name", "Other"),
        ("terms.table_kind", game.TABLE_KIND_PRIVATE),
    ):
        hand = changed(match.hands[1], setting(path, value))
        await assert_conflict(served.stub.StoreHand(hand, metadata=issuer.service()), match.match_id)
        finish = changed(match.finish, setting(path, value))
        await assert_conflict(served.stub.FinishMatch(finish, metadata=issuer.service()), match.match_id)
    assert len(await served.rows(HAND)) == 1


async def test_end_with_other_content_is_a_conflict(served, issuer):
    match = reported()
    await served.stub.FinishMatch(match.finish, metadata=issuer.service())
    for change in (
        setting("hand_count", 2),
        setting("server_seed", bytes(80)),
        setting("end_time.seconds", 5),
        lambda request: request.ClearField("standings"),
    ):
        call = served.stub.FinishMatch(changed(match.finish, change), metadata=issuer.service())
        await assert_conflict(call, match.match_id)


async def test_hand_beyond_the_end_is_a_conflict_whichever_comes_first(served, issuer):
    match = reported(length=EAST)
    finish = changed(match.finish, setting("hand_count", 1))
    await served.stub.StoreHand(match.hands[1], metadata=issuer.service())
    await assert_conflict(served.stub.FinishMatch(finish, metadata=issuer.service()), match.match_id)
    match = reported(length=EAST)
    finish = changed(match.finish, setting("hand_count", 1))
    await served.stub.FinishMatch(finish, metadata=issuer.service())
    await assert_conflict(served.stub.StoreHand(match.hands[1], metadata=issuer.service()), match.match_id)


async def test_practice_match_that_was_left_is_closed_without_standings(served, issuer):
    match = reported(length=EAST)
    match.finish.ClearField("standings")
    match.finish.hand_count = 1
    await served.stub.StoreHand(match.hands[0], metadata=issuer.service())
    await served.stub.FinishMatch(match.finish, metadata=issuer.service())
    found = await summary(served, issuer, match)
    assert found.match.HasField("end_time")
    assert not found.match.standings
    await served.until_checked(1)
    assert served.count("matches_checked_total", result="verified") == 1


async def test_reports_with_a_wrong_field_are_refused_and_store_nothing(served, issuer):
    match = reported()
    hand, finish = match.hands[0], match.finish
    for place, standing in enumerate(finish.standings, 1):
        standing.place, standing.score = place, 2000 - place
    of_terms = [
        ("terms.match_id", setting("terms.match_id", "x")),
        ("terms.rule_set", setting("terms.rule_set", 0)),
        ("terms.table_kind", setting("terms.table_kind", 9)),
        ("terms.length", setting("terms.length", 0)),
        ("terms.occupants", lambda r: r.terms.occupants.pop()),
        ("terms.occupants", setting("terms.occupants.1.player_id", match.players[0])),
        ("terms.occupants[2]", lambda r: r.terms.occupants[2].Clear()),
        ("terms.occupants[0].player_id", setting("terms.occupants.0.player_id", "me")),
        ("terms.occupants[3].computer", setting("terms.occupants.3.computer", 0)),
    ]
    of_hand = [
        ("hand_number", setting("hand_number", -1)),
        ("record_json", setting("hand_number", 1)),
        ("record_json", setting("record_json", b"")),
        ("record_json", setting("record_json", b"[]")),
        ("record_json", setting("record_json", b" " * 65_000 + hand.record_json)),
        ("record_json", setting("terms.match_id", new_id())),
        ("record_json", setting("terms.rule_set", game.RULE_SET_TAIWANESE)),
    ]
    of_finish = [
        ("hand_count", setting("hand_count", -1)),
        ("server_seed", setting("server_seed", bytes(79))),
        ("standings", lambda r: r.standings.pop()),
        ("standings", setting("standings.0.seat", finish.standings[1].seat)),
        ("standings", lambda r: r.standings.extend([r.standings.pop(0)])),
        ("standings[3].place", setting("standings.3.place", 7)),
        ("end_time", lambda r: r.ClearField("end_time")),
    ]
    for field, change in of_terms + of_hand:
        await assert_invalid(served.stub.StoreHand(changed(hand, change), metadata=issuer.service()), field)
    for field, change in of_terms + of_finish:
        await assert_invalid(served.stub.FinishMatch(changed(finish, change), metadata=issuer.service()), field)
    assert await served.rows(MATCH) == []


async def test_reports_by_a_player_are_refused(served, issuer):
    match = reported()
    me = issuer.player(match.players[0])
    for call, request in ((served.stub.StoreHand, match.hands[0]), (served.stub.FinishMatch, match.finish)):
        with refused() as refusal:
            await call(request, metadata=me)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")


async def test_match_over_is_verified_and_the_finding_stored(served, issuer):
    match = reported(length=EAST)
    await match.store_all(served.stub, issuer)
    await served.until_checked(1)
    (row,) = await served.rows(MATCH)
    assert (row["verification"], row["flaws"]) == ("verified", None)


async def test_match_with_a_wrong_seed_is_stored_served_and_marked_as_failed(served, issuer):
    match = reported()
    await served.stub.StoreHand(match.hands[0], metadata=issuer.service())
    wrong = changed(match.finish, setting("server_seed", bytes(80)))
    await served.stub.FinishMatch(wrong, metadata=issuer.service())
    await served.until_checked(1)
    (row,) = await served.rows(MATCH)
    assert row["verification"] == "failed"
    assert [flaw[:3] for flaw in row["flaws"]] == [[0, "WRONG_DERIVATION", None]]
    request = pb.GetHandRecordRequest(match_id=match.match_id, hand_number=0)
    assert (await served.stub.GetHandRecord(request, metadata=issuer.player(match.players[0]))).record_json


async def test_record_that_the_engine_cannot_read_is_marked_and_the_next_is_verified(served, issuer):
    strange, sound = reported(), reported()
    strange.hands[0].record_json = strange.hands[0].record_json[:-1] + b',"nonces":' + b"[" * 900 + b"]" * 900 + b"}"
    for match in (strange, sound):
        await match.store_all(served.stub, issuer)
    await served.until_checked(2)
    found = {row["match_id"]: row["verification"] for row in await served.rows(MATCH)}
    assert found == {strange.match_id: "failed", sound.match_id: "verified"}


async def test_match_that_another_replica_left_is_verified_later(replay_settings, issuer):
    match = reported()
    async with replica(replay_settings.model_copy(update={"verify_period_s": 3600.0}), issuer) as one:
        await match.store_all(one.stub, issuer)
        await one.until_checked(1)
        async with one.database.engine.begin() as connection:
            await connection.execute(MATCH.update().values(verification="due"))
    async with replica(replay_settings, issuer) as other:
        await other.until_checked(1)
        assert [row["verification"] for row in await other.rows(MATCH)] == ["verified"]
