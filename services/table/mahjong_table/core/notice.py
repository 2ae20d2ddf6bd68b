"""What viewers are shown: numbered notices, one for each seat of a person that sees the event."""

from dataclasses import dataclass

from mahjong_engine.action import Action
from mahjong_engine.event import Event
from mahjong_engine.state import BySeat, ClockKind, Decision
from mahjong_engine.tile import Seat
from mahjong_table.core.clock import Window


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """All seats are known and the seed is committed to; nonces are taken until the deadline."""

    commitment: bytes
    nonce_deadline: int


@dataclass(frozen=True, slots=True)
class Question:
    """An open decision of one seat. `decision_id` names it and means nothing else to a client."""

    decision_id: str
    decision: Decision
    window: Window

    @property
    def is_forced(self) -> bool:
        """Whether the server gives the only answer at once; the seat is not even asked (C35, T38)."""
        return self.decision.clock is ClockKind.NONE


@dataclass(frozen=True, slots=True)
class DecisionOpened:
    """The viewer's own seat is asked, or has its time moved after an outage."""

    question: Question


@dataclass(frozen=True, slots=True)
class DecisionClosed:
    """The viewer's own answer stands; without an action the decision lapsed."""

    decision_id: str
    action: Action | None
    timed_out: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Place and final score of one seat."""

    seat: Seat
    place: int
    score: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over; without places it ended before its end. Only now the seed is shown."""

    places: tuple[Place, ...]
    server_seed: bytes
    nonces: BySeat[bytes]


TableEvent = Event | MatchStarted | DecisionOpened | DecisionClosed | MatchEnded


@dataclass(frozen=True, slots=True)
class Notice:
    """One event for one viewer.

    `event` is whole: only `mahjong_table.wire` turns it into what the seat may see. Sequences run from 1 without gaps
    for each seat; `at` never falls within one seat.
    """

    seat: Seat
    sequence: int
    at: int
    """When it may be shown, in ms: not before its entry is committed, nor before the jittered floor is over."""
    event: TableEvent
