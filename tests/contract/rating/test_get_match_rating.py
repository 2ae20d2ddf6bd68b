"""What a match did, told to those who played it, also to those who ask before the report is there."""

import asyncio
import time

import grpc
from google.protobuf.duration_pb2 import Duration

from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from tests.contract.rating.conftest import replica
from tests.contract.rating.reports import computer, new_id, person, report
from tests.kit.wire import refused


def asked(match_id, wait_ms=None):
    request = pb.GetMatchRatingRequest(match_id=match_id)
    if wait_ms is not None:
        request.wait_duration.FromMilliseconds(wait_ms)
    return request


async def is_waiting(served):
    value = served.metrics.registry.get_sample_value
    async with asyncio.timeout(60):
        while not value("mahjong_rating_waits"):
            await asyncio.sleep(0)


async def not_found(call, match_id):
    with refused() as refusal:
        await call
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND")
    assert refusal.metadata == {"match_id": match_id}


async def test_rating_of_a_match_tells_before_and_after_best_place_first(served, issuer):
    players = [new_id() for _ in range(4)]
    first = report([person(p, s) for p, s in zip(players, (-5, 30, 20, -45), strict=True)])
    second = report([person(p, s) for p, s in zip(players, (10, 0, 5, -15), strict=True)])
    for request in (first, second):
        await served.stub.ReportMatch(request, metadata=issuer.service())
    one, two = [
        await served.stub.GetMatchRating(asked(request.match_id), metadata=issuer.player(players[3]))
        for request in (first, second)
    ]
    assert one.outcome == two.outcome == pb.RATING_OUTCOME_APPLIED
    assert [change.player_id for change in one.changes] == [players[i] for i in (1, 2, 0, 3)]
    assert [change.player_id for change in two.changes] == [players[i] for i in (0, 2, 1, 3)]
    assert {change.before.shown for change in one.changes} == {1500}
    assert {c.player_id: c.after for c in one.changes} == {c.player_id: c.before for c in two.changes}
    assert {change.after.match_count for change in two.changes} == {2}


async def test_rating_of_a_skipped_match_tells_why_and_no_changes(served, issuer):
    player = new_id()
    request = report([person(player, 1), computer(0), computer(0), computer(-1)], table_kind=game.TABLE_KIND_PRACTICE)
    await served.stub.ReportMatch(request, metadata=issuer.service())
    response = await served.stub.GetMatchRating(asked(request.match_id), metadata=issuer.player(player))
    assert response.outcome == pb.RATING_OUTCOME_SKIPPED_NOT_RATED
    assert not response.changes


async def test_rating_stays_provisional_for_twenty_matches(served, issuer):
    players = [new_id(), new_id()]
    for _ in range(20):
        request = report([*(person(p, s) for s, p in enumerate(players)), computer(0), computer(0)])
        await served.stub.ReportMatch(request, metadata=issuer.service())
    response = await served.stub.GetMatchRating(asked(request.match_id), metadata=issuer.player(players[0]))
    assert {(change.before.provisional, change.after.provisional) for change in response.changes} == {(True, False)}


async def test_rating_of_a_match_of_others_is_not_found(served, issuer):
    request = report([person(new_id(), i) for i in range(4)])
    await served.stub.ReportMatch(request, metadata=issuer.service())
    call = served.stub.GetMatchRating(asked(request.match_id), metadata=issuer.player(new_id()))
    await not_found(call, request.match_id)


async def test_rating_of_a_match_not_reported_is_not_found(served, issuer):
    match_id = new_id()
    await not_found(served.stub.GetMatchRating(asked(match_id), metadata=issuer.player(new_id())), match_id)


async def test_rating_of_what_is_no_match_id_is_not_found(served, issuer):
    for match_id in ("", "no id", "\0" * 36, "x" * 10_000):
        call = served.stub.GetMatchRating(asked(match_id, 9_000), metadata=issuer.player(new_id()))
        await not_found(call, match_id[:36])


async def test_wait_ends_when_the_report_comes(rating_settings, issuer):
    settings = rating_settings.model_copy(update={"recheck_period_s": 60.0})
    player = new_id()
    request = report([person(player, 3), person(new_id(), 2), computer(1), computer(0)])
    async with replica(settings, issuer) as served:
        wait = asyncio.ensure_future(
            served.stub.GetMatchRating(asked(request.match_id, 9_000), metadata=issuer.player(player))
        )
        await is_waiting(served)
        await served.stub.ReportMatch(request, metadata=issuer.service())
        response = await wait
    assert response.changes[0].player_id == player


async def test_wait_finds_a_report_that_another_replica_took(rating_settings, issuer):
    player = new_id()
    request = report([person(player, 3), person(new_id(), 2), computer(1), computer(0)])
    async with replica(rating_settings, issuer) as here, replica(rating_settings, issuer) as there:
        wait = asyncio.ensure_future(
            here.stub.GetMatchRating(asked(request.match_id, 9_000), metadata=issuer.player(player))
        )
        await is_waiting(here)
        await there.stub.ReportMatch(request, metadata=issuer.service())
        assert (await wait).outcome == pb.RATING_OUTCOME_APPLIED


async def test_wait_for_a_report_that_does_not_come_ends_in_time(served, issuer):
    match_id, started = new_id(), time.perf_counter()
    call = served.stub.GetMatchRating(asked(match_id, 200), metadata=issuer.player(new_id()))
    await not_found(call, match_id)
    assert time.perf_counter() - started >= 0.2
    assert served.metrics.registry.get_sample_value("mahjong_rating_waits") == 0


async def test_wait_of_a_stranger_does_not_end_with_the_report(served, issuer):
    request = report([person(new_id(), i) for i in range(4)])
    started = time.perf_counter()
    wait = asyncio.ensure_future(
        served.stub.GetMatchRating(asked(request.match_id, 600), metadata=issuer.player(new_id()))
    )
    await is_waiting(served)
    await served.stub.ReportMatch(request, metadata=issuer.service())
    await not_found(wait, request.match_id)
    assert time.perf_counter() - started >= 0.6


async def test_wait_ends_with_an_answer_before_the_deadline_of_the_call(served, issuer, monkeypatch):
    monkeypatch.setattr("mahjong_rating.servicer._ANSWER_MARGIN_S", 8.0)  # A machine may stand still for seconds.
    match_id = new_id()
    call = served.stub.GetMatchRating(asked(match_id, 10_000), metadata=issuer.player(new_id()), timeout=9.0)
    await not_found(call, match_id)


async def test_wait_is_cut_short_when_the_service_goes_down(served, issuer):
    wait = asyncio.ensure_future(served.stub.GetMatchRating(asked(new_id(), 10_000), metadata=issuer.player(new_id())))
    await is_waiting(served)
    served.ratings.drain()
    with refused() as refusal:
        await wait
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")


async def test_wait_out_of_range_is_refused(served, issuer):
    for wait in (Duration(seconds=-1), Duration(seconds=10, nanos=1), Duration(seconds=1 << 40)):
        request = pb.GetMatchRatingRequest(match_id=new_id(), wait_duration=wait)
        with refused() as refusal:
            await served.stub.GetMatchRating(request, metadata=issuer.player(new_id()))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
        assert refusal.metadata["field"] == "wait_duration"


async def test_rating_of_a_match_asked_by_a_service_is_refused(served, issuer):
    with refused() as refusal:
        await served.stub.GetMatchRating(asked(new_id()), metadata=issuer.service())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")


async def test_ratings_come_in_the_order_asked_without_those_who_have_none(served, issuer):
    players = [new_id() for _ in range(4)]
    request = report([person(p, s) for s, p in enumerate(players)])
    await served.stub.ReportMatch(request, metadata=issuer.service())
    asked_for = [players[2], new_id(), players[0], players[2]]
    batch = pb.BatchGetRatingsRequest(rule_set=game.RULE_SET_CLASSICAL, player_ids=asked_for)
    response = await served.stub.BatchGetRatings(batch, metadata=issuer.player(new_id()))
    assert [rating.player_id for rating in response.ratings] == [players[2], players[0], players[2]]


async def test_ratings_asked_wrongly_are_refused(served, issuer):
    classical = game.RULE_SET_CLASSICAL
    for rule_set, players, field in (
        (0, [new_id()], "rule_set"),
        (9, [new_id()], "rule_set"),
        (classical, [], "player_ids"),
        (classical, [new_id() for _ in range(101)], "player_ids"),
        (classical, [new_id(), "x"], "player_ids[1]"),
    ):
        batch = pb.BatchGetRatingsRequest(rule_set=rule_set, player_ids=players)
        with refused() as refusal:
            await served.stub.BatchGetRatings(batch, metadata=issuer.player(new_id()))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
        assert refusal.metadata["field"] == field


async def test_ratings_of_a_hundred_players_are_given(served, issuer):
    batch = pb.BatchGetRatingsRequest(rule_set=game.RULE_SET_TAIWANESE, player_ids=[new_id() for _ in range(100)])
    assert not (await served.stub.BatchGetRatings(batch, metadata=issuer.player(new_id()))).ratings
