"""Both scorers against plain second ones, and properties that hold for every case, on random cases."""

import random
from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.case import read_case, score_case
from mahjong_engine.case_answer import write_case
from tests.unit.engine import plain_classical, plain_taiwanese
from tests.unit.engine.random_cases import random_case

CASES_PER_RULE_SET = 1_500
"""Two hundred times as many were compared when the scorers were written."""


def itemised(items: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    sums: Counter[tuple[str, str]] = Counter()
    for item in items:
        worth = item.get("points", 0) + item.get("doubles", 0) + item.get("tai", 0)
        sums[item["award"], "".join(item.get("tiles", ()))] += worth
    return sums


def test_classical_scorer_agrees_with_a_plain_one():
    for index in range(CASES_PER_RULE_SET):
        case = random_case("classical", random.Random(index))
        answer, plain = score_case(case), plain_classical.score(case)
        assert answer["values"] == plain["values"]
        assert answer["changes"] == plain["changes"]
        assert set(answer["hands"][case["win"]["seat"]]["limit"]) == plain["limit"]
        for hand in answer["hands"]:
            assert itemised(hand["items"]) in plain["items"][hand["seat"]]


def test_taiwanese_scorer_agrees_with_a_plain_one():
    for index in range(CASES_PER_RULE_SET):
        case = random_case("taiwanese", random.Random(index))
        answer, plain = score_case(case), plain_taiwanese.score(case)
        assert answer["values"] == plain["values"]
        assert answer["changes"] == plain["changes"]
        assert itemised(answer["hands"][0]["items"]) in plain["items"]


rule_sets = st.sampled_from(["classical", "taiwanese"])
cases = st.builds(random_case, rule_sets, st.integers(0, 2**32).map(random.Random))


@given(cases)
def test_changes_sum_to_zero(case):
    assert sum(score_case(case)["changes"]) == 0


@given(cases)
def test_items_make_the_value(case):
    for hand in score_case(case)["hands"]:
        points, doubles, tai = (
            sum(item.get(unit, 0) for item in hand["items"]) for unit in ("points", "doubles", "tai")
        )
        worth = tai if case["rule_set"] == "taiwanese" else min(points << doubles, 1_000)
        assert hand["value"] == (1_000 if hand["limit"] else worth)
        assert all(item.get("points", 0) + item.get("doubles", 0) + item.get("tai", 0) > 0 for item in hand["items"])


@given(cases)
def test_a_case_survives_writing_and_reading(case):
    rules, read = read_case(case)
    assert read_case(write_case(rules.name, read)) == (rules, read)


@given(cases, st.integers(1, 3))
def test_values_turn_with_the_seats(case, by):
    turned = case | {
        "dealer": (case["dealer"] + by) % 4,
        "seats": [case["seats"][(seat - by) % 4] for seat in range(4)],
        "win": case["win"]
        | {
            "seat": (case["win"]["seat"] + by) % 4,
            "from_seat": None if case["win"]["from_seat"] is None else (case["win"]["from_seat"] + by) % 4,
        },
    }
    answer, other = score_case(case), score_case(turned)
    for part in ("values", "changes"):
        assert other[part] == [answer[part][(seat - by) % 4] for seat in range(4)]


TILES_OF_ONE_SUIT_ONLY = {"all_green", "one_circles_last_tile", "five_circles_kong_replacement", "robbing_two_bamboo"}
"""The only awards that look at a certain suit."""


@given(cases, st.sampled_from(list(permutations("bcd"))))
def test_values_do_not_change_with_the_names_of_the_suits(case, suits):
    names = dict(zip("bcd", suits, strict=True))

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(each) for each in value]
        if isinstance(value, dict):
            return {key: each if key in ("rule_set", "source") else renamed(each) for key, each in value.items()}
        if isinstance(value, str) and len(value) == 2 and value[1] in names:
            return value[0] + names[value[1]]
        return value

    answer, other = score_case(case), score_case(renamed(case))
    limits = {reason for each in (answer, other) for hand in each["hands"] for reason in hand["limit"]}
    if not limits & TILES_OF_ONE_SUIT_ONLY:
        assert answer["values"] == other["values"]
        assert answer["changes"] == other["changes"]


@given(cases, st.randoms())
def test_the_order_of_tiles_and_melds_has_no_meaning(case, rng):
    def shuffled(tiles: list[Any]) -> list[Any]:
        return rng.sample(tiles, len(tiles))

    parts = ("concealed", "melds", "bonus")
    seats = [seat | {part: shuffled(seat[part]) for part in parts} for seat in case["seats"]]
    mixed = case | {"seats": seats, "discards": shuffled(case["discards"])}
    answer, other = score_case(case), score_case(mixed)
    assert answer["values"] == other["values"]
    assert answer["changes"] == other["changes"]


@pytest.mark.parametrize("rule_set", ["classical", "taiwanese"])
def test_one_more_bonus_tile_never_makes_a_hand_cheaper(rule_set):
    """Only the first flower of a Taiwanese hand may: it costs the awards for having none."""
    for index in range(200):
        case = random_case(rule_set, random.Random(index))
        winner = case["seats"][case["win"]["seat"]]
        shown = {flower for seat in case["seats"] for flower in seat["bonus"]}
        unseen = [flower for flower in ("f1", "f2", "f3", "f4", "s1", "s2", "s3", "s4") if flower not in shown]
        if not unseen or (rule_set == "taiwanese" and not winner["bonus"]):
            continue
        before = score_case(case)["values"][case["win"]["seat"]]
        winner["bonus"].append(unseen[0])
        assert score_case(case)["values"][case["win"]["seat"]] >= before
