"""Why an action is not legal: the rule that a refused answer breaks."""

from mahjong_engine.action import CHOWS, Action, Chow, Discard, Kong, Pung, Win
from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.keys import count_of
from mahjong_engine.meld import MeldKind
from mahjong_engine.state import TURN_ORDER, HandState, Phase
from mahjong_engine.tile import KIND_COUNT, Seat


def refusal(state: HandState, seat: Seat, action: Action | None) -> IllegalActionError:
    """Returns the error for an action of a seat that is not among its legal ones; None stands for any action."""
    if state.is_over:
        return IllegalActionError(Rule.HAND_IS_OVER)
    if not 0 <= seat <= 3 or not state.options[seat]:
        return IllegalActionError(Rule.NOT_YOUR_TURN, f"seat {seat} is not asked")
    if state.answers[seat] is not None:
        return IllegalActionError(Rule.ALREADY_ANSWERED, f"seat {seat} has answered")
    return IllegalActionError(_broken_rule(state, seat, action), f"{action} is not legal")


def _broken_rule(state: HandState, seat: Seat, action: Action | None) -> Rule:
    if state.phase is Phase.CLAIM:
        return _in_a_claim(state, seat, action)
    if state.phase is Phase.TURN or state.phase is Phase.TURN_AFTER_CLAIM:
        return _in_a_turn(state, seat, action)
    if state.phase is Phase.KONG_ROUND and isinstance(action, Kong) and action.kind is MeldKind.CONCEALED_KONG:
        return Rule.TILE_NOT_IN_HAND
    return Rule.NOT_AN_ANSWER


def _in_a_turn(state: HandState, seat: Seat, action: Action | None) -> Rule:
    if isinstance(action, Discard):
        return _of_a_discard(state, seat, action)
    if state.phase is Phase.TURN_AFTER_CLAIM:
        return Rule.NOT_AN_ANSWER
    if isinstance(action, Win):
        return Rule.NOT_A_WIN
    if isinstance(action, Kong) and action.kind in (MeldKind.CONCEALED_KONG, MeldKind.PROMOTED_KONG):
        return _of_a_kong(state, seat)
    return Rule.NOT_AN_ANSWER


def _in_a_claim(state: HandState, seat: Seat, action: Action | None) -> Rule:
    if isinstance(action, Win):
        return Rule.NOT_A_WIN
    if isinstance(action, Kong) and action.kind is MeldKind.CLAIMED_KONG and action.tile == state.offered:
        return _of_a_kong(state, seat)
    if isinstance(action, Chow):
        is_next = seat == TURN_ORDER[state.actor][0]
        if state.offered is None or not is_next or action not in CHOWS[state.offered]:
            return Rule.NOT_AN_ANSWER
    elif not isinstance(action, Pung):
        return Rule.NOT_AN_ANSWER
    return Rule.HAND_IS_LOCKED if state.original_calls[seat] else Rule.TILE_NOT_IN_HAND


def _of_a_kong(state: HandState, seat: Seat) -> Rule:
    if state.original_calls[seat]:
        return Rule.HAND_IS_LOCKED
    return Rule.TILE_NOT_IN_HAND if state.deal.rule_set.can_kong(state) else Rule.NO_REPLACEMENT


def _of_a_discard(state: HandState, seat: Seat, action: Discard) -> Rule:
    if not 0 <= action.tile < KIND_COUNT or not count_of(state.keys[seat], action.tile):
        return Rule.TILE_NOT_IN_HAND
    if state.original_calls[seat]:
        return Rule.HAND_IS_LOCKED
    return Rule.NOT_READY if state.deal.rule_set.may_call(state, seat) else Rule.CALL_CLOSED
