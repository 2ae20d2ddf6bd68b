"""The terminal client's picture of a table, over streams recorded from the real table service."""

import base64
from pathlib import Path

import pytest

from mahjong_cli.play.computer import Computer, hand_view
from mahjong_cli.play.mirror import Mirror
from mahjong_cli.play.words import action_words, event_words, table_lines
from mahjong_engine.keys import size_of
from mahjongplanet.table.v1 import event_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as service

RECORDINGS = Path(__file__).parents[3] / "clients" / "web" / "tests" / "data"
UNNUMBERED = ("clocks", "connected", "confirmed_seats", "phase_deadline_time")
"""Parts of a snapshot that come in statuses."""


def recording(rule_set: str) -> list[service.WatchTableResponse]:
    lines = (RECORDINGS / f"{rule_set}.b64").read_text().split()
    return [service.WatchTableResponse.FromString(base64.b64decode(line)) for line in lines]


def facts(table: pb.TableSnapshot) -> pb.TableSnapshot:
    copy = pb.TableSnapshot()
    copy.CopyFrom(table)
    for field in UNNUMBERED:
        copy.ClearField(field)
    return copy


@pytest.mark.parametrize("rule_set", ["classical", "taiwanese"])
def test_the_sum_of_the_events_equals_every_later_snapshot(rule_set):
    mirror, compared = Mirror(), 0
    for message in recording(rule_set):
        if message.HasField("snapshot") and mirror.sequence == message.sequence:
            assert facts(mirror.table) == facts(message.snapshot)
            compared += 1
        mirror.apply(message)
    assert compared > 0
    assert mirror.table.phase == pb.TABLE_PHASE_OVER


def test_an_event_that_does_not_follow_on_the_last_is_refused():
    messages = recording("classical")
    events = [message for message in messages if message.HasField("event")]
    mirror = Mirror()
    mirror.apply(messages[0])
    with pytest.raises(ValueError, match="does not follow"):
        mirror.apply(events[1])


@pytest.mark.parametrize("rule_set", ["classical", "taiwanese"])
@pytest.mark.parametrize("level", ["basic", "strong"])
async def test_a_computer_answers_every_recorded_decision_with_one_of_its_options(rule_set, level):
    mirror, asked = Mirror(), 0
    for message in recording(rule_set):
        mirror.apply(message)
        if message.HasField("event") and message.event.HasField("decision_opened"):
            choice = await Computer(level).choose(mirror.table)
            assert choice in mirror.table.decision.options
            assert size_of(hand_view(mirror.table).keys) == len(mirror.table.hand.concealed)
            asked += 1
    assert asked > 30


@pytest.mark.parametrize("rule_set", ["classical", "taiwanese"])
def test_everything_that_happens_can_be_said_in_words(rule_set):
    mirror, said = Mirror(), []
    for message in recording(rule_set):
        mirror.apply(message)
        if message.HasField("event"):
            said.append(event_words(message.event, mirror.table))
        for option in mirror.table.decision.options:
            assert action_words(option)
        if mirror.table.HasField("hand"):
            assert len(table_lines(mirror.table)) == 2 + 2 * 4
    text = "\n".join(said)
    assert "You draw" in text
    assert "(computer) discards" in text
    assert "1. " in text
