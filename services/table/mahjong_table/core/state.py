"""The state of one table between two log entries: plain frozen data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mahjong_engine.action import Action
from mahjong_engine.match import MatchState
from mahjong_engine.state import BySeat, HandState
from mahjong_engine.tile import Seat
from mahjong_table.core.notice import Place, Question
from mahjong_table.core.terms import Terms

EPOCH = 1
"""Numbers the viewers' streams anew: raise it when a release numbers the same log differently."""


class Stage(StrEnum):
    """What a table does."""

    NONCES = "nonces"
    HAND = "hand"
    RESULT = "result"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Opening:
    """What a table starts from: the row that opened it."""

    table_id: str
    terms: Terms
    server_seed: bytes = field(repr=False)
    opened_at: int
    nonce_window_ms: int
    result_window_ms: int
    """How long a result waits for confirmations; fixed for the table, so that a changed setting moves no deadline."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The accepted answer of a request: what a retry with the same request id is told."""

    seat: Seat
    decision_id: str
    action: Action
    stands_at: int
    """Sequence of the viewer's stream at which the answer stands."""


@dataclass(frozen=True, slots=True)
class TableState:
    """One table, hidden tiles and seed and all. Times in ms since 1970 (UTC)."""

    opening: Opening
    sequence: int
    """Sequence of the newest log entry, 0 before the first."""
    changed_at: int
    """Time of the newest entry."""
    acted_at: int
    """Time of the newest game action: any entry but a credit."""
    stage: Stage
    nonces: BySeat[bytes | None] = field(repr=False)
    match: MatchState
    """The match before the present hand, or after it once its result is shown."""
    hand: HandState | None = field(repr=False)
    questions: BySeat[Question | None]
    """Open decisions of the present hand."""
    asked: BySeat[int]
    """Decisions that each seat has been asked in the present hand."""
    reserves: BySeat[int]
    """What is left of each reserve in ms."""
    sequences: BySeat[int]
    """Events numbered so far, by viewer."""
    shown_at: int
    """When the newest event is shown."""
    gate_at: int
    """Nothing that tells who could claim is shown before: the end of the jittered floor."""
    stage_deadline: int | None
    """Until when nonces are taken or the result waits."""
    confirmed: frozenset[Seat]
    confirmed_before: frozenset[Seat]
    """Who confirmed the result before the present hand."""
    receipts: Mapping[str, Receipt]
    """Accepted requests of the present hand, by request id; older ones are in the log only."""
    places: tuple[Place, ...]
    """How the match ended; empty while it is played and if it was left."""

    @property
    def terms(self) -> Terms:
        """The terms of the match."""
        return self.opening.terms

    @property
    def settled_at(self) -> int:
        """From when on a snapshot tells no more than the events do."""
        return max(self.shown_at, self.gate_at)

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.stage is Stage.OVER
