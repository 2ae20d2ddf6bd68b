"""The sum of a seat's events is the seat's view, event by event, in every hand that the engine can play."""

import random

import pytest

from mahjong_engine.hand import apply, open_decisions, start_hand
from mahjong_engine.match import MatchLength
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import SEATS, Deal
from mahjong_engine.tile import SORTED_SET
from mahjong_engine.view import view
from mahjong_wire.event import hand_event_to_proto
from mahjong_wire.hand import hand_to_proto
from mahjong_wire.mirror import HandMirror
from mahjongplanet.table.v1 import event_pb2 as pb


@pytest.mark.parametrize("rules", ["classical", "taiwanese"])
def test_mirror_of_each_seat_equals_its_view_after_every_answer(rules):
    for seed in range(12):
        chance = random.Random(seed)
        wall = list(SORTED_SET)
        chance.shuffle(wall)
        deal = Deal(rule_set(rules), tuple(wall), 0, 0, 0, (rule_set(rules).start_score,) * 4)
        hand, events = start_hand(deal)
        mirrors = [HandMirror(seat, pb.HandSnapshot()) for seat in SEATS]
        while True:
            for event in events:
                for seat, mirror in zip(SEATS, mirrors, strict=True):
                    mirror.apply(hand_event_to_proto(event, seat, MatchLength.FULL))
            for seat, mirror in zip(SEATS, mirrors, strict=True):
                assert mirror.hand == hand_to_proto(view(hand, seat)), (seed, seat, events)
            if not (decisions := open_decisions(hand)):
                break
            decision = chance.choice(decisions)
            hand, events = apply(hand, decision.seat, chance.choice(decision.options))
