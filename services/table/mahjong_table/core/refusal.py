"""Why a command is refused, apart from the rules of play."""

from enum import StrEnum


class Refusal(StrEnum):
    """Reasons; each is one reason on the wire."""

    MATCH_OVER = "match_over"
    DECISION_CLOSED = "decision_closed"
    DECISION_NOT_FOUND = "decision_not_found"
    NOT_YOUR_TURN = "not_your_turn"
    REQUEST_ID_REUSED = "request_id_reused"
    NONCE_CLOSED = "nonce_closed"
    NO_RESULT_OPEN = "no_result_open"
    NOT_A_PRACTICE_TABLE = "not_a_practice_table"


class RefusedError(Exception):
    """A command that is refused; nothing has changed. `variables` hold what the caller is told."""

    def __init__(self, refusal: Refusal, **variables: object) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
        self.variables = variables
