"""The registry of rule sets: what is different lies in a rule set, and a further one needs nothing else."""

import ast
import random
from dataclasses import replace
from pathlib import Path

import pytest

import mahjong_engine
from mahjong_engine import rule_set as registry
from mahjong_engine.classical.rules import CLASSICAL, ClassicalRules
from mahjong_engine.hand import apply, open_decisions
from mahjong_engine.match import MatchLength, next_hand, settle_hand, start_match
from mahjong_engine.record import hand_record
from mahjong_engine.referee import verify_record
from mahjong_engine.rule_set import UnknownRuleSetError, register, rule_set, rule_set_names
from mahjong_engine.taiwanese.rules import TAIWANESE
from tests.unit.engine.walls import rare_wall

ENGINE = Path(mahjong_engine.__file__).parent


class WanderingDeal(ClassicalRules):
    """Classical, but the deal passes after every hand, and one starts on 500 points."""

    name = "wandering_deal"
    version = 3
    start_score = 500
    rulings = replace(CLASSICAL.rulings, shown_without_winner=(0, 1, 2, 3))

    def next_dealership(self, deal, winners):
        return deal.dealer_changes + 1, 0


@pytest.fixture
def wandering():
    rules = WanderingDeal()
    register(rules)
    yield rules
    registry._registered.pop(rules.name)


def test_rule_sets_are_found_by_name():
    assert (rule_set("classical"), rule_set("taiwanese")) == (CLASSICAL, TAIWANESE)
    assert {"classical", "taiwanese"} <= set(rule_set_names())
    with pytest.raises(UnknownRuleSetError):
        rule_set("riichi")


def test_a_further_rule_set_plays_matches_and_its_records_verify(wandering):
    assert wandering.name in rule_set_names()
    chance = random.Random(5)
    match = start_match(rule_set("wandering_deal"), MatchLength.EAST_ROUND)
    while not match.is_over:
        hand, _ = next_hand(match, rare_wall(wandering, chance))
        while not hand.is_over:
            decision = open_decisions(hand)[0]
            hand, _ = apply(hand, decision.seat, chance.choice(decision.options))
        assert None not in hand.result.concealed
        record = hand_record(hand, length=match.length)
        assert (record["rule_set"], record["rule_set_version"]) == ("wandering_deal", 3)
        assert verify_record(record) == hand
        match = settle_hand(match, hand)
    assert (match.hand, sum(match.scores)) == (4, 2_000)


def test_nothing_outside_a_rule_set_names_one():
    named = {}
    for path in ENGINE.rglob("*.py"):
        if path.parent.name in {"classical", "taiwanese"} or path.name == "rule_set.py":
            continue
        tree = ast.parse(path.read_text())
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        found = texts & {"classical", "taiwanese"}
        found |= {module for module in modules if module.split(".")[1:2] in (["classical"], ["taiwanese"])}
        if found:
            named[path.relative_to(ENGINE).as_posix()] = sorted(found)
    assert named == {}
