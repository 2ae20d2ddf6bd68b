"""Seasons, leaderboards and histories as players read them."""

import random
import struct
from itertools import pairwise

import grpc
import pytest

from mahjong_kit.paging import page_token
from mahjong_rating.tables import SEASON_RATING
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from tests.contract.rating.reports import END_TIME, computer, new_id, person, report
from tests.kit.wire import refused

CLASSICAL = game.RULE_SET_CLASSICAL
QUARTER_S = 92 * 86_400


async def play(served, issuer, *scores, times=1, end_s=END_TIME.seconds, rule_set=CLASSICAL):
    """Reports matches of people with these scores, computers on the other seats."""
    seats = [person(player, score) for player, score in scores] + [computer(0)] * (4 - len(scores))
    for _ in range(times):
        await served.stub.ReportMatch(report(seats, end_s=end_s, rule_set=rule_set), metadata=issuer.service())


async def board(served, issuer, season=0, size=100, token="", rule_set=CLASSICAL):
    request = pb.ListLeaderboardRequest(rule_set=rule_set, season=season, page_size=size, page_token=token)
    return await served.stub.ListLeaderboard(request, metadata=issuer.player(new_id()))


async def rating(served, issuer, player="", season=0, reader=None):
    request = pb.GetPlayerRatingRequest(rule_set=CLASSICAL, player_id=player, season=season)
    return await served.stub.GetPlayerRating(request, metadata=issuer.player(reader or new_id()))


async def put_on_board(served, *shown):
    """Puts players with these ratings on the board, as if they had played for them; returns their ids."""
    ids = [new_id() for _ in shown]
    rows = [
        {
            "rule_set": "classical",
            "season": 4,
            "player_id": player,
            "shown": value,
            "best": value,
            "season_match_count": 20,
            "match_count": 20,
            "listed": True,
        }
        for player, value in zip(ids, shown, strict=True)
    ]
    async with served.database.engine.begin() as connection:
        await connection.execute(SEASON_RATING.insert(), rows)
    return ids


async def test_players_are_listed_by_rating_once_they_are_no_longer_provisional(served, issuer):
    anna, bela, carl = new_id(), new_id(), new_id()
    await play(served, issuer, (anna, 9), (bela, 1), times=19)
    assert not (await board(served, issuer)).entries
    await play(served, issuer, (anna, 9), (bela, 1), (carl, 5))
    found = await board(served, issuer)
    assert [(e.rating.player_id, e.rank, e.season_match_count) for e in found.entries] == [(anna, 1, 20), (bela, 2, 20)]
    assert [e.percentile for e in found.entries] == [100, 0]
    assert [e.display_name for e in found.entries] == ["Somebody"] * 2
    assert (found.listed_count, found.season.number, found.season.name) == (2, 4, "2026 Q4")
    best, carls = await rating(served, issuer, anna), await rating(served, issuer, carl)
    assert (best.rank, best.percentile, best.rating) == (1, 100, found.entries[0].rating)
    assert (carls.HasField("rank"), carls.HasField("percentile"), carls.listed_count) == (False, False, 2)
    assert (carls.rating.match_count, carls.rating.provisional, carls.season_match_count) == (1, True, 1)


async def test_pages_of_any_size_show_everybody_once_and_equals_share_rank_and_percentile(served, issuer):
    chance = random.Random(4)
    shown = [chance.choice([1400, 1500, 1500, 1600, 1700]) for _ in range(23)]
    await put_on_board(served, *shown)
    expected = [
        (value, 1 + sum(s > value for s in shown), 100 * sum(s < value for s in shown) / 22)
        for value in sorted(shown, reverse=True)
    ]
    for size in (1, 2, 7, 22, 23, 100):
        entries, token = [], ""
        while True:
            page = await board(served, issuer, size=size, token=token)
            entries += page.entries
            token = page.next_page_token
            assert page.listed_count == 23
            if not token:
                break
        assert [(e.rating.shown, e.rank, e.percentile) for e in entries] == expected
        assert len({e.rating.player_id for e in entries}) == 23


async def test_only_player_on_a_board_is_at_its_top(served, issuer):
    (only,) = await put_on_board(served, 1234)
    found = await rating(served, issuer, only)
    assert (found.rank, found.percentile, found.listed_count) == (1, 100, 1)


async def test_each_season_and_rule_set_has_a_board_of_its_own_and_skill_goes_on(served, issuer):
    anna, bela = new_id(), new_id()
    before = END_TIME.seconds - QUARTER_S
    await play(served, issuer, (anna, 9), (bela, 1), times=21, end_s=before)
    await play(served, issuer, (bela, 9), (anna, 1))
    old, new = await board(served, issuer, season=3), await board(served, issuer)
    assert [e.rating.player_id for e in old.entries] == [anna, bela]
    assert [e.season_match_count for e in old.entries] == [21, 21]
    assert [(e.rating.player_id, e.season_match_count) for e in new.entries] == [(anna, 1), (bela, 1)]
    assert old.entries[0].rating.shown > new.entries[0].rating.shown > 1500
    assert not (await board(served, issuer, rule_set=game.RULE_SET_TAIWANESE)).entries
    then = await rating(served, issuer, anna, season=3)
    assert (then.rating, then.season_best) == (old.entries[0].rating, old.entries[0].rating.shown)
    earlier = await rating(served, issuer, anna, season=2)
    assert (earlier.rating.shown, earlier.rating.match_count, earlier.season_match_count) == (1500, 0, 0)
    seasons = await served.stub.ListSeasons(pb.ListSeasonsRequest(), metadata=issuer.player(anna))
    assert [season.number for season in seasons.seasons] == [4, 3]


async def test_player_without_a_rated_match_has_the_rating_of_a_new_one(served, issuer):
    me = new_id()
    found = await rating(served, issuer, reader=me)
    assert (found.rating.player_id, found.rating.shown, found.rating.provisional) == (me, 1500, True)
    assert (found.season_match_count, found.HasField("season_best"), found.HasField("rank")) == (0, False, False)


async def test_history_tells_before_after_and_all_that_it_was_rated_by_page_by_page(served, issuer):
    anna, bela, carl = new_id(), new_id(), new_id()
    await play(served, issuer, (anna, 9), (bela, 5), (carl, 5), times=5)
    await play(served, issuer, (bela, 9), (carl, 1))
    entries, token = [], ""
    while True:
        request = pb.ListRatingHistoryRequest(rule_set=CLASSICAL, page_size=2, page_token=token)
        page = await served.stub.ListRatingHistory(request, metadata=issuer.player(anna))
        entries += page.entries
        token = page.next_page_token
        if not token:
            break
    assert len(entries) == len({entry.match_id for entry in entries}) == 5
    for newer, older in pairwise(entries):
        assert newer.change.before == older.change.after
    assert entries[-1].change.before.shown == 1500
    for entry in entries:
        assert (entry.season, entry.end_time) == (4, END_TIME)
        assert (entry.change.player_id, entry.change.place, entry.change.score) == (anna, 1, 9)
        assert {(o.player_id, o.place, o.score) for o in entry.others} == {(bela, 2, 5), (carl, 2, 5)}
        assert all(other.before.match_count == entry.change.before.match_count for other in entry.others)


async def test_history_of_a_season_leaves_the_others_out(served, issuer):
    anna, bela = new_id(), new_id()
    await play(served, issuer, (anna, 9), (bela, 1), times=2, end_s=END_TIME.seconds - QUARTER_S)
    await play(served, issuer, (anna, 9), (bela, 1))
    for season, count in ((0, 3), (4, 1), (3, 2), (2, 0)):
        request = pb.ListRatingHistoryRequest(rule_set=CLASSICAL, player_id=anna, season=season)
        page = await served.stub.ListRatingHistory(request, metadata=issuer.player(new_id()))
        assert len(page.entries) == count


@pytest.mark.parametrize(
    ("method", "fields", "reason"),
    [
        ("ListLeaderboard", {"season": 5}, "SEASON_NOT_FOUND"),
        ("GetPlayerRating", {"season": 5}, "SEASON_NOT_FOUND"),
        ("ListRatingHistory", {"season": 5}, "SEASON_NOT_FOUND"),
        ("ListLeaderboard", {"season": -1}, "INVALID_FIELD"),
        ("ListLeaderboard", {"rule_set": 0}, "INVALID_FIELD"),
        ("GetPlayerRating", {"player_id": "me"}, "INVALID_FIELD"),
        ("ListLeaderboard", {"page_size": 101}, "PAGE_SIZE_OUT_OF_RANGE"),
        ("ListRatingHistory", {"page_size": -1}, "PAGE_SIZE_OUT_OF_RANGE"),
        ("ListLeaderboard", {"page_token": "x"}, "MALFORMED_PAGE_TOKEN"),
        ("ListRatingHistory", {"page_token": "A" * 24}, "MALFORMED_PAGE_TOKEN"),
    ],
)
async def test_request_with_a_wrong_part_is_refused(served, issuer, method, fields, reason):
    request = getattr(pb, f"{method}Request")(**({"rule_set": CLASSICAL} | fields))
    with refused() as refusal:
        await getattr(served.stub, method)(request, metadata=issuer.player(new_id()))
    code = grpc.StatusCode.NOT_FOUND if reason == "SEASON_NOT_FOUND" else grpc.StatusCode.INVALID_ARGUMENT
    assert (refusal.code, refusal.reason) == (code, reason)


async def test_tokens_belong_to_one_board(served, issuer):
    await put_on_board(served, 1500, 1600, 1700)
    token = (await board(served, issuer, size=1)).next_page_token
    for fields in ({"rule_set": game.RULE_SET_TAIWANESE}, {"season": 3}):
        with refused() as refusal:
            await board(served, issuer, token=token, **fields)
        assert refusal.reason == "MALFORMED_PAGE_TOKEN"


async def test_made_up_token_names_no_line_that_the_database_cannot_hold(served, issuer):
    token = page_token(struct.pack(">i36s", 1500, b""), "leaderboard/classical/4")
    with refused() as refusal:
        await board(served, issuer, token=token)
    assert refusal.reason == "MALFORMED_PAGE_TOKEN"
