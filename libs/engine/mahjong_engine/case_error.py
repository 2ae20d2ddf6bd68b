"""Why a scoring case is refused."""

from enum import StrEnum


class CaseReason(StrEnum):
    """Reasons, as docs/formats/notation.md names them, in the order in which a case is looked through."""

    MALFORMED = "MALFORMED"
    BAD_MELD = "BAD_MELD"
    BAD_SOURCE = "BAD_SOURCE"
    SEVERAL_WINNERS = "SEVERAL_WINNERS"
    TOO_MANY_COPIES = "TOO_MANY_COPIES"
    WRONG_TILE_COUNT = "WRONG_TILE_COUNT"
    INCONSISTENT_DISCARDS = "INCONSISTENT_DISCARDS"
    INCONSISTENT_SOURCE = "INCONSISTENT_SOURCE"
    NOT_A_WIN = "NOT_A_WIN"
    NOT_ROBBABLE = "NOT_ROBBABLE"


class CaseError(ValueError):
    """A scoring case that is malformed or impossible. Callers branch on `reason`; the message is for people."""

    def __init__(self, reason: CaseReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
