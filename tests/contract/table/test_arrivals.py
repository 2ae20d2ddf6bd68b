"""People who do not come to a table of quick play: a computer stands in, and the matchmaker hears of it."""

import asyncio
import uuid

import pytest
from sqlalchemy import select

from mahjong_table.store.connection import reading
from mahjong_table.store.log import SEATED
from mahjongplanet.game.v1 import terms_pb2 as game

WINDOW_S = 6.0
"""Long enough to come to a table in, on a busy machine too."""


@pytest.fixture
async def waiting(open_house):
    """A table service that waits for people for a while; its clocks would go on for much longer."""
    async with open_house(arrival_window_ms=round(WINDOW_S * 1000), result_window_ms=60_000) as opened:
        yield opened


@pytest.fixture
async def impatient(open_house):
    """A table service that waits for nobody."""
    async with open_house(arrival_window_ms=1) as opened:
        yield opened


async def quick_play(house, kind=game.TABLE_KIND_RATED):
    """Opens a table of four people; returns them, none of them there."""
    player_ids = [str(uuid.uuid4()) for _ in range(4)]
    table_id = await house.open(*player_ids, table_kind=kind, clock=game.CLOCK_RELAXED, length=game.MATCH_LENGTH_FULL)
    return [house.client(player_id, table_id) for player_id in player_ids]


async def noted(house):
    """Returns the players of whom the database knows that they have come."""
    async with reading(house.database) as connection:
        found = await connection.execute(select(SEATED.c.player_id).where(SEATED.c.came_at > 0))
        return found.scalars().all()


async def told(house):
    """Waits until the matchmaker was told."""
    async with asyncio.timeout(120):
        while not house.no_shows:
            await asyncio.sleep(0.01)
    return house.no_shows


async def test_computers_stand_in_for_those_who_have_not_come_and_play_goes_on(waiting):
    one, *missing = await quick_play(waiting)
    await one.watch()
    (report,) = await told(waiting)
    assert list(report.player_ids) == [each.player_id for each in missing]
    assert report.table_kind == game.TABLE_KIND_RATED
    await one.until(lambda: one.statuses and list(one.statuses[-1].stand_in_seats) == [1, 2, 3])
    await asyncio.wait_for(one.play_hand(0), 60)  # With 15 s for each decision, the absent alone would take longer.
    assert one.events_of("hand_ended")


async def test_player_who_connects_anew_is_told_for_whom_computers_stand_in(waiting):
    one, *_ = await quick_play(waiting)
    await one.watch()
    await told(waiting)
    await one.until(lambda: one.statuses and list(one.statuses[-1].stand_in_seats) == [1, 2, 3])
    again = waiting.client(one.player_id, one.table_id)
    await again.watch()  # The older stream ends by it: nobody comes or goes.
    await again.until(lambda: again.snapshots and again.statuses)
    assert list(again.statuses[0].stand_in_seats) == [1, 2, 3]


async def test_late_player_takes_the_seat_from_the_computer(waiting):
    one, late, *_ = await quick_play(waiting)
    await one.watch()
    await told(waiting)
    await late.watch()
    await one.until(lambda: one.statuses and list(one.statuses[-1].stand_in_seats) == [2, 3])
    await late.until(lambda: late.snapshots)
    seats = asyncio.create_task(one.play_hand(0))
    decision = await late.until_asked()
    assert decision.decision_id
    seats.cancel()


async def test_table_where_all_have_come_blames_nobody(waiting):
    people = await quick_play(waiting)
    for one in people:
        await one.watch()
    await asyncio.gather(*(one.until(lambda one=one: one.snapshots) for one in people))
    await people[0].unwatch()  # Who has been there is no no-show, and has the full time of the rules.
    await asyncio.sleep(WINDOW_S + 0.5)
    assert not waiting.no_shows


async def test_whoever_came_before_a_take_over_is_not_blamed_and_whoever_never_came_is(waiting):
    one, gone, *missing = await quick_play(waiting)
    for each in (one, gone):
        await each.watch()
        await each.until(lambda each=each: each.snapshots)
    async with asyncio.timeout(60):
        while len(await noted(waiting)) < 2:
            await asyncio.sleep(0.02)
    await waiting.stop()
    waiting.no_shows.clear()  # On a slow machine the first worker may have told of them already.
    await waiting.start()
    one.stub = waiting.stub
    await one.watch()
    (report,) = await told(waiting)
    assert list(report.player_ids) == [each.player_id for each in missing]
    await one.until(lambda: one.statuses and list(one.statuses[-1].stand_in_seats) == [2, 3])


async def test_matchmaker_that_refuses_one_report_is_told_the_next(impatient):
    take, refused = impatient.worker.env.no_shows._send, asyncio.Event()

    async def refusing(report):
        if not refused.is_set():
            refused.set()
            impatient.refused = report.match_id
        if report.match_id == impatient.refused:
            raise ConnectionError("not now")
        await take(report)

    impatient.worker.env.no_shows._send = refusing
    await quick_play(impatient)
    await asyncio.wait_for(refused.wait(), 60)
    await quick_play(impatient)
    (report,) = await told(impatient)
    assert report.match_id != impatient.refused


async def test_casual_no_show_is_told_as_one(impatient):
    people = await quick_play(impatient, game.TABLE_KIND_CASUAL)
    (report,) = await told(impatient)
    assert report.table_kind == game.TABLE_KIND_CASUAL
    assert len(report.player_ids) == len(people)


async def test_private_table_waits_for_its_people(impatient):
    (one,) = await impatient.seats(1)
    await impatient.open(str(uuid.uuid4()), str(uuid.uuid4()))
    await one.until(lambda: one.snapshots)
    await asyncio.sleep(0.5)
    assert not impatient.no_shows
