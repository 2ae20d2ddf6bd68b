"""Everything stored follows from the results, deleted accounts or not; what does not is found."""

import random
from datetime import UTC, datetime, timedelta

import grpc
import sqlalchemy as sa

from mahjong_rating.disposal import Disposal
from mahjong_rating.pseudonym import is_pseudonym
from mahjong_rating.tables import (
    DELETED_PLAYER,
    MATCH_REPORT,
    PLAYER_NAME,
    RATING,
    RATING_CHANGE,
    REPORT_PLAYER,
    SEASON_RATING,
)
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import admin_service_pb2 as admin_pb
from mahjongplanet.rating.v1 import rating_service_pb2 as pb
from tests.contract.rating.reports import END_TIME, computer, new_id, person, report
from tests.kit.wire import refused

STORED = (MATCH_REPORT, RATING_CHANGE, RATING, SEASON_RATING, PLAYER_NAME, REPORT_PLAYER)


async def rows(served, table):
    async with served.database.engine.connect() as connection:
        return [dict(row) for row in (await connection.execute(sa.select(table))).mappings()]


async def execute(served, statement):
    async with served.database.engine.begin() as connection:
        await connection.execute(statement)


async def recomputed(served, issuer, **fields):
    call = served.admin.RecomputeRatings(admin_pb.RecomputeRatingsRequest(**fields), metadata=issuer.operator())
    *differences, last = [part async for part in call]
    return [part.difference for part in differences], last.summary


async def play_some(served, issuer, players, count=40):
    """Reports rated matches in two seasons and two rule sets, and some that do not count."""
    chance, requests = random.Random(7), []
    for number in range(count):
        people = chance.sample(players, chance.choice([1, 2, 3, 4]))
        seats = [person(player, chance.choice([-5, 0, 5])) for player in people] + [computer(1)] * (4 - len(people))
        kind = game.TABLE_KIND_CASUAL if number % 7 == 0 else game.TABLE_KIND_RATED
        rules = game.RULE_SET_TAIWANESE if number % 3 == 0 else game.RULE_SET_CLASSICAL
        end_s = END_TIME.seconds - chance.choice([0, 80 * 86_400])
        requests.append(report(seats, table_kind=kind, rule_set=rules, end_s=end_s))
        await served.stub.ReportMatch(requests[-1], metadata=issuer.service())
    return requests


async def test_what_was_applied_is_what_the_results_lead_to(served, issuer):
    await play_some(served, issuer, [new_id() for _ in range(6)])
    differences, summary = await recomputed(served, issuer)
    assert differences == []
    assert summary.match_count == len({row["match_id"] for row in await rows(served, RATING_CHANGE)})
    assert summary.player_count == len(await rows(served, RATING))
    _, classical = await recomputed(served, issuer, rule_set=game.RULE_SET_CLASSICAL)
    assert 0 < classical.match_count < summary.match_count


async def test_every_kind_of_change_by_hand_is_found(served, issuer):
    await play_some(served, issuer, [new_id() for _ in range(5)])
    applied = (await rows(served, RATING_CHANGE))[3]
    own = RATING_CHANGE.c.sequence == applied["sequence"]
    rating = RATING.c.player_id == applied["player_id"]
    for change, undo, found in (
        (
            RATING_CHANGE.update().where(own).values(mu_after=applied["mu_after"] + 0.001),
            RATING_CHANGE.update().where(own).values(mu_after=applied["mu_after"]),
            ("rating_change", "mu_after"),
        ),
        (RATING_CHANGE.delete().where(own), RATING_CHANGE.insert().values(applied), ("rating_change", "row")),
        (
            RATING.update().where(rating).values(match_count=RATING.c.match_count + 1),
            RATING.update().where(rating).values(match_count=RATING.c.match_count - 1),
            ("rating", "match_count"),
        ),
        (
            SEASON_RATING.update().values(best=SEASON_RATING.c.best + 1),
            SEASON_RATING.update().values(best=SEASON_RATING.c.best - 1),
            ("season_rating", "best"),
        ),
    ):
        await execute(served, change)
        differences, summary = await recomputed(served, issuer)
        assert {(d.table, d.field) for d in differences} == {found}
        assert summary.difference_count == len(differences)
        await execute(served, undo)
    assert (await recomputed(served, issuer))[0] == []


async def test_match_without_its_history_is_found(served, issuer):
    request = report([person(new_id(), 2), person(new_id(), 1), computer(0), computer(0)])
    await served.stub.ReportMatch(request, metadata=issuer.service())
    for table in (RATING_CHANGE, RATING, SEASON_RATING):
        await execute(served, table.delete())
    differences, _ = await recomputed(served, issuer)
    assert [(d.match_id, d.table, d.field, d.stored) for d in differences] == [
        (request.match_id, "rating_change", "row", "")
    ]


async def test_recomputing_is_for_operators_only(served, issuer):
    for metadata in (issuer.player(new_id()), issuer.service()):
        with refused() as refusal:
            call = served.admin.RecomputeRatings(admin_pb.RecomputeRatingsRequest(), metadata=metadata)
            [part async for part in call]
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")


async def anonymise(served, issuer, player, service="account"):
    request = pb.AnonymisePlayerRequest(player_id=player)
    return (await served.stub.AnonymisePlayer(request, metadata=issuer.service(service))).match_count


async def test_deleted_player_is_nowhere_and_the_ratings_of_others_still_follow_from_the_results(served, issuer):
    players = [new_id() for _ in range(5)]
    requests = await play_some(served, issuer, players)
    gone, stays = players[:2]
    mine = [r for r in requests if any(seat.occupant.player_id == gone for seat in r.seats)]
    before = [row for row in await rows(served, RATING) if row["player_id"] != gone]
    assert await anonymise(served, issuer, gone) == len(mine)
    assert await anonymise(served, issuer, gone) == 0
    assert gone not in repr([await rows(served, table) for table in STORED])
    after = await rows(served, RATING)
    assert [row for row in after if not is_pseudonym(row["player_id"])] == before
    assert len({row["player_id"] for row in after}) == len(players)
    assert (await recomputed(served, issuer))[0] == []
    (tombstone,) = await rows(served, DELETED_PLAYER)
    assert (tombstone["player_id"], tombstone["pseudonym"]) == (gone, None)
    request = pb.ListRatingHistoryRequest(rule_set=game.RULE_SET_CLASSICAL, page_size=100)
    page = await served.stub.ListRatingHistory(request, metadata=issuer.player(stays))
    others = [other.player_id for entry in page.entries for other in entry.others]
    assert "" in others
    assert not any(is_pseudonym(other) for other in others)


async def test_reports_that_still_name_a_deleted_player_change_nothing_of_theirs(served, issuer):
    players = [new_id() for _ in range(3)]
    requests = await play_some(served, issuer, players, count=10)
    await anonymise(served, issuer, players[0])
    stored = [await rows(served, table) for table in STORED]
    for request in requests:
        await served.stub.ReportMatch(request, metadata=issuer.service())
    assert [await rows(served, table) for table in STORED] == stored
    late = report([person(players[0], 3), person(players[1], 2), computer(0), computer(0)])
    for _ in range(2):
        response = await served.stub.ReportMatch(late, metadata=issuer.service())
        assert response.outcome == pb.RATING_OUTCOME_APPLIED
    assert players[0] not in repr([await rows(served, table) for table in STORED])
    assert (await recomputed(served, issuer))[0] == []


async def test_only_the_account_service_anonymises(served, issuer):
    with refused() as refusal:
        await anonymise(served, issuer, new_id(), service="table")
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")
    with refused() as refusal:
        await anonymise(served, issuer, "nobody")
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "player_id")


async def test_old_reports_that_changed_no_rating_go_and_rated_ones_stay(served, issuer):
    await play_some(served, issuer, [new_id() for _ in range(4)])
    skipped = [row for row in await rows(served, MATCH_REPORT) if row["outcome"] != "applied"]
    disposal, end = Disposal(served.database), datetime.fromtimestamp(END_TIME.seconds, UTC)
    recent = [row for row in skipped if row["end_time"] >= end - timedelta(days=40)]
    assert await disposal.prune(end - timedelta(days=40)) == len(skipped) - len(recent) > 0
    left = {row["match_id"] for row in await rows(served, MATCH_REPORT)}
    assert {row["match_id"] for row in recent} <= left
    assert (await recomputed(served, issuer))[0] == []


async def test_rating_of_a_match_that_was_applied_amid_a_deletion_is_found_later(served, issuer):
    """The deletion had passed the ratings, and then gave the match its pseudonym: only a rating and a name are left."""
    anna = new_id()
    seats = [person(anna, 3), person(new_id(), 1), computer(0), computer(0)]
    await served.stub.ReportMatch(report(seats), metadata=issuer.service())
    await execute(served, sa.insert(DELETED_PLAYER).values(player_id=anna, pseudonym=None))
    await execute(served, sa.delete(REPORT_PLAYER).where(REPORT_PLAYER.c.player_id == anna))
    await Disposal(served.database).anonymise_late()
    for table in (RATING, SEASON_RATING, PLAYER_NAME):
        assert anna not in {row["player_id"] for row in await rows(served, table)}
