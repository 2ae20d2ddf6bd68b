"""What the event of East's first turn tells of its drawn tile, which comes from the opening."""

import pytest

from mahjong_engine.classical.rules import CLASSICAL
from mahjong_engine.event import TurnStarted
from mahjong_engine.match import next_hand, start_match
from mahjong_engine.rule_set import RuleSet
from mahjong_engine.taiwanese.rules import TAIWANESE
from mahjong_engine.tile import SORTED_SET
from mahjong_engine.view import view, view_event


@pytest.mark.parametrize("rule_set", [CLASSICAL, TAIWANESE])
def test_first_turn_tells_east_its_drawn_tile_and_nobody_else(rule_set: RuleSet):
    wall = tuple(SORTED_SET[place * 5 % 144] for place in range(144))
    state, events = next_hand(start_match(rule_set), wall)
    started = next(event for event in events if isinstance(event, TurnStarted))
    assert view_event(started, 0) == TurnStarted(0, view(state, 0).drawn)
    assert started.drawn is not None
    assert all(view_event(started, seat) == TurnStarted(0) for seat in (1, 2, 3))
