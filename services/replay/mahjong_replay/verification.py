"""Whether a match was played by the rules and from the walls that were committed to. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from mahjong_engine.match import MatchLength, MatchState, is_next, places, settle_hand, start_match
from mahjong_engine.record_header import RecordError
from mahjong_engine.referee import verify_record
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import HandState
from mahjong_replay.record import with_seed
from mahjong_replay.terms import MatchEnd, MatchTerms, Standing, WonAward


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that cannot stand."""

    hand_number: int | None
    """None if it is the match as a whole."""
    reason: str
    """One of the engine's (`RecordReason`) for a record, or one of those that protos/ list at `MatchFlaw`."""
    decision: int | None
    """As `mahjong verify` tells it."""
    message: str
    """For people; may tell tiles."""


class Finding(NamedTuple):
    """What came out when a match was played again."""

    flaws: tuple[Flaw, ...]
    """Nothing, if all is well."""
    awards: tuple[WonAward, ...] = ()
    """What the winners were given, in the hands that could be played again."""


def examine(terms: MatchTerms, end: MatchEnd, records: Sequence[bytes | None]) -> Finding:
    """Plays a match that is over again; returns what is wrong with it, and what was won.

    Each record is played again with the revealed seed. Then the hands must follow from each other: the same nonces,
    each hand dealt as the one before it left the match, the standings as the last one left them.

    Args:
        terms: who played what.
        end: how the match ended.
        records: the records as reported, by hand number; None for one that is damaged.
    """
    hands: list[HandState] = []
    flaws: list[Flaw] = []
    if len(records) < end.hand_count:
        flaws.append(Flaw(None, "HANDS_MISSING", None, f"{len(records)} hands are stored of {end.hand_count}"))
    for number, record_json in enumerate(records):
        if record_json is None:
            flaws.append(Flaw(number, "DAMAGED", None, "the stored record cannot be read"))
            continue
        try:
            hands.append(verify_record(orjson.loads(with_seed(record_json, end.server_seed))))
        except RecordError as error:
            flaws.append(Flaw(number, error.reason.value, error.decision, str(error)))
        except orjson.JSONDecodeError as error:
            flaws.append(Flaw(number, "DAMAGED", None, f"not JSON: {error}"))
    if not flaws:
        flaws.extend(_nonce_flaws([record_json for record_json in records if record_json is not None]))
        flaws.extend(_order_flaws(terms, end, hands))
    return Finding(tuple(flaws), tuple(award for hand in hands for award in _won_awards(hand)))


def crashed(error: Exception) -> Finding:
    """Returns the finding about a match that the engine could not judge at all."""
    return Finding((Flaw(None, "CRASHED", None, repr(error)),))


def _won_awards(hand: HandState) -> Iterator[WonAward]:
    result = hand.result
    if result is None or result.settlement is None:
        return
    for score in result.settlement.hands:
        if score.seat in result.winners:
            for award in sorted({item.award for item in score.items} | set(score.limit)):
                yield WonAward(hand.deal.hand, score.seat, award)


def _nonce_flaws(records: Sequence[bytes]) -> Iterator[Flaw]:
    nonces = [orjson.loads(record_json)["nonces"] for record_json in records]
    for number, of_hand in enumerate(nonces):
        if of_hand != nonces[0]:
            yield Flaw(number, "NONCES_DIFFER", None, "the nonces are not those of the first hand")


def _order_flaws(terms: MatchTerms, end: MatchEnd, hands: Sequence[HandState]) -> Iterator[Flaw]:
    rules = hands[0].deal.rule_set if hands else rule_set(terms.rule_set)  # The version that it was played by.
    match = start_match(rules, MatchLength(terms.length))
    for number, hand in enumerate(hands):
        if match.is_over or not is_next(match, hand):
            yield Flaw(number, "HAND_DOES_NOT_FOLLOW", None, "not the hand that the one before it leads to")
            return
        match = settle_hand(match, hand)
    # A practice match that was left has no standings, and cannot have been played to its end.
    if (end.standings or match.is_over) and sorted(end.standings, key=lambda s: s.seat) != _standings(match):
        yield Flaw(None, "WRONG_STANDINGS", None, "not the places and scores that the last hand leads to")


def _standings(match: MatchState) -> list[Standing]:
    """Returns the standings by seat; none for a match that is not over."""
    if not match.is_over:
        return []
    return [
        Standing(seat, place, score)
        for seat, (place, score) in enumerate(zip(places(match.scores), match.scores, strict=True))
    ]
