"""Reports of finished matches: rated once, skipped with a reason, refused if wrong."""

import asyncio
import itertools

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf.timestamp_pb2 import Timestamp

from mahjong_rating.tables import MATCH_REPORT, RATING, RATING_CHANGE
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from tests.contract.rating.conftest import replica
from tests.contract.rating.reports import computer, new_id, person, report
from tests.kit.wire import refused

APPLIED = pb.RATING_OUTCOME_APPLIED
NOT_RATED = pb.RATING_OUTCOME_SKIPPED_NOT_RATED
TOO_FEW = pb.RATING_OUTCOME_SKIPPED_TOO_FEW_PEOPLE


def changed(request, change):
    """A copy of a report with a change."""
    copy = pb.ReportMatchRequest.FromString(request.SerializeToString())
    change(copy)
    return copy


async def rows(served, table):
    async with served.database.reading() as session:
        return [dict(row) for row in (await (await session.connection()).execute(sa.select(table))).mappings()]


async def ratings(served, issuer, players, rule_set=game.RULE_SET_CLASSICAL):
    request = pb.BatchGetRatingsRequest(rule_set=rule_set, player_ids=players)
    response = await served.stub.BatchGetRatings(request, metadata=issuer.player(players[0]))
    return {rating.player_id: rating for rating in response.ratings}


async def test_report_of_four_people_rates_all_four(served, issuer):
    players = [new_id() for _ in range(4)]
    request = report([person(p, s) for p, s in zip(players, (9000, 4000, -100, -12900), strict=True)])
    response = await served.stub.ReportMatch(request, metadata=issuer.service())
    assert response.outcome == APPLIED
    found = await ratings(served, issuer, players)
    assert [found[p].shown for p in players] == [1518, 1510, 1498, 1474]
    assert [found[p].match_count for p in players] == [1, 1, 1, 1]
    assert all(found[p].provisional for p in players)


async def test_report_of_two_people_and_two_computers_changes_exactly_two_ratings(served, issuer):
    anna, bela = new_id(), new_id()
    request = report([computer(20_000), person(anna, -500), computer(-30_000), person(bela, -400)])
    assert (await served.stub.ReportMatch(request, metadata=issuer.service())).outcome == APPLIED
    found = await ratings(served, issuer, [anna, bela])
    assert (found[anna].shown, found[bela].shown) == (1483, 1517)
    assert len(await rows(served, RATING)) == 2
    assert {(row["player_id"], row["place"], row["score"]) for row in await rows(served, RATING_CHANGE)} == {
        (anna, 2, -500),
        (bela, 1, -400),
    }


async def test_report_of_a_tie_between_new_players_leaves_both_at_1500(served, issuer):
    anna, bela = new_id(), new_id()
    request = report([person(anna, 100), person(bela, 100), computer(0), computer(0)])
    await served.stub.ReportMatch(request, metadata=issuer.service())
    assert [r.shown for r in (await ratings(served, issuer, [anna, bela])).values()] == [1500, 1500]


@pytest.mark.parametrize("people", [0, 1])
async def test_report_of_a_rated_table_with_fewer_than_two_people_is_skipped(served, issuer, people):
    request = report([person(new_id(), 5), computer(4), computer(3), computer(2)] if people else [computer(1)] * 4)
    assert (await served.stub.ReportMatch(request, metadata=issuer.service())).outcome == TOO_FEW
    assert await rows(served, RATING) == []
    assert [row["outcome"] for row in await rows(served, MATCH_REPORT)] == ["skipped_too_few_people"]


@pytest.mark.parametrize("kind", [game.TABLE_KIND_CASUAL, game.TABLE_KIND_PRACTICE, game.TABLE_KIND_PRIVATE])
async def test_report_of_another_table_changes_no_rating(served, issuer, kind):
    request = report([person(new_id(), i) for i in range(4)], table_kind=kind)
    assert (await served.stub.ReportMatch(request, metadata=issuer.service())).outcome == NOT_RATED
    assert await rows(served, RATING) == []
    assert await rows(served, RATING_CHANGE) == []


async def test_rule_sets_have_ratings_of_their_own(served, issuer):
    anna, bela = new_id(), new_id()
    seats = [person(anna, 2), person(bela, 1), computer(0), computer(0)]
    await served.stub.ReportMatch(report(seats), metadata=issuer.service())
    taiwanese = report(seats[::-1], rule_set=game.RULE_SET_TAIWANESE)
    await served.stub.ReportMatch(taiwanese, metadata=issuer.service())
    await served.stub.ReportMatch(report(seats), metadata=issuer.service())
    assert (await ratings(served, issuer, [anna]))[anna].match_count == 2
    assert (await ratings(served, issuer, [anna], game.RULE_SET_TAIWANESE))[anna].match_count == 1


async def test_report_repeated_changes_nothing_and_gets_the_first_outcome(served, issuer):
    request = report([person(new_id(), i) for i in range(4)])
    first = await served.stub.ReportMatch(request, metadata=issuer.service())
    before = await rows(served, RATING), await rows(served, RATING_CHANGE)
    assert await served.stub.ReportMatch(request, metadata=issuer.service()) == first
    assert (await rows(served, RATING), await rows(served, RATING_CHANGE)) == before


async def test_report_repeated_with_other_names_to_show_is_the_same_report(served, issuer):
    request = report([person(new_id(), i) for i in range(4)])
    await served.stub.ReportMatch(request, metadata=issuer.service())
    request.seats[0].occupant.display_name = "Renamed"
    assert (await served.stub.ReportMatch(request, metadata=issuer.service())).outcome == APPLIED


def _other_score(request):
    request.seats[3].score += 1


def _other_player(request):
    request.seats[0].occupant.player_id = new_id()


def _computer_instead(request):
    request.seats[0].occupant.computer = game.COMPUTER_LEVEL_STRONG


def _other_rule_set(request):
    request.rule_set = game.RULE_SET_TAIWANESE


def _other_kind(request):
    request.table_kind = game.TABLE_KIND_CASUAL


def _other_seats(request):
    seats = list(request.seats)
    del request.seats[:]
    request.seats.extend(seats[::-1])


def _other_time(request):
    request.end_time.seconds += 1


async def test_report_repeated_with_other_content_is_a_conflict(served, issuer):
    first = report([person(new_id(), i) for i in range(4)])
    await served.stub.ReportMatch(first, metadata=issuer.service())
    before = await rows(served, RATING), await rows(served, RATING_CHANGE)
    for change in [
        _other_score,
        _other_player,
        _computer_instead,
        _other_rule_set,
        _other_kind,
        _other_seats,
        _other_time,
    ]:
        request = changed(first, change)
        with refused() as refusal:
            await served.stub.ReportMatch(request, metadata=issuer.service())
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REPORT_CONFLICT")
        assert refusal.metadata == {"match_id": request.match_id}
    assert (await rows(served, RATING), await rows(served, RATING_CHANGE)) == before


async def test_fifty_reports_of_one_match_at_once_rate_it_once(rating_settings, issuer):
    players = [new_id() for _ in range(4)]
    request = report([person(p, i) for i, p in enumerate(players)])
    async with replica(rating_settings, issuer) as one, replica(rating_settings, issuer) as other:
        replicas = [one, other] * 25
        answers = await asyncio.gather(
            *(served.stub.ReportMatch(request, metadata=issuer.service(), timeout=60) for served in replicas)
        )
        assert [answer.outcome for answer in answers] == [APPLIED] * 50
        assert len(await rows(one, MATCH_REPORT)) == 1
        assert len(await rows(one, RATING_CHANGE)) == 4
        assert {row["match_count"] for row in await rows(one, RATING)} == {1}


async def test_different_matches_of_the_same_players_at_once_are_rated_one_after_the_other(rating_settings, issuer):
    players = [new_id() for _ in range(6)]
    tables = [[players[(i + j * k) % 6] for k in range(4)] for i in range(6) for j in (1, 5)] * 2
    requests = [report([person(p, s) for s, p in enumerate(table)]) for table in tables if len(set(table)) == 4]
    async with replica(rating_settings, issuer) as one, replica(rating_settings, issuer) as other:
        await asyncio.gather(
            *(
                (one, other)[i % 2].stub.ReportMatch(r, metadata=issuer.service(), timeout=60)
                for i, r in enumerate(requests)
            )
        )
        history = sorted(await rows(one, RATING_CHANGE), key=lambda row: row["sequence"])
        now = {row["player_id"]: row for row in await rows(one, RATING)}
    assert len(history) == 4 * len(requests)
    for player in players:
        own = [row for row in history if row["player_id"] == player]
        assert [row["match_count_before"] for row in own] == list(range(len(own)))
        for earlier, later in itertools.pairwise(own):
            assert (later["mu_before"], later["sigma_before"]) == (earlier["mu_after"], earlier["sigma_after"])
        assert (now[player]["mu"], now[player]["match_count"]) == (own[-1]["mu_after"], len(own))


def _set(**fields):
    def change(request):
        for name, value in fields.items():
            setattr(request, name, value)

    return change


def _three_seats(request):
    del request.seats[3]


def _five_seats(request):
    request.seats.append(computer(0))


def _empty_seat(request):
    request.seats[1].occupant.Clear()


def _player_twice(request):
    request.seats[1].occupant.player_id = request.seats[0].occupant.player_id


def _bad_player(request):
    request.seats[2].occupant.player_id = "somebody"


def _bad_level(request):
    request.seats[2].occupant.computer = 99


def _no_time(request):
    request.ClearField("end_time")


def _bad_time(request):
    request.end_time.CopyFrom(Timestamp(seconds=1 << 60))


WRONG_FIELDS = (
    (_set(match_id=""), "match_id"),
    (_set(match_id="x" * 36), "match_id"),
    (_set(rule_set=0), "rule_set"),
    (_set(rule_set=77), "rule_set"),
    (_set(table_kind=0), "table_kind"),
    (_three_seats, "seats"),
    (_five_seats, "seats"),
    (_empty_seat, "seats[1].occupant"),
    (_player_twice, "seats"),
    (_bad_player, "seats[2].occupant.player_id"),
    (_bad_level, "seats[2].occupant.computer"),
    (_no_time, "end_time"),
    (_bad_time, "end_time"),
)


async def test_report_with_a_wrong_field_is_refused_and_stores_nothing(served, issuer):
    sound = report([person(new_id(), i) for i in range(4)])
    for change, field in WRONG_FIELDS:
        with refused() as refusal:
            await served.stub.ReportMatch(changed(sound, change), metadata=issuer.service())
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
        assert refusal.metadata["field"] == field
    assert await rows(served, MATCH_REPORT) == []


async def test_report_by_a_player_is_refused(served, issuer):
    with refused() as refusal:
        await served.stub.ReportMatch(report([computer(0)] * 4), metadata=issuer.player(new_id()))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")
    assert refusal.metadata == {"caller": "service"}


async def test_report_without_a_token_is_refused(served):
    with refused() as refusal:
        await served.stub.ReportMatch(report([computer(0)] * 4))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "NOT_SIGNED_IN")


async def test_reports_are_counted_by_outcome(served, issuer):
    request = report([person(new_id(), i) for i in range(4)])
    for _ in range(3):
        await served.stub.ReportMatch(request, metadata=issuer.service())
    value = served.metrics.registry.get_sample_value
    assert value("mahjong_rating_reports_total", {"outcome": "applied"}) == 1
    assert value("mahjong_rating_reports_repeated_total") == 2
    assert value("mahjong_rating_result_lag_seconds_count") == 1
