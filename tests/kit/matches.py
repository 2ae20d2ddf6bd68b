"""Matches played by the engine, as a table would have played them."""

import random
from dataclasses import dataclass
from typing import Any

from mahjong_engine.action import Action, Discard, Win
from mahjong_engine.hand import apply, default_action, open_decisions
from mahjong_engine.match import MatchLength, MatchState, next_hand, settle_hand, start_match
from mahjong_engine.record import Derivation, hand_record
from mahjong_engine.rule_set import rule_set
from mahjong_engine.shape import shanten_after_discards
from mahjong_engine.state import HandState
from mahjong_engine.view import HandView, view
from mahjong_engine.wall import NONCE_SIZE, SERVER_SEED_SIZE, shuffle


@dataclass(frozen=True)
class EngineMatch:
    """A match and the records of its hands, seed included."""

    match_id: str
    derivation: Derivation
    records: tuple[dict[str, Any], ...]
    end: MatchState


def play_match(
    match_id: str,
    rules: str = "classical",
    length: MatchLength = MatchLength.EAST_ROUND,
    *,
    hands: int | None = None,
    changed_nonce: int | None = None,
) -> EngineMatch:
    """Plays a match, or its first hands; the same arguments give the same match.

    Args:
        match_id: id of the match; chance follows from it.
        rules: rule set.
        length: length of the match.
        hands: how many hands to play, if not all.
        changed_nonce: seat whose nonce is another one, as no table would have it.
    """
    chance = random.Random(match_id)
    nonces = tuple(chance.randbytes(NONCE_SIZE) for _ in range(4))
    if changed_nonce is not None:
        nonces = (*nonces[:changed_nonce], bytes(NONCE_SIZE), *nonces[changed_nonce + 1 :])
    derivation = Derivation(chance.randbytes(SERVER_SEED_SIZE), nonces)
    match, records = start_match(rule_set(rules), length), []
    while not match.is_over and match.hand != hands:
        hand, _ = next_hand(match, shuffle(derivation.server_seed, match_id, nonces, match.hand))
        hand = _played(hand, chance)
        records.append(hand_record(hand, match_id=match_id, length=length, derivation=derivation))
        match = settle_hand(match, hand)
    return EngineMatch(match_id, derivation, tuple(records), match)


def _played(hand: HandState, chance: random.Random) -> HandState:
    while decisions := open_decisions(hand):
        seat = decisions[0].seat
        is_timeout = chance.random() < 0.05
        action = default_action(hand, seat) if is_timeout else _choice(view(hand, seat), chance)
        hand, _ = apply(hand, seat, action, timeout=is_timeout)
    return hand


def _choice(seen: HandView, chance: random.Random) -> Action:
    """Wins if it can, keeps to the discard that leaves the hand nearest to ready, leaves all else to chance."""
    assert seen.decision is not None
    options = seen.decision.options
    discards = {action.tile: action for action in reversed(options) if isinstance(action, Discard)}
    others = [action for action in options if not isinstance(action, Discard)]
    if wins := [action for action in options if isinstance(action, Win)]:
        return wins[0]
    if not discards or (others and chance.random() < 0.2):
        return chance.choice(others)
    sets = (4 if seen.rule_set == "classical" else 5) - len(seen.melds[seen.seat])
    after = dict(shanten_after_discards(seen.keys, sets))
    return discards[min(discards, key=after.__getitem__)]
