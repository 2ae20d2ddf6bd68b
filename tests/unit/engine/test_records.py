"""Hand records: written, verified and continued, against stored records and a second judge."""

import copy
import json
import random
from importlib.metadata import version
from pathlib import Path

import pytest

from mahjong_engine.hand import apply, open_decisions
from mahjong_engine.match import MatchLength, next_hand, settle_hand, start_match
from mahjong_engine.record import Derivation, hand_record
from mahjong_engine.record_header import RecordError, RecordReason
from mahjong_engine.referee import legal_answers, verify_record
from mahjong_engine.rule_set import rule_set
from mahjong_engine.version import ENGINE_VERSION
from mahjong_engine.wall import NO_NONCE, shuffle
from tests.unit.engine.hand_kit import Table
from tests.unit.engine.plain_referee import judge

DATA = Path(__file__).parents[2] / "data" / "hand_records"
RECORDS = [
    pytest.param(json.loads(line), id=f"{name}-{number}")
    for name in ("classical", "taiwanese")
    for number, line in enumerate((DATA / f"records-{name}.jsonl").read_text().splitlines())
]
DOS = ("pass", "win", "pung", "continue", "rob_flower", "original_call", "no_original_call")


def refused(record):
    with pytest.raises(RecordError) as caught:
        verify_record(record)
    return caught.value


def changed(record, **parts):
    return {**copy.deepcopy(record), **parts}


@pytest.mark.parametrize("record", RECORDS)
def test_stored_records_are_accepted(record):
    assert verify_record(record).is_over
    assert judge(record)[0] is None


@pytest.mark.parametrize("record", RECORDS)
def test_the_engine_writes_a_stored_record_as_it_was_read(record):
    state = verify_record(record)
    written = hand_record(state)
    del written["hand"]  # the stored records do not say it
    late = [d for d in record["decisions"] if d not in written["decisions"]]
    assert all(d["do"] in {"pass", "win", "pung", "chow", "kong"} for d in late)
    for part in set(record) - {"decisions"}:
        assert written[part] == record[part]
    assert verify_record(json.loads(json.dumps(written))) == state


@pytest.mark.parametrize("record", RECORDS)
def test_every_prefix_has_the_next_decision_among_its_legal_answers(record):
    decisions = record["decisions"]
    header = {part: value for part, value in record.items() if part != "result"}
    for end in range(0, len(decisions) + 1, 3):
        asked = legal_answers({**header, "decisions": decisions[:end]})
        assert [entry["seat"] for entry in asked] == sorted(entry["seat"] for entry in asked)
        following = decisions[end : end + 1]
        for decision in following:
            answer = {key: value for key, value in decision.items() if key not in {"seat", "timeout"}}
            answers = {entry["seat"]: entry["answers"] for entry in asked}
            assert decision["seat"] not in answers or answer in answers[decision["seat"]]
            assert asked == [] or decision["seat"] in answers
    assert legal_answers(record) == []


RESULT_CHANGES = [
    ("ended", "draw"),
    ("ended", "win"),
    ("ended", "flowers"),
    ("ended", None),
    ("winners", [0]),
    ("winners", [3]),
    ("winners", []),
    ("winners", [0, 1, 2, 3]),
    ("winners", [True]),
    ("winners", None),
    ("changes", [1, -1, 0, 0]),
    ("changes", [0, 0, 0]),
    ("changes", "0"),
    ("scores_after", [2_000, 2_000, 2_000, 2_001]),
    ("scores_after", None),
    ("dealer_changes_after", -1),
    ("dealer_changes_after", 1.0),
    ("dealer_changes_after", 9),
    ("match_over", None),
    ("match_over", 0),
    ("match_over", 1),
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_changed_result_is_refused_at_the_number_of_decisions(record):
    for part, value in RESULT_CHANGES:
        result = {**record["result"], part: value}
        if json.dumps(result) != json.dumps(record["result"]):
            assert refused(changed(record, result=result)).decision == len(record["decisions"])
    for part in record["result"]:
        result = {key: value for key, value in record["result"].items() if key != part}
        error = refused(changed(record, result=result))
        assert (error.reason, error.decision) == (RecordReason.MALFORMED, len(record["decisions"]))


def test_winners_may_stand_in_any_order_and_unknown_parts_are_ignored():
    table = Table(
        "taiwanese", "3b", "1b 2b 4c 5c 6c 7d 8d 9d E E E R R R W W", "4b 5b 1c 2c 3c 7c 8c 9c S S S N N N G G"
    )
    table.do(1, "no_original_call").do(2, "no_original_call").do(0, "discard 3b").do(1, "win").do(2, "win")
    record = hand_record(table.state)
    record["result"]["winners"] = [2, 1]
    record["result"]["comment"] = record["comment"] = record["decisions"][0]["comment"] = "ignored"
    assert verify_record(record).result.winners == (1, 2)


def mutations(record, chance, count):
    """Yields records with one decision changed, dropped, doubled or moved."""
    decisions = record["decisions"]
    for _ in range(count if decisions else 0):
        index = chance.randrange(len(decisions))
        mutant = copy.deepcopy(record)
        wrong = mutant["decisions"]
        kind = chance.randrange(7)
        if kind == 0:
            del wrong[index]
        elif kind == 1:
            wrong.insert(index, dict(wrong[index]))
        elif kind == 2:
            wrong[index]["seat"] = (wrong[index]["seat"] + chance.randrange(1, 4)) % 4
        elif kind == 3:
            wrong[index] = {"seat": wrong[index]["seat"], "do": chance.choice(DOS)}
        elif kind == 4:
            wrong[index]["timeout"] = not wrong[index].get("timeout", False)
        elif kind == 5:
            other = chance.randrange(len(decisions))
            wrong[index], wrong[other] = wrong[other], wrong[index]
        else:
            answers = legal_answers({**record, "decisions": decisions[:index]})
            own = [a for entry in answers if entry["seat"] == wrong[index]["seat"] for a in entry["answers"]]
            if own:
                wrong[index] = {"seat": wrong[index]["seat"], **chance.choice(own)}
        if wrong != decisions:
            yield mutant


def verdict(record):
    """Returns what `verify_record` says: (reason, decision), or ("", how it ended, who won)."""
    try:
        result = verify_record(record).result
    except RecordError as error:
        return error.reason.value, error.decision
    return "", result.ended.value, result.winners


@pytest.mark.parametrize("record", RECORDS)
def test_a_changed_decision_is_judged_as_the_second_judge_does(record):
    for mutant in mutations(record, random.Random(f"{record['wall']}"), 12):
        index, end = judge(mutant)
        found = verdict(mutant)
        if index is not None:
            assert found[0]
            assert found[1] == index
        else:  # the decisions can stand by themselves, so that all depends on the result
            how, winners = end
            accepted = ("", how, tuple(sorted(winners)))
            assert found in {accepted, (RecordReason.WRONG_RESULT.value, len(mutant["decisions"]))}


HEADER_CHANGES = [
    ("format", "mahjong-hand/2", RecordReason.UNKNOWN_RULES),
    ("format", None, RecordReason.MALFORMED),
    ("rule_set", "riichi", RecordReason.UNKNOWN_RULES),
    ("rule_set", ["classical"], RecordReason.MALFORMED),
    ("rule_set_version", 2, RecordReason.UNKNOWN_RULES),
    ("rule_set_version", True, RecordReason.MALFORMED),
    ("dealer", 4, RecordReason.MALFORMED),
    ("dealer", 2, RecordReason.INCONSISTENT_HEADER),
    ("round_wind", "S", RecordReason.INCONSISTENT_HEADER),
    ("round_wind", 1, RecordReason.MALFORMED),
    ("dealer_changes", 16, RecordReason.INCONSISTENT_HEADER),
    ("dealer_changes", -1, RecordReason.MALFORMED),
    ("dealer_changes", 4, RecordReason.INCONSISTENT_HEADER),
    ("dealer_wins_before", -1, RecordReason.MALFORMED),
    ("dealer_wins_before", 1.5, RecordReason.MALFORMED),
    ("dealer_wins_before", 3, RecordReason.INCONSISTENT_HEADER),
    ("scores_before", [2_000] * 3, RecordReason.MALFORMED),
    ("scores_before", [2_000, 2_000, 2_000, "2000"], RecordReason.MALFORMED),
    ("scores_before", [2_000, 2_000, 2_000, 2_001], RecordReason.INCONSISTENT_HEADER),
    ("scores_before", [1_000, 3_000, 2_000, 2_000], RecordReason.INCONSISTENT_HEADER),
    ("wall", [], RecordReason.WRONG_WALL),
    ("wall", ["5b"] * 144, RecordReason.WRONG_WALL),
    ("wall", ["9z"] * 144, RecordReason.MALFORMED),
    ("wall", None, RecordReason.MALFORMED),
    ("hand", -1, RecordReason.MALFORMED),
    ("match_length", "short", RecordReason.MALFORMED),
    ("decisions", {}, RecordReason.MALFORMED),
]


def first_hand(name="classical"):
    table = Table(name)
    while table.result is None:
        table.turn()
    return hand_record(table.state)


@pytest.mark.parametrize(("part", "value", "reason"), HEADER_CHANGES)
def test_a_changed_header_is_refused_without_a_decision(part, value, reason):
    error = refused(changed(first_hand(), **{part: value}))
    assert (error.reason, error.decision) == (reason, None)


@pytest.mark.parametrize("part", ["format", "rule_set", "rule_set_version", "dealer", "round_wind", "dealer_changes"])
def test_a_missing_part_of_the_header_is_malformed(part):
    record = first_hand()
    del record[part]
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.MALFORMED, None)


@pytest.mark.parametrize("data", [None, [], "record", 7, True, {}])
def test_what_is_no_record_is_malformed(data):
    error = refused(data)
    assert (error.reason, error.decision) == (RecordReason.MALFORMED, None)


@pytest.mark.parametrize("length", list(MatchLength))
def test_match_over_follows_from_the_match_length(length):
    match = start_match(rule_set("classical"), length)
    table = Table("classical", "2b 3b 4b 2c 3c 4c 2d 3d 4d 6d 7d 8d 5b 5b").do(0, "win")
    record = hand_record(table.state, length=length)
    assert record["result"]["match_over"] is settle_hand(match, table.state).is_over is (length == MatchLength.ONE_HAND)
    assert verify_record(record)
    record["result"]["match_over"] = not record["result"]["match_over"]
    assert refused(record).reason is RecordReason.WRONG_RESULT


def test_a_hand_after_the_end_of_its_match_is_inconsistent():
    record = south_round_hand()
    assert verify_record(changed(record, match_length="full"))
    assert refused(changed(record, match_length="east_round")).reason is RecordReason.INCONSISTENT_HEADER
    assert refused(changed(record, match_length="one_hand", hand=1)).reason is RecordReason.INCONSISTENT_HEADER


@pytest.mark.parametrize("number", [{}, {"hand": 0}])
def test_a_match_of_one_hand_may_be_dealt_in_any_place_of_a_full_one(number):
    record = south_round_hand() | {"match_length": "one_hand"} | number
    assert refused(record).reason is RecordReason.WRONG_RESULT
    record["result"]["match_over"] = True
    assert verify_record(record)


def south_round_hand():
    table = Table("classical", round_=1)
    while table.result is None:
        table.turn()
    record = hand_record(table.state)
    del record["hand"]
    return record


SEED = bytes(range(80))


def derived(name="taiwanese"):
    match = start_match(rule_set(name))
    derivation = Derivation(SEED, (NO_NONCE, bytes([7] * 32), NO_NONCE, bytes([9] * 32)))
    state, _ = next_hand(match, shuffle(SEED, "a match", derivation.nonces, 0))
    chance = random.Random(1)
    while not state.is_over:
        decision = open_decisions(state)[0]
        state, _ = apply(state, decision.seat, chance.choice(decision.options))
    return hand_record(state, match_id="a match", derivation=derivation)


def test_a_derived_wall_is_derived_again():
    record = derived()
    assert record["engine_version"] == ENGINE_VERSION
    assert verify_record(record).is_over


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("shuffle", 2, RecordReason.WRONG_DERIVATION),
        ("match", "another match", RecordReason.WRONG_DERIVATION),
        ("hand", 1, RecordReason.WRONG_DERIVATION),
        ("commitment", "00" * 32, RecordReason.WRONG_DERIVATION),
        ("server_seed", "00" * 80, RecordReason.WRONG_DERIVATION),
        ("nonces", ["00" * 32] * 4, RecordReason.WRONG_DERIVATION),
        ("nonces", ["00" * 32] * 3, RecordReason.MALFORMED),
        ("server_seed", "00" * 79, RecordReason.MALFORMED),
        ("server_seed", "zz" * 80, RecordReason.MALFORMED),
        ("server_seed", " 0" * 80, RecordReason.MALFORMED),
        ("server_seed", "00" * 79 + "  ", RecordReason.MALFORMED),
        ("server_seed", "\u0660" * 160, RecordReason.MALFORMED),
        ("server_seed", None, RecordReason.MALFORMED),
        ("match", "\ud800", RecordReason.MALFORMED),
        ("match", None, RecordReason.MALFORMED),
    ],
)
def test_a_wall_that_does_not_follow_from_its_derivation_is_refused(part, value, reason):
    error = refused(changed(derived(), **{part: value}))
    assert (error.reason, error.decision) == (reason, None)


@pytest.mark.parametrize("part", ["shuffle", "commitment", "server_seed", "nonces", "match", "hand"])
def test_half_a_derivation_is_malformed(part):
    record = derived()
    del record[part]
    assert refused(record).reason is RecordReason.MALFORMED


def test_the_engine_version_of_records_is_that_of_the_package():
    assert version("mahjong-engine") == ENGINE_VERSION


def test_a_derivation_without_a_match_is_not_written():
    with pytest.raises(ValueError, match="match id"):
        hand_record(Table("classical").state, derivation=Derivation(SEED, (NO_NONCE,) * 4))


WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"


def block():
    """A discard that ends a hand, with answers before and after the win that cannot change it."""
    table = Table("classical", "3b", "3b 3b", WAITS_3B, "4b 5b 1c 2c 3c 7c 8c 9c S S S W W").do(0, "discard 3b")
    return hand_record(table.do(2, "win").state)


@pytest.mark.parametrize("before", [[], [{"seat": 1, "do": "pung"}], [{"seat": 1, "do": "pass"}]])
@pytest.mark.parametrize("after", [[], [{"seat": 3, "do": "win"}], [{"seat": 3, "do": "pass"}]])
def test_answers_that_could_not_change_the_outcome_may_be_missing_or_stand(before, after):
    record = block()
    discard, win = record["decisions"]
    record["decisions"] = [discard, *before, win, *after]
    assert verify_record(record).result.winners == (2,)


def test_an_answer_that_could_have_changed_the_outcome_may_not_be_missing():
    record = block()
    discard, _win = record["decisions"]
    record["decisions"] = [discard, {"seat": 1, "do": "pass"}, {"seat": 3, "do": "win"}]
    record["result"]["winners"] = [3]
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.MISSING_DECISION, 3)


def test_a_late_answer_is_still_judged():
    record = block()
    record["decisions"].append({"seat": 3, "do": "pung"})
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.ILLEGAL_DECISION, 2)
    record["decisions"][2] = {"seat": 3, "do": "pass", "timeout": True}
    assert refused(record).reason is RecordReason.NOT_THE_DEFAULT


def test_answers_out_of_turn_order_are_refused():
    record = block()
    discard, win = record["decisions"]
    record["decisions"] = [discard, win, {"seat": 1, "do": "pass"}]
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.NOT_ASKED, 2)


def test_an_answer_that_nobody_was_asked_for_is_refused():
    record = first_hand()
    record["decisions"].insert(1, {"seat": 2, "do": "win"})
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.NOT_ASKED, 1)


def test_decisions_after_the_end_are_refused():
    record = first_hand()
    record["decisions"].append({"seat": 0, "do": "pass"})
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.NOT_ASKED, len(record["decisions"]) - 1)


@pytest.mark.parametrize(
    "decision",
    [
        None,
        [],
        {},
        {"seat": 0},
        {"seat": "0", "do": "pass"},
        {"seat": 4, "do": "pass"},
        {"seat": 0, "do": "fold"},
        {"seat": 0, "do": "discard", "tile": "1b"},
        {"seat": 0, "do": "discard", "original_call": False},
        {"seat": 0, "do": "discard", "tile": "f1", "original_call": False},
        {"seat": 0, "do": "discard", "tile": "1b", "original_call": 0},
        {"seat": 0, "do": "kong", "kind": "big_kong", "tile": "1b"},
        {"seat": 0, "do": "kong", "kind": "concealed_kong"},
        {"seat": 0, "do": "kong", "kind": "claimed_kong"},
        {"seat": 0, "do": "chow", "tiles": ["2b", "1b"]},
        {"seat": 0, "do": "chow", "tiles": ["1b", "9b"]},
        {"seat": 0, "do": "chow"},
        {"seat": 0, "do": "pass", "timeout": "yes"},
    ],
)
def test_a_malformed_decision_is_refused_at_its_index(decision):
    record = first_hand()
    record["decisions"][0] = decision
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.MALFORMED, 0)


@pytest.mark.parametrize("answer", [None, {"seat": 2}, {"seat": 4, "do": "pass"}, {"seat": 2, "do": "fold"}])
def test_a_malformed_answer_of_a_block_is_refused_at_its_own_index_not_at_that_of_the_block(answer):
    table = Table("classical", "3b", "3b 3b", WAITS_3B).do(0, "discard 3b")
    record = hand_record(table.state)
    record["decisions"] += [{"seat": 1, "do": "pass"}, answer]
    error = refused(record)
    assert (error.reason, error.decision) == (RecordReason.MALFORMED, 2)


def test_a_timeout_stands_only_with_the_default_answer():
    table = Table("classical", live="5b")
    record = hand_record(table.do(0, table.default(0), timeout=True).state)
    assert record["decisions"][0]["timeout"] is True
    assert legal_answers(record)
    other = next(
        option for option in sorted(Table("classical", live="5b").options(0)) if option != f"discard {table.pond(0)}"
    )
    record["decisions"][0] |= {"tile": other.split()[1]}
    with pytest.raises(RecordError) as caught:
        legal_answers(record)
    assert caught.value.reason is RecordReason.NOT_THE_DEFAULT


def test_legal_answers_are_decisions_without_their_seat():
    table = Table("classical", "3b 5d", "3d 4d 6d 7d", "3*3b", WAITS_3B).do(0, "discard 3b")
    asked = legal_answers(hand_record(table.state))
    assert asked == [
        {"seat": 2, "answers": [{"do": "kong", "kind": "claimed_kong"}, {"do": "pung"}, {"do": "pass"}]},
        {"seat": 3, "answers": [{"do": "win"}, {"do": "pass"}]},
    ]
    kongs = legal_answers(hand_record(Table("classical", "4*9d").state))
    assert kongs == [
        {"seat": 0, "answers": [{"do": "kong", "kind": "concealed_kong", "tile": "9d"}, {"do": "continue"}]}
    ]
    chow = legal_answers(hand_record(Table("classical", "1d", "2d 3d").do(0, "discard 1d").state))
    assert chow == [{"seat": 1, "answers": [{"do": "chow", "tiles": ["2d", "3d"]}, {"do": "pass"}]}]


def test_legal_discards_stand_once_a_kind_and_with_both_values_where_a_call_is_legal():
    record = hand_record(Table("classical", f"{WAITS_3B} 5b").state)
    (asked,) = legal_answers(record)
    discards = [(a["tile"], a["original_call"]) for a in asked["answers"]]
    assert len(discards) == len(set(discards)) == 12
    assert [tile for tile, call in discards if call] == ["5b"]


def test_the_answers_still_open_in_a_block_are_listed_and_those_given_are_not():
    table = Table("classical", "3b", "3b 3b", WAITS_3B).do(0, "discard 3b")
    record = hand_record(table.state)
    assert [entry["seat"] for entry in legal_answers(record)] == [1, 2]
    record["decisions"].append({"seat": 2, "do": "pass"})
    assert [entry["seat"] for entry in legal_answers(record)] == [1]
