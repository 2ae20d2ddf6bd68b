"""Numbers that any change of play or scores changes: move counts, ends of random hands, sums of all one-suit scores.

They are this engine's own, taken when both second opinions (tests of records and of scoring cases) agreed with it. A
rule that changes on purpose changes them on purpose, under a new rule-set version.
"""

import random
from collections import Counter

import pytest

from mahjong_engine.distance import INCOMPLETE, PAIR, SUIT_CODE
from mahjong_engine.hand import apply, legal_actions, start_hand
from mahjong_engine.keys import kinds_of, remove, size_of
from mahjong_engine.rule_set import rule_set
from mahjong_engine.settlement import ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.state import SEATS, Deal
from mahjong_engine.tile import EAST, Seat
from mahjong_engine.wall import NO_NONCE, shuffle


def deal(rules, seed):
    wall = shuffle(seed.to_bytes(80, "big"), "fingerprints", (NO_NONCE,) * 4, 0)
    return start_hand(Deal(rules, wall, 0, 0, 0, (rules.start_score,) * 4))[0]


def asked(state):
    return next((seat, options) for seat in SEATS if (options := legal_actions(state, seat)))


def perft(state, depth):
    """Number of sequences of that many answers; of seats asked together the first answers first."""
    if depth == 0:
        return 1
    if state.is_over:
        return 0
    seat, options = asked(state)
    return sum(perft(apply(state, seat, option)[0], depth - 1) for option in options)


@pytest.mark.parametrize(
    ("name", "seed", "counts"),
    [
        ("classical", 1, [13, 134, 1723, 16154]),
        ("classical", 2, [13, 134, 1366, 12295]),
        ("classical", 3, [13, 125, 1148, 10781]),
        ("taiwanese", 1, [14, 138, 2040, 21213]),
        ("taiwanese", 2, [14, 173, 1634, 16312]),
        ("taiwanese", 3, [15, 150, 1613, 14207]),
    ],
)
def test_sequences_of_answers_from_a_deal_are_as_many_as_ever(name, seed, counts):
    state = deal(rule_set(name), seed)
    assert [perft(state, depth) for depth in range(1, 5)] == counts


def random_end(rules, seed):
    chance = random.Random(seed).random
    state = deal(rules, seed)
    while not state.is_over:
        seat, options = asked(state)
        state, _ = apply(state, seat, options[int(chance() * len(options))])
    return state


@pytest.mark.parametrize(
    ("name", "ends", "won", "answers"),
    [
        ("classical", {"draw": 293, "discard": 5, "live_wall": 2}, 1044, 26582),
        ("taiwanese", {"draw": 299, "seven_flowers_rob_eighth": 1}, 20, 24255),
    ],
)
def test_three_hundred_random_hands_end_as_ever(name, ends, won, answers):
    rules = rule_set(name)
    states = [random_end(rules, seed) for seed in range(300)]
    results = [state.result for state in states]
    assert Counter(r.wins[0].source.value if r.wins else r.ended.value for r in results) == ends
    assert sum(max(r.changes) for r in results) == won
    assert sum(len(state.decisions) for state in states) == answers


def one_suit_wins(sets):
    for key, code in enumerate(SUIT_CODE[: 5**9]):
        if code != INCOMPLETE and code == sets + PAIR and size_of((key, 0, 0, 0)) == 3 * sets + 2:
            yield key, 0, 0, 0


@pytest.mark.parametrize(
    ("name", "hands", "total"), [("classical", 13_259, 3_253_424), ("taiwanese", 26_414, 1_391_436)]
)
def test_discard_wins_of_every_concealed_hand_in_one_suit_sum_up_as_ever(name, hands, total):
    rules = rule_set(name)
    found = list(one_suit_wins(rules.sets))
    assert len(found) == hands
    assert sum(value_of_discard_win(rules, keys) for keys in found) == total


def value_of_discard_win(rules, keys):
    tile = kinds_of(keys)[len(kinds_of(keys)) // 2]
    winner = SeatTiles(remove(keys, tile))
    nobody = SeatTiles((0, 0, 0, 0))
    case = ScoringCase(
        dealer=Seat(0),
        round_wind=EAST,
        seats=(nobody, winner, nobody, nobody),
        wins=(WinClaim(Seat(1), tile, WinSource.DISCARD, Seat(2)),),
        live_tiles_left=40,
        discards=(tile,),
        discard_count=30,
    )
    return rules.settle(case).values[1]
