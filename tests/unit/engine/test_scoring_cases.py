"""Scoring cases of an independent scorer (tests/data/scoring_cases/SOURCE.md), all of them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mahjong_engine.case import read_case, score_case
from mahjong_engine.case_answer import write_case
from mahjong_engine.case_error import CaseError

DATA = Path(__file__).parents[2] / "data" / "scoring_cases"
ROWS = [
    pytest.param(row, id=f"{name}-{index}-{row['tags'][0]}")
    for name in ("classical", "taiwanese")
    for index, row in enumerate(map(json.loads, (DATA / f"{name}.jsonl").read_text().splitlines()))
]


def itemised(items: list[dict[str, Any]]) -> Counter[tuple[str, ...]]:
    sums: Counter[tuple[str, ...]] = Counter()
    for item in items:
        tiles = item.get("tiles", ()) if item["award"] in ("group", "pair") else ()
        for unit in ("points", "doubles", "tai"):
            sums[item["award"], unit, *tiles] += item.get(unit, 0)
    return +sums


def is_refused(row: dict[str, Any]) -> bool:
    return "error" in row["expected"]


@pytest.mark.parametrize("row", [row for row in ROWS if not is_refused(row.values[0])])
def test_a_case_is_scored_as_the_independent_scorer_does(row):
    expected, answer = row["expected"], score_case(row["case"])
    assert answer["values"] == expected["values"]
    assert answer["changes"] == expected["changes"]
    assert [hand["seat"] for hand in answer["hands"]] == [hand["seat"] for hand in expected["hands"]]
    for hand, wanted in zip(answer["hands"], expected["hands"], strict=True):
        assert hand["value"] == wanted["value"]
        assert sorted(hand["limit"]) == sorted(wanted["limit"])
        right = [wanted["items"], *row.get("alternatives", {}).get(str(hand["seat"]), [])]
        assert itemised(hand["items"]) in map(itemised, right)


@pytest.mark.parametrize("row", [row for row in ROWS if is_refused(row.values[0])])
def test_an_impossible_case_is_refused(row):
    with pytest.raises(CaseError):
        score_case(row["case"])


@pytest.mark.parametrize("row", [row for row in ROWS if not is_refused(row.values[0])])
def test_a_case_is_written_as_it_was_read(row):
    rules, case = read_case(row["case"])
    assert read_case(write_case(rules.name, case)) == (rules, case)
