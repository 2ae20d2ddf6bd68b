"""What players read: their matches page by page, summaries while they play, whole records when the match is over."""

import asyncio
import json
from datetime import UTC, datetime

import grpc
import pytest

from mahjong_engine.match import MatchLength
from mahjong_engine.referee import verify_record
from mahjong_replay.page import Position, token_of
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from tests.contract.replay.reported import END_S, new_id, reported
from tests.kit.wire import refused


async def page(served, issuer, player, token="", size=0):
    request = pb.ListMyMatchesRequest(page_size=size, page_token=token)
    return await served.stub.ListMyMatches(request, metadata=issuer.player(player))


async def whole_list(served, issuer, player, size, between=None):
    found, token = [], ""
    while True:
        response = await page(served, issuer, player, token, size)
        found += [match.match_id for match in response.matches]
        token = response.next_page_token
        if between is not None:
            await between()
        if not token:
            return found


def record_of(served, issuer, match_id, number, player):
    request = pb.GetHandRecordRequest(match_id=match_id, hand_number=number)
    return served.stub.GetHandRecord(request, metadata=issuer.player(player))


async def assert_refused(call, code, reason, **metadata):
    with refused() as refusal:
        await call
    assert (refusal.code, refusal.reason) == (code, reason)
    assert refusal.metadata == {key: str(value) for key, value in metadata.items()}


async def test_list_shows_a_match_as_it_was_reported_to_each_of_its_people(served, issuer):
    anna, bela = new_id(), new_id()
    match = reported([anna, bela], rules="taiwanese")
    await match.store_all(served.stub, issuer)
    for player in (anna, bela):
        (listed,) = (await page(served, issuer, player)).matches
        assert listed.match_id == match.match_id
        assert listed.rule_set == match.terms.rule_set
        assert listed.table_kind == match.terms.table_kind
        assert listed.length == match.terms.length
        assert list(listed.occupants) == list(match.terms.occupants)
        assert list(listed.standings) == list(match.finish.standings)
        assert listed.hand_count == 1
        assert listed.end_time == match.finish.end_time
    assert not (await page(served, issuer, new_id())).matches


async def test_list_is_newest_first_and_every_page_size_shows_each_match_once(served, issuer):
    player = new_id()
    matches = [reported([player], end_s=END_S + i // 3) for i in range(11)]
    for match in matches:
        await match.store_all(served.stub, issuer)
    expected = [m.match_id for m in sorted(matches, key=lambda m: (m.finish.end_time.seconds, m.match_id))][::-1]
    for size in (1, 2, 3, 10, 11, 12, 100):
        assert await whole_list(served, issuer, player, size) == expected
    assert not (await page(served, issuer, player, size=11)).next_page_token


async def test_list_has_twenty_matches_a_page_unless_asked_otherwise(served, issuer):
    player = new_id()
    for i in range(21):
        await reported([player], end_s=END_S + i).store_all(served.stub, issuer)
    first = await page(served, issuer, player)
    assert len(first.matches) == 20
    assert len((await page(served, issuer, player, first.next_page_token)).matches) == 1


async def test_list_under_concurrent_inserts_shows_what_was_there_exactly_once(served, issuer):
    player = new_id()
    there = [reported([player], end_s=END_S + i) for i in range(12)]
    for match in there:
        await match.store_all(served.stub, issuer)
    numbers = iter(range(1, 100))

    async def insert():
        number = next(numbers)
        new = [reported([player], end_s=end_s) for end_s in (END_S + 100 + number, END_S + number, END_S - number)]
        await asyncio.gather(*(match.store_all(served.stub, issuer) for match in new))

    found = await whole_list(served, issuer, player, 10, between=insert)
    old = [match.match_id for match in there]
    assert [match_id for match_id in found if match_id in old] == old[::-1]
    assert len(set(found)) == len(found)


async def test_page_size_out_of_range_is_refused(served, issuer):
    for size in (-1, 101, (1 << 31) - 1):
        call = page(served, issuer, new_id(), size=size)
        await assert_refused(call, grpc.StatusCode.INVALID_ARGUMENT, "PAGE_SIZE_OUT_OF_RANGE", page_size=size)


async def test_page_token_that_the_list_did_not_give_is_refused(served, issuer):
    of_another = token_of(Position(datetime(2026, 11, 30, tzinfo=UTC), new_id()), new_id())
    for token in ("x", "AAAA", "é", of_another, of_another[:-1], "A" * 44, "A" * 10_000, "\0"):
        call = page(served, issuer, new_id(), token)
        await assert_refused(call, grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_PAGE_TOKEN")


async def test_match_in_play_shows_summaries_and_nothing_hidden(served, issuer):
    match = reported(length=MatchLength.EAST_ROUND)
    for request in match.hands[:2]:
        await served.stub.StoreHand(request, metadata=issuer.service())
    request = pb.GetMatchRequest(match_id=match.match_id)
    found = await served.stub.GetMatch(request, metadata=issuer.player(match.players[0]))
    assert found.match.hand_count == len(found.hands) == 2
    assert not found.match.standings
    assert not found.match.HasField("end_time")
    for number, hand in enumerate(found.hands):
        record = match.match.records[number]
        assert (hand.hand_number, hand.dealer, hand.round_wind) == (number, record["dealer"], "E")
        assert list(hand.winners) == record["result"]["winners"]
        assert list(hand.changes) == record["result"]["changes"]


async def test_record_before_the_end_is_refused_also_when_only_a_hand_is_missing(served, issuer):
    match = reported(length=MatchLength.EAST_ROUND)
    me = match.players[0]
    for number, request in enumerate(match.hands):
        if number != 2:
            await served.stub.StoreHand(request, metadata=issuer.service())
    not_over = grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_OVER"
    for number in (0, 2, 99):
        call = record_of(served, issuer, match.match_id, number, me)
        await assert_refused(call, *not_over, match_id=match.match_id)
    await served.stub.FinishMatch(match.finish, metadata=issuer.service())
    await assert_refused(record_of(served, issuer, match.match_id, 0, me), *not_over, match_id=match.match_id)
    await served.stub.StoreHand(match.hands[2], metadata=issuer.service())
    assert (await record_of(served, issuer, match.match_id, 2, me)).record_json


@pytest.mark.parametrize("rules", ["classical", "taiwanese"])
async def test_record_comes_back_byte_for_byte_with_its_seed_and_verifies(served, issuer, rules):
    match = reported(rules=rules, length=MatchLength.EAST_ROUND)
    await match.store_all(served.stub, issuer)
    for number, record in enumerate(match.match.records):
        response = await record_of(served, issuer, match.match_id, number, match.players[0])
        assert response.record_json.startswith(match.hands[number].record_json[:-1])
        assert json.loads(response.record_json) == record
        verify_record(json.loads(response.record_json))


async def test_hand_that_the_match_does_not_have_is_not_found(served, issuer):
    match = reported()
    await match.store_all(served.stub, issuer)
    for number in (1, -1, (1 << 31) - 1, -(1 << 31)):
        call = record_of(served, issuer, match.match_id, number, match.players[0])
        not_found = grpc.StatusCode.NOT_FOUND, "HAND_NOT_FOUND"
        await assert_refused(call, *not_found, match_id=match.match_id, hand_number=number)


async def test_match_of_others_and_match_that_does_not_exist_are_told_apart_by_nothing(served, issuer):
    played, in_play, stranger = reported(), reported(), new_id()
    await played.store_all(served.stub, issuer)
    await served.stub.StoreHand(in_play.hands[0], metadata=issuer.service())
    not_found = grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND"
    for match_id in (played.match_id, in_play.match_id, new_id(), "", "no id", "\0", "x" * 5000):
        request = pb.GetMatchRequest(match_id=match_id)
        call = served.stub.GetMatch(request, metadata=issuer.player(stranger))
        await assert_refused(call, *not_found, match_id=match_id[:36])
        for number in (0, 7):
            call = record_of(served, issuer, match_id, number, stranger)
            await assert_refused(call, *not_found, match_id=match_id[:36])


async def test_reading_without_a_token_or_as_a_service_is_refused(served, issuer):
    for metadata, reason in ((None, "NOT_SIGNED_IN"), (issuer.service(), "CALLER_NOT_ALLOWED")):
        for call, request in (
            (served.stub.ListMyMatches, pb.ListMyMatchesRequest()),
            (served.stub.GetMatch, pb.GetMatchRequest(match_id=new_id())),
            (served.stub.GetHandRecord, pb.GetHandRecordRequest(match_id=new_id())),
        ):
            with refused() as refusal:
                await call(request, metadata=metadata)
            assert refusal.reason == reason


async def test_match_that_has_started_is_found_before_its_first_hand_is_over(served, issuer):
    match = reported(length=MatchLength.EAST_ROUND)
    for _ in range(2):
        await served.stub.StartMatch(match.start, metadata=issuer.service("table"))
    request, me = pb.GetMatchRequest(match_id=match.match_id), issuer.player(match.players[0])
    found = await served.stub.GetMatch(request, metadata=me)
    assert (found.match.match_id, found.match.hand_count, list(found.hands)) == (match.match_id, 0, [])
    assert list(found.match.occupants) == list(match.terms.occupants)
    assert not found.match.HasField("end_time")
    call = record_of(served, issuer, match.match_id, 0, match.players[0])
    await assert_refused(call, grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_OVER", match_id=match.match_id)
    await match.store_all(served.stub, issuer)
    await served.stub.StartMatch(match.start, metadata=issuer.service("table"))
    assert (await served.stub.GetMatch(request, metadata=me)).match.hand_count == len(match.hands)


async def test_match_that_ended_before_its_first_hand_is_over_and_in_no_list(served, issuer):
    match = reported()
    await served.stub.StartMatch(match.start, metadata=issuer.service("table"))
    match.finish.hand_count = 0
    match.finish.ClearField("standings")
    await served.stub.FinishMatch(match.finish, metadata=issuer.service("table"))
    me = issuer.player(match.players[0])
    found = await served.stub.GetMatch(pb.GetMatchRequest(match_id=match.match_id), metadata=me)
    assert found.match.HasField("end_time")
    assert not (await served.stub.ListMyMatches(pb.ListMyMatchesRequest(), metadata=me)).matches
    call = record_of(served, issuer, match.match_id, 0, match.players[0])
    await assert_refused(call, grpc.StatusCode.NOT_FOUND, "HAND_NOT_FOUND", match_id=match.match_id, hand_number=0)
