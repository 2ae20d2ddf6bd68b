"""Simulated matches: played, recorded, and every hand checked."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import shake_256
from typing import Any

from mahjong_cli.players import Player, player
from mahjong_engine.event import Ending
from mahjong_engine.hand import apply, open_decisions
from mahjong_engine.invariant import broken_invariants
from mahjong_engine.match import MatchLength, MatchState, next_hand, settle_hand, start_match
from mahjong_engine.record import Derivation, hand_record
from mahjong_engine.record_header import RecordError
from mahjong_engine.referee import verify_record
from mahjong_engine.rule_set import RuleSet
from mahjong_engine.state import HandState
from mahjong_engine.tile import Tile
from mahjong_engine.view import view
from mahjong_engine.wall import NO_NONCE, SERVER_SEED_SIZE, shuffle


class BrokenInvariantError(Exception):
    """Something that is true of every hand is not true of one; the message names the hand."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What fixes a simulation to the byte."""

    rule_set: RuleSet
    matches: int
    seed: int
    length: MatchLength
    levels: tuple[str, ...]
    """By seat."""


@dataclass(slots=True)
class Totals:
    """What a simulation has come to so far."""

    matches: int = 0
    hands: int = 0
    draws: int = 0
    wins: Counter[str] = field(default_factory=Counter)
    scores: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    def add_hand(self, hand: HandState) -> None:
        """Counts a hand that has ended."""
        assert hand.result is not None
        self.hands += 1
        self.draws += hand.result.ended is Ending.DRAW
        self.wins.update(win.source.value for win in hand.result.wins)

    def add_match(self, match: MatchState) -> None:
        """Counts a match that is over."""
        self.matches += 1
        self.scores = [total + score for total, score in zip(self.scores, match.scores, strict=True)]


def server_seed(seed: int, match: int) -> bytes:
    """Returns the server seed of a simulated match.

    The first 80 bytes of SHAKE-256(`mahjong-planet/simulate/1` + seed + `/` + match), both numbers as decimal text.
    """
    return shake_256(b"mahjong-planet/simulate/1%d/%d" % (seed, match)).digest(SERVER_SEED_SIZE)


def play_matches(arguments: Arguments, totals: Totals) -> Iterator[dict[str, Any]]:
    """Plays all matches and yields the record of each hand; `totals` has counted it by then.

    Raises:
        BrokenInvariantError: a hand is not as every hand is.
    """
    for number in range(arguments.matches):
        seats = [
            player(level, random.Random(f"{arguments.seed}/{number}/{seat}"))
            for seat, level in enumerate(arguments.levels)
        ]
        derivation = Derivation(server_seed(arguments.seed, number), (NO_NONCE, NO_NONCE, NO_NONCE, NO_NONCE))
        match_id = f"simulated/{arguments.seed}/{number}"
        match = start_match(arguments.rule_set, arguments.length)
        while not match.is_over:
            hand = _play_hand(match, shuffle(derivation.server_seed, match_id, derivation.nonces, match.hand), seats)
            record = hand_record(hand, match_id=match_id, length=match.length, derivation=derivation)
            _check(hand, record)
            match = settle_hand(match, hand)
            totals.add_hand(hand)
            yield record
        totals.add_match(match)


def _play_hand(match: MatchState, wall: tuple[Tile, ...], seats: Sequence[Player]) -> HandState:
    hand, _ = next_hand(match, wall)
    while not hand.is_over:
        seat = open_decisions(hand)[0].seat
        hand, _ = apply(hand, seat, seats[seat](view(hand, seat)))
    return hand


def _check(hand: HandState, record: dict[str, Any]) -> None:
    """Checks a hand's invariants, and that its record plays to the very same end."""
    name = f"match {record['match']}, hand {record['hand']}"
    if broken := broken_invariants(hand):
        raise BrokenInvariantError(f"{name}: {'; '.join(broken)}")
    try:
        again = verify_record(record)
    except RecordError as error:
        raise BrokenInvariantError(f"{name}: decision {error.decision} of its record: {error}") from error
    # Played again in turn order, an answer may come too late that came in time when the seats were asked.
    if again._replace(decisions=hand.decisions) != hand:
        raise BrokenInvariantError(f"{name}: its record plays to another end")
