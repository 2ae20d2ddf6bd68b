"""The registry of rule sets: what is different lies in a rule set, and a further one needs nothing else."""

import ast
import hashlib
import json
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
from mahjong_engine.record_header import RecordError, RecordReason
from mahjong_engine.referee import replay_record, verify_record
from mahjong_engine.rule_set import UnknownRuleSetError, register, rule_set, rule_set_names, rule_set_versions
from mahjong_engine.taiwanese.rules import TAIWANESE
from tests.unit.engine.walls import rare_wall

ENGINE = Path(mahjong_engine.__file__).parent
VERSIONS = Path(__file__).parents[2] / "data" / "record_versions"


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
    registry._registered.pop((rules.name, rules.version))
    registry._newest.pop(rules.name)


def test_rule_sets_are_found_by_name():
    assert (rule_set("classical"), rule_set("taiwanese")) == (CLASSICAL, TAIWANESE)
    assert {"classical", "taiwanese"} <= set(rule_set_names())
    with pytest.raises(UnknownRuleSetError):
        rule_set("riichi")


def test_a_new_version_leaves_the_old_one_known_and_its_records_valid(wandering):
    hand, _ = next_hand(start_match(wandering), rare_wall(wandering, random.Random(1)))
    while not hand.is_over:
        decision = open_decisions(hand)[0]
        hand, _ = apply(hand, decision.seat, decision.options[-1])
    record = hand_record(hand)

    class Settled(WanderingDeal):
        version = 4

        def next_dealership(self, deal, winners):
            return deal.dealer_changes, 0

    register(Settled())
    try:
        assert rule_set("wandering_deal").version == 4
        assert rule_set("wandering_deal", 3) is wandering
        assert rule_set_versions("wandering_deal") == (3, 4)
        assert verify_record(record) == hand
        with pytest.raises(RecordError) as caught:
            verify_record(record | {"rule_set_version": 4})
        assert caught.value.reason is RecordReason.WRONG_RESULT
        with pytest.raises(RecordError) as caught:
            verify_record(record | {"rule_set_version": 5})
        assert caught.value.reason is RecordReason.UNKNOWN_RULES
    finally:
        registry._registered.pop(("wandering_deal", 4))


@pytest.mark.parametrize("name", ["classical", "taiwanese"])
def test_every_version_of_a_rule_set_has_stored_records_that_still_verify(name):
    for version in rule_set_versions(name):
        records = [json.loads(line) for line in (VERSIONS / f"{name}-{version}.jsonl").read_text().splitlines()]
        assert records
        for record in records:
            assert (record["rule_set"], record["rule_set_version"]) == (name, version)
            assert {"match", "shuffle", "commitment", "server_seed", "nonces"} <= record.keys()
            state, events = replay_record(record)
            assert verify_record(record) == state
            assert hashlib.sha256(repr(events).encode()).hexdigest() == record["events_digest"]


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
