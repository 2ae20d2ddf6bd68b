"""Matches: hands one after another until the deal has changed often enough (C1-C5, C60, C61; T1-T6, T62, T63)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mahjong_engine.event import Event
from mahjong_engine.hand import start_hand
from mahjong_engine.rule_set import RuleSet
from mahjong_engine.state import SEATS, Deal, HandState, Scores
from mahjong_engine.tile import Seat, Tile


class MatchLength(StrEnum):
    """How long a match is, as hand records name it; rated matches are always full."""

    FULL = "full"
    EAST_ROUND = "east_round"
    ONE_HAND = "one_hand"


DEALER_CHANGES: Final = {MatchLength.FULL: 16, MatchLength.EAST_ROUND: 4, MatchLength.ONE_HAND: 0}
"""The hand that brings `dealer_changes` to this is the last (C4, T4, T5); one hand is over whatever it brings."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match between two hands."""

    rule_set: RuleSet
    length: MatchLength
    hand: int
    """Number of the next hand, from 0; of a match that is over the number of its hands."""
    dealer_changes: int
    dealer_wins: int
    scores: Scores

    @property
    def dealer(self) -> Seat:
        """The dealer of the next hand."""
        return SEATS[self.dealer_changes % 4]

    @property
    def is_over(self) -> bool:
        """Whether the last hand has been settled."""
        return self.hand > 0 and is_last(self.length, self.dealer_changes)


class MatchOverError(Exception):
    """A further hand of a match that is over."""


def start_match(rule_set: RuleSet, length: MatchLength = MatchLength.FULL) -> MatchState:
    """Returns a match before its first hand."""
    score = rule_set.start_score
    return MatchState(rule_set, length, 0, 0, 0, (score, score, score, score))


def next_hand(match: MatchState, wall: tuple[Tile, ...]) -> tuple[HandState, tuple[Event, ...]]:
    """Deals the next hand from a wall.

    Raises:
        MatchOverError: the match is over.
        ValueError: the wall is not the 144 tiles.
    """
    if match.is_over:
        raise MatchOverError
    return start_hand(_deal(match, wall))


def settle_hand(match: MatchState, hand: HandState) -> MatchState:
    """Returns the match after a hand of it that has ended.

    Raises:
        ValueError: the hand is not over, or is not the match's next.
    """
    result = hand.result
    if result is None or not is_next(match, hand):
        raise ValueError("not the match's next hand, ended")
    return MatchState(
        match.rule_set,
        match.length,
        match.hand + 1,
        result.dealer_changes_after,
        result.dealer_wins_after,
        result.scores_after,
    )


def is_next(match: MatchState, hand: HandState) -> bool:
    """Whether a hand is the next of a match: the same rules, number, dealership and scores."""
    return hand.deal == _deal(match, hand.deal.wall)


def _deal(match: MatchState, wall: tuple[Tile, ...]) -> Deal:
    """Returns the deal of a match's next hand."""
    return Deal(match.rule_set, wall, match.hand, match.dealer_changes, match.dealer_wins, match.scores)


def is_last(length: MatchLength, dealer_changes_after: int) -> bool:
    """Whether a match is over after a hand that left `dealer_changes` at this (C61, T63)."""
    return dealer_changes_after >= DEALER_CHANGES[length]


def places(scores: Scores) -> tuple[int, int, int, int]:
    """Returns the place of each seat, 1-4; equal scores share the better place (C5, T6)."""
    a, b, c, d = (1 + sum(other > score for other in scores) for score in scores)
    return a, b, c, d
