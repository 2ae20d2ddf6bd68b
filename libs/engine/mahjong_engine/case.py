"""Scoring cases as plain JSON values: is a case possible, and what is it worth? (docs/formats/notation.md).

Reads and writes dicts and lists; text and files are the caller's.
"""

from typing import Any

from mahjong_engine.case_answer import write_settlement
from mahjong_engine.case_checks import check_copies, check_discards, check_source, check_tile_counts, check_winners
from mahjong_engine.case_error import CaseError, CaseReason
from mahjong_engine.case_parts import read_parts
from mahjong_engine.fields import Fields, MalformedError, malformed, shown
from mahjong_engine.rule_set import RuleSet, UnknownRuleSetError, rule_set
from mahjong_engine.settlement import ScoringCase


def score_case(data: object) -> dict[str, Any]:
    """Scores a case and returns the answer; parts that the notation does not name are ignored.

    Raises:
        CaseError: the case is malformed or impossible.
    """
    rules, case = read_case(data)
    return write_settlement(rules.settle(case))


def read_case(data: object) -> tuple[RuleSet, ScoringCase]:
    """Reads a case and finds its rule set.

    Raises:
        CaseError: the case is malformed or impossible.
    """
    try:
        fields = Fields(data, "case")
        rules = _rule_set(fields.text("rule_set"))
        parts = read_parts(fields, rules)
    except MalformedError as error:
        raise CaseError(CaseReason.MALFORMED, str(error)) from error
    check_winners(parts.wins, rules)
    check_copies(parts)
    case = parts.as_case()
    check_tile_counts(case, rules)
    check_discards(case)
    for win in case.wins:
        check_source(case, win)
    for win in case.wins:
        rules.check_win(case, win)
    return rules, case


def _rule_set(name: str) -> RuleSet:
    try:
        return rule_set(name)
    except UnknownRuleSetError:
        raise malformed(f"unknown rule set {shown(name)}") from None
