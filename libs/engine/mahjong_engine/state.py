"""The state of a hand: plain frozen data, by seat where a field is a tuple of four.

A transition never changes a state; it returns a new one that shares all that stayed as it was.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from mahjong_engine.action import Action
from mahjong_engine.event import HandEnded
from mahjong_engine.keys import Keys
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.settlement import WinSource
from mahjong_engine.tile import WINDS, Seat, Tile

if TYPE_CHECKING:
    from mahjong_engine.rule_set import RuleSet

T = TypeVar("T")
BySeat = tuple[T, ...]
"""Four values, by seat."""

Scores = tuple[int, int, int, int]
"""Points, by seat."""

SEATS: Final = (Seat(0), Seat(1), Seat(2), Seat(3))

TURN_ORDER: Final = tuple(tuple(Seat((seat + step) % 4) for step in (1, 2, 3, 4)) for seat in range(4))
"""By seat: the next seat, the one after it, the last before it, and the seat itself."""


OTHERS: Final = tuple((one, two, three) for one, two, three, _ in TURN_ORDER)
"""By seat: the other seats in turn order."""


class Phase(StrEnum):
    """The situation that a decision belongs to (C43, T46)."""

    KONG_ROUND = "kong_round"
    """Classical opening: one seat with four alike may declare a kong (C13)."""
    OPENING_CALL = "opening_call"
    """Taiwanese opening: ready seats may declare Original Call (T15)."""
    ROB_FLOWER = "rob_flower"
    """The seat with seven flowers may rob the eighth (T19)."""
    TURN = "turn"
    """The own turn after a draw."""
    TURN_AFTER_CLAIM = "turn_after_claim"
    """The own turn after a claimed chow or pung: discard only."""
    CLAIM = "claim"
    """A discard may be claimed."""
    ROB_KONG = "rob_kong"
    """A kong just declared may be robbed."""
    OVER = "over"


class ClockKind(StrEnum):
    """Which time a decision has (C45, T48)."""

    OPENING = "opening"
    TURN = "turn"
    CLAIM = "claim"
    NONE = "none"
    """A forced discard under Original Call: the server gives it at once (C35, T38)."""


class Answer(NamedTuple):
    """One answer of a seat; `timeout` if the server gave it when the time was over."""

    seat: Seat
    action: Action
    timeout: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """An open question to one seat. `options` is the complete set of legal answers, best claim first."""

    seat: Seat
    phase: Phase
    options: tuple[Action, ...]
    clock: ClockKind


@dataclass(frozen=True, slots=True)
class Deal:
    """What is fixed from the shuffle to the settlement of one hand."""

    rule_set: "RuleSet"
    wall: tuple[Tile, ...] = field(repr=False)
    """144 tiles in wall order."""
    hand: int
    """Number in the match, from 0."""
    dealer_changes: int
    dealer_wins: int
    """Hands that the dealer has won before in this dealership (C60, T62)."""
    scores: Scores
    """Scores before the hand."""

    @property
    def dealer(self) -> Seat:
        """The seat that is East: seat 0 deals first, and the deal passes to the next seat (C2, C60, T2, T62)."""
        return SEATS[self.dealer_changes % 4]

    @property
    def round_wind(self) -> Tile:
        """The wind of the round (C4, T4)."""
        return WINDS[self.dealer_changes // 4 % 4]


class HandState(NamedTuple):
    """One hand between two decisions, hidden tiles and all. `mahjong_engine.view` tells what a seat may see of it.

    A named tuple, since one is made for every answer: it is built in half the time of a frozen dataclass.
    """

    deal: Deal
    phase: Phase
    is_opening: bool
    """Before East's first turn."""
    actor: Seat
    """Whose turn it is; whose discard, kong or flower others are asked about; the dealer while Original Calls are."""
    keys: BySeat[Keys]
    """Concealed tiles, a drawn tile included."""
    concealed_counts: BySeat[int]
    melds: BySeat[tuple[Meld, ...]]
    bonus: BySeat[tuple[Tile, ...]]
    """Flowers and seasons in the order they were shown."""
    ponds: BySeat[tuple[Tile, ...]]
    original_calls: BySeat[bool]
    discard_counts: BySeat[int]
    """Discards that each seat has made, claimed and winning ones included (C21, T25)."""
    kongs_in_row: BySeat[int]
    """Kongs that each seat has declared since the latest discard of any seat (C33)."""
    live_front: int
    """Place in the wall of the next live tile."""
    live_end: int
    """Place after the last live tile."""
    reserve_taken: int
    """Tiles taken from the kong box or dead wall."""
    drawn: Tile | None
    """The drawn tile of the turn (C18, T22); in the opening the last tile that East received."""
    source: WinSource | None
    """Where `drawn` would come from if it won."""
    offered: Tile | None
    """The discard, kong tile or flower that seats are asked about, or that won."""
    offered_kong: MeldKind | None
    """Kind of the kong if `offered` is the tile of a kong that may be robbed."""
    options: BySeat[tuple[Action, ...]]
    """Legal answers of the seats that were asked; empty for the others."""
    answers: BySeat[Answer | None]
    """Answers to the open question so far. No seat may learn of another's."""
    decisions: tuple[Answer, ...]
    """Answers to all earlier questions, in the order of hand records."""
    result: HandEnded | None

    @property
    def live_tiles_left(self) -> int:
        """Tiles left in the live wall."""
        return self.live_end - self.live_front

    @property
    def reserve_tiles_left(self) -> int:
        """Tiles left in the kong box or dead wall."""
        return self.deal.rule_set.reserve_tiles_left(self.reserve_taken)

    @property
    def discard_count(self) -> int:
        """All discards of the hand, claimed and winning ones included (C21, T25)."""
        return sum(self.discard_counts)

    @property
    def is_over(self) -> bool:
        """Whether the hand has ended."""
        return self.result is not None

    def __repr__(self) -> str:
        """Names the hand and where it stands; tiles stay out of logs."""
        answers = len(self.decisions)
        return f"<hand {self.deal.hand} of {self.deal.rule_set.name}: {self.phase.value} after {answers} answers>"
