"""What one viewer is sent: all that its seat may see, and nothing that depends on what is hidden from it."""

import pytest

from mahjong_engine.action import (
    CALL_ORIGINAL,
    CHOWS,
    CLAIMED_KONG,
    CONCEALED_KONG,
    CONTINUE,
    DECLINE_ORIGINAL,
    DISCARD,
    DISCARD_AND_CALL,
    PASS,
    PROMOTED_KONG,
    PUNG,
    ROB_FLOWER,
    WIN,
)
from mahjong_engine.match import MatchLength
from mahjong_engine.state import Phase
from mahjong_table.core.clock import Clock
from mahjong_table.core.terms import TableKind
from mahjong_table.wire.event import event_to_proto
from mahjong_table.wire.snapshot import snapshot, status_of
from mahjong_table.wire.terms import clock_to_proto
from mahjong_wire.action import action_from_proto, action_to_proto
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2 as pb

ACTIONS = [
    CONTINUE, CALL_ORIGINAL, DECLINE_ORIGINAL, PUNG, WIN, PASS, ROB_FLOWER,
    *DISCARD, *DISCARD_AND_CALL, *CLAIMED_KONG, *PROMOTED_KONG, *CONCEALED_KONG,
    *{chow for chows in CHOWS for chow in chows},
]  # fmt: skip
EVERYBODY = (0, 1, 2, 3)
OWN = "5b 9d 1c 2c 3c 4d 5d 6d E E 7b 8b 9b"
"""East's tiles, who is the viewer."""


def sent(table, seat):
    """Returns what a viewer was sent by now, as bytes."""
    notices = [n for n in table.notices if n.seat == seat and n.at <= table.now]
    return [(n.sequence, event_to_proto(n, MatchLength.FULL).SerializeToString()) for n in notices]


def shown(table, seat):
    return snapshot(table.state, seat, table.now, EVERYBODY)


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_comes_back_as_it_was_sent(action):
    assert action_from_proto(action_to_proto(action)) == action


def test_every_kind_of_action_can_be_sent():
    kinds = {action_to_proto(action).kind for action in ACTIONS}
    assert kinds == set(game.ActionKind.values()) - {game.ACTION_KIND_UNSPECIFIED}


def test_nothing_that_is_sent_depends_on_hidden_tiles(deal):
    # South's and West's concealed tiles, and the walls, are others; what South can claim is others too.
    tables = [
        deal("classical", OWN, "4b 6b 1b 1b", "R R G", live="3d 3d 3d", floor_ms=500, at={52: "9d"}),
        deal("classical", OWN, "R R G", "2b 1b 1b", live="7d 7d 7d", floor_ms=500, at={52: "9d"}),
    ]
    for table in tables:
        table.wait(600)
        table.do(0, "discard 5b")
        table.wait(499)
    assert [table.state.hand.phase for table in tables] == [Phase.CLAIM, Phase.TURN]
    assert sent(tables[0], 0) == sent(tables[1], 0)
    assert status_of(tables[0].state, tables[0].now, EVERYBODY) == status_of(tables[1].state, tables[1].now, EVERYBODY)


def test_a_snapshot_does_not_depend_on_hidden_tiles(deal):
    tables = [
        deal("classical", OWN, hands, others, live=live, at={52: "9d"})
        for hands, others, live in (("4b 6b 1b 1b", "R R G", "3d 3d 3d"), ("R R G", "2b 1b 1b", "7d 7d 7d"))
    ]
    assert shown(tables[0], 0) == shown(tables[1], 0)
    assert shown(tables[0], 1) != shown(tables[1], 1)


def test_the_status_of_a_held_back_turn_shows_no_turn(deal):
    table = deal("classical", "3*R", floor_ms=500)
    table.wait(600)
    before = status_of(table.state, table.now, EVERYBODY)
    assert [clock.HasField("deadline_time") for clock in before.clocks] == [True, False, False, False]
    table.do(0, "discard R")
    covered = status_of(table.state, table.now, EVERYBODY)
    assert not any(clock.HasField("deadline_time") for clock in covered.clocks)
    table.wait(500)
    after = status_of(table.state, table.now, EVERYBODY)
    assert [clock.HasField("deadline_time") for clock in after.clocks] == [False, True, False, False]


def test_the_status_of_a_held_back_end_still_shows_the_hand(deal):
    table = deal("classical", "5d", "", "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d", floor_ms=500)
    table.wait(600)
    table.do(0, "discard 5d")
    table.do(2, "win")
    assert status_of(table.state, table.now, EVERYBODY).phase == pb.TABLE_PHASE_HAND
    table.wait(500)
    status = status_of(table.state, table.now, EVERYBODY)
    assert status.phase == pb.TABLE_PHASE_RESULT
    assert status.phase_deadline_time.ToMilliseconds() == table.now + 10_000


def test_the_seed_is_in_a_snapshot_only_when_the_match_is_over(deal):
    table = deal("classical", people=(0,), kind=TableKind.PRACTICE)
    seed = table.opening.server_seed
    assert seed not in shown(table, 0).SerializeToString()
    table.run(table.leave(0))
    assert shown(table, 0).match_ended.server_seed == seed


def test_an_untimed_clock_has_no_times():
    clock = clock_to_proto(Clock.UNTIMED)
    assert clock == game.ClockTimes(clock=game.CLOCK_UNTIMED)
    assert clock_to_proto(Clock.BULLET).reserve_duration.seconds == 5


def test_a_forced_discard_is_no_decision_of_the_seat(deal):
    table = deal("classical", "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d P", live="E S W 9c", floor_ms=500)
    table.wait(600)
    table.do(0, "discard P call")
    table.pass_claims()
    while table.state.hand.actor != 0:
        table.wait(500)
        if table.asked() and table.state.hand.actor != 0:
            table.turn()
    assert table.question(0).is_forced
    assert not shown(table, 0).HasField("decision")
