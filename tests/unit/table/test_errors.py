"""Every rule and refusal has a reason on the wire, with the metadata that the proto promises."""

import grpc
import pytest

from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.tile import Seat
from mahjong_table import errors
from mahjong_table.core.refusal import Refusal, RefusedError

REASONS = {
    Rule.HAND_IS_OVER: "NOT_YOUR_TURN",
    Rule.NOT_YOUR_TURN: "NOT_YOUR_TURN",
    Rule.ALREADY_ANSWERED: "NOT_YOUR_TURN",
    Rule.TILE_NOT_IN_HAND: "TILE_NOT_IN_HAND",
    Rule.HAND_IS_LOCKED: "HAND_IS_LOCKED",
    Rule.NOT_READY: "NOT_READY",
    Rule.NOT_A_WIN: "NOT_A_WIN",
}


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_is_a_rule_violation_with_its_seat(rule):
    error = errors.rule_violation(IllegalActionError(rule), Seat(2), "5b")
    assert error.code is grpc.StatusCode.FAILED_PRECONDITION
    assert error.reason == f"ERROR_REASON_{REASONS.get(rule, 'ILLEGAL_ACTION')}"
    assert error.metadata == ({"seat": "2", "tile": "5b"} if rule is Rule.TILE_NOT_IN_HAND else {"seat": "2"})


def test_a_meld_whose_tiles_are_missing_is_an_illegal_action_for_no_tile_can_be_named():
    error = errors.rule_violation(IllegalActionError(Rule.TILE_NOT_IN_HAND), Seat(2), None)
    assert (error.reason, error.metadata) == ("ERROR_REASON_ILLEGAL_ACTION", {"seat": "2"})


@pytest.mark.parametrize(
    ("refusal", "code", "reason", "metadata"),
    [
        (Refusal.MATCH_OVER, grpc.StatusCode.FAILED_PRECONDITION, "MATCH_OVER", {"table_id": "a table"}),
        (Refusal.DECISION_CLOSED, grpc.StatusCode.ABORTED, "DECISION_CLOSED", {"x": "1"}),
        (Refusal.DECISION_NOT_FOUND, grpc.StatusCode.NOT_FOUND, "DECISION_NOT_FOUND", {"x": "1"}),
        (Refusal.NOT_YOUR_TURN, grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN", {"x": "1"}),
        (Refusal.REQUEST_ID_REUSED, grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED", {"x": "1"}),
        (Refusal.NONCE_CLOSED, grpc.StatusCode.FAILED_PRECONDITION, "NONCE_CLOSED", {"x": "1"}),
        (Refusal.NO_RESULT_OPEN, grpc.StatusCode.FAILED_PRECONDITION, "NO_RESULT_OPEN", {"x": "1"}),
        (Refusal.NOT_A_PRACTICE_TABLE, grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_ACTION", {"x": "1"}),
    ],
)
def test_every_refusal_has_its_reason(refusal, code, reason, metadata):
    error = errors.refused(RefusedError(refusal, x=1), "a table")
    assert (error.code, error.reason, error.metadata) == (code, f"ERROR_REASON_{reason}", metadata)


def test_no_refusal_is_left_out():
    assert all(errors.refused(RefusedError(refusal), "a table") for refusal in Refusal)


@pytest.mark.parametrize("error", [errors.table_busy(), errors.no_capacity(), errors.database_unreachable()])
def test_what_may_be_tried_again_says_when(error):
    assert error.retry_after_s > 0
