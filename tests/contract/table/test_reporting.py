"""Finished hands and matches leave by the outbox: at least once, in order, as docs/formats/notation.md has them."""

import asyncio
import json

import pytest

from mahjong_engine.referee import verify_record
from mahjong_table.store.outbox import Outbox
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import table_service_pb2 as pb


def hands(reports):
    return [report for kind, report in reports if kind == "store_hand"]


def whole_record(stored, finished):
    """Returns a record as the replay service gives it out once the seed is known."""
    return json.loads(stored.record_json) | {"server_seed": finished.server_seed.hex()}


@pytest.mark.parametrize("rule_set", [game.RULE_SET_CLASSICAL, game.RULE_SET_TAIWANESE])
async def test_a_match_is_reported_whole_and_its_records_verify(any_house, rule_set):
    (seat,) = await any_house.seats(1, rule_set=rule_set)
    await seat.play_on()
    (_, stored), (_, finished), (_, reported) = await any_house.inbox.until(3)
    assert [kind for kind, _ in any_house.inbox.taken] == ["store_hand", "finish_match", "report_match"]
    verify_record(whole_record(stored, finished))
    ended = seat.events[max(seat.events)].match_ended
    assert finished.hand_count == 1
    assert finished.server_seed == ended.server_seed
    assert list(finished.standings) == list(ended.standings)
    assert [result.score for result in reported.seats] == [
        next(s.score for s in ended.standings if s.seat == place) for place in range(4)
    ]
    assert stored.terms == finished.terms
    assert [started.terms for started in any_house.inbox.started] == [stored.terms]
    assert reported.match_id == stored.terms.match_id


async def test_a_stored_hand_says_nothing_of_the_seed(any_house):
    (seat,) = await any_house.seats(1)
    await seat.play_on()
    (_, stored), (_, finished), _ = await any_house.inbox.until(3)
    record = json.loads(stored.record_json)
    assert "server_seed" not in record
    assert finished.server_seed.hex() not in stored.record_json.decode()
    assert record["match"] == stored.terms.match_id
    assert (record["hand"], record["match_length"], record["shuffle"]) == (0, "one_hand", 1)
    assert record["commitment"] == seat.snapshots[0].commitment.hex()
    assert record["nonces"] == ["00" * 32] * 4


async def test_each_hand_is_reported_when_it_ends_and_the_match_not_before_its_end(house):
    (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND)
    for hand in range(2):
        await seat.play_hand(hand)
        reports = await house.inbox.until(hand + 1)
        assert [report.hand_number for report in hands(reports)] == list(range(hand + 1))
        await seat.confirm(hand)


async def test_a_report_that_is_refused_is_sent_again_and_none_overtakes_it(house):
    house.inbox.refusals = 2
    (seat,) = await house.seats(1)
    await seat.play_on()
    reports = await house.inbox.until(3)
    replays = [kind for kind, _ in reports if kind != "report_match"]
    assert replays == ["store_hand", "finish_match"]


async def test_a_report_survives_a_restart(house):
    house.inbox.refusals = 10_000
    (seat,) = await house.seats(1)
    await seat.play_on()
    await house.stop()
    house.inbox.refusals = 0
    await house.start()
    reports = await house.inbox.until(3)
    assert {kind for kind, _ in reports} == {"store_hand", "finish_match", "report_match"}


async def test_a_delivered_report_is_not_sent_again(house):
    (seat,) = await house.seats(1)
    await seat.play_on()
    await until_delivered(house)
    await house.restart()
    other, *_ = await house.seats(1)
    await other.play_on()
    await until_delivered(house)
    assert len({report.SerializeToString() for _, report in house.inbox.taken}) == 6
    assert len(house.inbox.taken) == 6


async def until_delivered(house):
    """Waits until no report waits any more."""
    async with asyncio.timeout(60):
        while not house.inbox.taken or (await Outbox(house.database).backlog())[0]:
            await asyncio.sleep(0.02)


async def test_a_practice_match_that_was_left_is_finished_but_not_reported(house):
    (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND, table_kind=game.TABLE_KIND_PRACTICE)
    await seat.play_hand(0)
    await house.stub.LeavePractice(pb.LeavePracticeRequest(table_id=seat.table_id), metadata=seat.metadata)
    reports = await house.inbox.until(2)
    (_, stored), (_, finished) = reports
    assert list(finished.standings) == []
    assert finished.hand_count == 1
    verify_record(whole_record(stored, finished))


async def test_a_practice_match_that_was_left_in_its_first_hand_is_finished_without_a_hand(house):
    (seat,) = await house.seats(1, table_kind=game.TABLE_KIND_PRACTICE)
    async with asyncio.timeout(60):
        while not house.inbox.started:
            await asyncio.sleep(0.01)
    await house.stub.LeavePractice(pb.LeavePracticeRequest(table_id=seat.table_id), metadata=seat.metadata)
    ((kind, finished),) = await house.inbox.until(1)
    assert kind == "finish_match"
    assert (finished.hand_count, list(finished.standings)) == (0, [])
    assert finished.terms == house.inbox.started[0].terms
