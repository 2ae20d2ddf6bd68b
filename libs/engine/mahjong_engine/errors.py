"""The one error that the engine raises for an action that the rules forbid."""

from enum import StrEnum


class Rule(StrEnum):
    """Why an action is not legal; services map each value to one wire reason."""

    HAND_IS_OVER = "hand_is_over"
    NOT_YOUR_TURN = "not_your_turn"
    """The seat has no open decision."""
    ALREADY_ANSWERED = "already_answered"
    """The seat has answered this decision; an accepted answer stands (C24, T28)."""
    TILE_NOT_IN_HAND = "tile_not_in_hand"
    HAND_IS_LOCKED = "hand_is_locked"
    """After an Original Call only the drawn tile may be discarded (C35, T38)."""
    NOT_READY = "not_ready"
    """An Original Call needs a ready hand (C34, T36)."""
    NOT_A_WIN = "not_a_win"
    CALL_CLOSED = "call_closed"
    """An Original Call goes with the first discard only (C34, T37)."""
    NO_REPLACEMENT = "no_replacement"
    """A kong needs a tile in the live wall (T12)."""
    NOT_AN_ANSWER = "not_an_answer"
    """The action is of a kind that does not answer the open decision."""
    NOT_THE_DEFAULT = "not_the_default"
    """At a timeout the server gives the default answer and no other (C47, T50)."""


class IllegalActionError(Exception):
    """An action that is not legal now; the state is unchanged."""

    def __init__(self, rule: Rule, message: str = "") -> None:
        super().__init__(message or rule.value)
        self.rule = rule
