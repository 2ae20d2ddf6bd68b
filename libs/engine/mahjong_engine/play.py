"""A hand in motion: what a transition works on between two states."""

from typing import Final

from mahjong_engine.action import Action
from mahjong_engine.event import BonusShown, Drew, Event, HandEnded, Wall
from mahjong_engine.keys import Keys, add, remove
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.rule_set import RuleSet
from mahjong_engine.settlement import WinSource
from mahjong_engine.state import OTHERS, TURN_ORDER, Answer, BySeat, Deal, HandState, Phase
from mahjong_engine.tile import Seat, Tile

NOBODY_ASKED: Final[BySeat[tuple[Action, ...]]] = ((), (), (), ())
NO_ANSWERS: Final[BySeat[Answer | None]] = (None, None, None, None)


class Play:
    """A mutable copy of a `HandState` and the events since; the fields mean what they mean there.

    Lives inside one transition only, so that no caller ever holds anything that changes.
    """

    __slots__ = (
        "actor",
        "answers",
        "bonus",
        "concealed_counts",
        "deal",
        "decisions",
        "discard_counts",
        "drawn",
        "events",
        "is_opening",
        "keys",
        "kongs_in_row",
        "live_end",
        "live_front",
        "melds",
        "offered",
        "offered_kong",
        "options",
        "original_calls",
        "phase",
        "ponds",
        "reserve_taken",
        "result",
        "rules",
        "source",
    )

    deal: Deal
    rules: RuleSet
    phase: Phase
    is_opening: bool
    actor: Seat
    keys: list[Keys]
    concealed_counts: list[int]
    melds: list[tuple[Meld, ...]]
    bonus: list[tuple[Tile, ...]]
    ponds: list[tuple[Tile, ...]]
    original_calls: list[bool]
    discard_counts: list[int]
    kongs_in_row: list[int]
    live_front: int
    live_end: int
    reserve_taken: int
    drawn: Tile | None
    source: WinSource | None
    offered: Tile | None
    offered_kong: MeldKind | None
    options: list[tuple[Action, ...]]
    answers: list[Answer | None]
    decisions: tuple[Answer, ...]
    result: HandEnded | None
    events: list[Event]

    def __init__(self, state: HandState) -> None:
        # In the order of the fields; reading them by name would take twice as long.
        (
            self.deal,
            self.phase,
            self.is_opening,
            self.actor,
            keys,
            concealed_counts,
            melds,
            bonus,
            ponds,
            original_calls,
            discard_counts,
            kongs_in_row,
            self.live_front,
            self.live_end,
            self.reserve_taken,
            self.drawn,
            self.source,
            self.offered,
            self.offered_kong,
            options,
            answers,
            self.decisions,
            self.result,
        ) = state
        self.rules = self.deal.rule_set
        self.keys = [*keys]
        self.concealed_counts = [*concealed_counts]
        self.melds = [*melds]
        self.bonus = [*bonus]
        self.ponds = [*ponds]
        self.original_calls = [*original_calls]
        self.discard_counts = [*discard_counts]
        self.kongs_in_row = [*kongs_in_row]
        self.options = [*options]
        self.answers = [*answers]
        self.events = []

    def freeze(self) -> tuple[HandState, tuple[Event, ...]]:
        """Returns the state that the hand has come to, and its events."""
        fields = (
            self.deal,
            self.phase,
            self.is_opening,
            self.actor,
            tuple(self.keys),
            tuple(self.concealed_counts),
            tuple(self.melds),
            tuple(self.bonus),
            tuple(self.ponds),
            tuple(self.original_calls),
            tuple(self.discard_counts),
            tuple(self.kongs_in_row),
            self.live_front,
            self.live_end,
            self.reserve_taken,
            self.drawn,
            self.source,
            self.offered,
            self.offered_kong,
            tuple(self.options),
            tuple(self.answers),
            self.decisions,
            self.result,
        )
        return tuple.__new__(HandState, fields), tuple(self.events)

    @property
    def live_tiles_left(self) -> int:
        """Tiles left in the live wall."""
        return self.live_end - self.live_front

    @property
    def others(self) -> tuple[Seat, ...]:
        """The other seats in turn order, from the one after the actor."""
        return OTHERS[self.actor]

    def give(self, seat: Seat, tile: Tile) -> None:
        """Adds a tile to a seat's concealed tiles."""
        self.keys[seat] = add(self.keys[seat], tile)
        self.concealed_counts[seat] += 1

    def take(self, seat: Seat, tile: Tile, count: int = 1) -> None:
        """Removes copies of a tile from a seat's concealed tiles."""
        for _ in range(count):
            self.keys[seat] = remove(self.keys[seat], tile)
        self.concealed_counts[seat] -= count

    def draw_live(self, seat: Seat) -> Tile:
        """Takes the next live tile for a seat; it is not in the hand yet."""
        tile = self.deal.wall[self.live_front]
        self.live_front += 1
        self._drew(seat, tile, Wall.LIVE)
        return tile

    def draw_reserve(self, seat: Seat, place: int) -> Tile:
        """Takes the reserve tile at a place of the wall for a seat; it is not in the hand yet."""
        tile = self.deal.wall[place]
        self.reserve_taken += 1
        self._drew(seat, tile, Wall.RESERVE)
        return tile

    def _drew(self, seat: Seat, tile: Tile, wall: Wall) -> None:
        left = self.live_end - self.live_front
        self.events.append(Drew(seat, tile, wall, left, self.rules.reserve_tiles_left(self.reserve_taken)))

    def show(self, seat: Seat, tile: Tile) -> None:
        """Lays out a bonus tile."""
        self.bonus[seat] += (tile,)
        self.events.append(BonusShown(seat, tile))

    def ask(self, phase: Phase, seat: Seat, options: tuple[Action, ...]) -> None:
        """Opens a question to one seat."""
        self.phase = phase
        self.options[seat] = options

    def close_question(self) -> list[Answer]:
        """Logs the answers in turn order from the actor's next seat and forgets the question; returns them."""
        given = self.answers
        answers = [answer for seat in TURN_ORDER[self.actor] if (answer := given[seat])]
        self.decisions += tuple(answers)
        self.options = [(), (), (), ()]
        self.answers = [None, None, None, None]
        return answers
