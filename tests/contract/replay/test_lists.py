"""Lists of matches: filters, other players' matches, and tokens that belong to one list."""

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from tests.contract.replay.reported import END_S, new_id, reported
from tests.kit.wire import refused


async def mine(served, issuer, player, **chosen):
    request = pb.ListMyMatchesRequest(page_size=100, filter=pb.MatchFilter(**chosen))
    response = await served.stub.ListMyMatches(request, metadata=issuer.player(player))
    return {match.match_id for match in response.matches}


async def theirs(served, issuer, player, reader, **chosen):
    request = pb.ListPlayerMatchesRequest(player_id=player, page_size=100, filter=pb.MatchFilter(**chosen))
    response = await served.stub.ListPlayerMatches(request, metadata=issuer.player(reader))
    return {match.match_id for match in response.matches}


async def awards_of(served, issuer, match):
    request = pb.GetMatchRequest(match_id=match.match_id)
    found = await served.stub.GetMatch(request, metadata=issuer.player(match.players[0]))
    return [(won.seat, won.award) for hand in found.hands for won in hand.won_awards]


async def test_each_filter_alone_and_together_shows_the_matches_that_pass(served, issuer):
    me, anna, bela = new_id(), new_id(), new_id()
    one = reported([me, anna], end_s=END_S)
    two = reported([me, bela], rules="taiwanese", end_s=END_S + 10)
    three = reported([me, anna, bela], end_s=END_S + 20, kind=game.TABLE_KIND_RATED)
    for match in (one, two, three):
        await match.store_all(served.stub, issuer)
    ids = [match.match_id for match in (one, two, three)]

    async def shown(**chosen):
        found = await mine(served, issuer, me, **chosen)
        return [number for number, match_id in enumerate(ids, 1) if match_id in found]

    assert await shown() == [1, 2, 3]
    assert await shown(rule_set=game.RULE_SET_CLASSICAL) == [1, 3]
    assert await shown(rule_set=game.RULE_SET_TAIWANESE) == [2]
    assert await shown(table_kind=game.TABLE_KIND_RATED) == [3]
    assert await shown(table_kind=game.TABLE_KIND_PRIVATE) == []
    assert await shown(opponent_id=anna) == [1, 3]
    assert await shown(opponent_id=new_id()) == []
    end_of_two = Timestamp(seconds=END_S + 10, nanos=250_000_000)
    assert await shown(from_time=end_of_two) == [2, 3]
    assert await shown(until_time=end_of_two) == [1]
    assert await shown(rule_set=game.RULE_SET_CLASSICAL, opponent_id=bela, from_time=end_of_two) == [3]


async def test_award_filter_shows_matches_in_which_somebody_or_the_player_won_with_it(served, issuer):
    me = new_id()
    matches = [reported([me], end_s=END_S + i, rules=("classical", "taiwanese")[i % 2]) for i in range(6)]
    for match in matches:
        await match.store_all(served.stub, issuer)
    await served.until_checked(6)
    awards = {match.match_id: await awards_of(served, issuer, match) for match in matches}
    assert all(
        (seat in match.match.records[0]["result"]["winners"]) for match in matches for seat, _ in awards[match.match_id]
    )
    names = {award for won in awards.values() for _, award in won}
    assert "winning" in names
    for name in names:
        expected = {match_id for match_id, won in awards.items() if name in {award for _, award in won}}
        assert await mine(served, issuer, me, award=name) == expected
        own = {match_id for match_id, won in awards.items() if (0, name) in won}
        assert await mine(served, issuer, me, award=name, won_by_player=True) == own
    assert await mine(served, issuer, me, award="no_such_award") == set()


async def test_others_see_rated_matches_of_a_player_and_those_they_played_too(served, issuer):
    anna, bela, stranger = new_id(), new_id(), new_id()
    rated = reported([anna], kind=game.TABLE_KIND_RATED)
    shared, private = reported([anna, bela]), reported([anna], kind=game.TABLE_KIND_PRIVATE)
    for match in (rated, shared, private):
        await match.store_all(served.stub, issuer)
    assert await theirs(served, issuer, anna, stranger) == {rated.match_id}
    assert await theirs(served, issuer, anna, bela) == {rated.match_id, shared.match_id}
    assert await theirs(served, issuer, anna, anna) == {rated.match_id, shared.match_id, private.match_id}
    assert await theirs(served, issuer, anna, stranger, table_kind=game.TABLE_KIND_PRIVATE) == set()
    assert await theirs(served, issuer, new_id(), stranger) == set()


async def test_rated_match_is_everybodys_to_read_once_it_is_over(served, issuer):
    match, stranger = reported(kind=game.TABLE_KIND_RATED), new_id()
    as_stranger = issuer.player(stranger)
    get_match = pb.GetMatchRequest(match_id=match.match_id)
    get_record = pb.GetHandRecordRequest(match_id=match.match_id)
    await served.stub.StoreHand(match.hands[0], metadata=issuer.service("table"))
    for call, request in ((served.stub.GetMatch, get_match), (served.stub.GetHandRecord, get_record)):
        with refused() as refusal:
            await call(request, metadata=as_stranger)
        assert refusal.reason == "MATCH_NOT_FOUND"
    await served.stub.FinishMatch(match.finish, metadata=issuer.service("table"))
    assert (await served.stub.GetMatch(get_match, metadata=as_stranger)).match.match_id == match.match_id
    assert (await served.stub.GetHandRecord(get_record, metadata=as_stranger)).record_json


async def test_token_goes_with_its_player_filter_and_reader(served, issuer):
    me, other = new_id(), new_id()
    for i in range(3):
        match = reported([me, other], end_s=END_S + i, kind=game.TABLE_KIND_RATED)
        await match.store_all(served.stub, issuer)
    first = await served.stub.ListMyMatches(pb.ListMyMatchesRequest(page_size=2), metadata=issuer.player(me))
    token, rated = first.next_page_token, pb.MatchFilter(table_kind=game.TABLE_KIND_RATED)
    calls = [
        (served.stub.ListMyMatches, pb.ListMyMatchesRequest(page_token=token), other),
        (served.stub.ListMyMatches, pb.ListMyMatchesRequest(page_token=token, filter=rated), me),
        (served.stub.ListPlayerMatches, pb.ListPlayerMatchesRequest(player_id=me, page_token=token), other),
    ]
    for call, request, reader in calls:
        with refused() as refusal:
            await call(request, metadata=issuer.player(reader))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_PAGE_TOKEN")


@pytest.mark.parametrize(
    ("field", "chosen"),
    [
        ("filter.rule_set", {"rule_set": 9}),
        ("filter.table_kind", {"table_kind": 9}),
        ("filter.opponent_id", {"opponent_id": "me"}),
        ("filter.award", {"award": "All Pungs'"}),
        ("filter.award", {"award": "a" * 49}),
        ("filter.from_time", {"from_time": Timestamp(seconds=-5)}),
        ("filter.until_time", {"until_time": Timestamp(seconds=1 << 50)}),
    ],
)
async def test_filter_with_a_wrong_part_is_refused(served, issuer, field, chosen):
    with refused() as refusal:
        await mine(served, issuer, new_id(), **chosen)
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", field)


async def test_player_that_is_no_id_is_refused(served, issuer):
    with refused() as refusal:
        await theirs(served, issuer, "me", new_id())
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "player_id")
