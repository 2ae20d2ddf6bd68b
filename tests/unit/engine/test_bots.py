"""Computer players: answers that are options, functions of the view alone, and what each level must not get wrong."""

import dataclasses
import random

import pytest

from mahjong_engine.action import PASS, WIN, Discard, Pung
from mahjong_engine.bots import LEVELS, UnknownLevelError, decide
from mahjong_engine.hand import apply, open_decisions, start_hand
from mahjong_engine.keys import keys_of, remove
from mahjong_engine.match import start_match
from mahjong_engine.rule_set import rule_set
from mahjong_engine.shape import shanten
from mahjong_engine.state import ClockKind, Deal, Decision, Phase
from mahjong_engine.tile import SORTED_SET, TILES, Seat
from mahjong_engine.view import HandView, view

RULE_SETS = ("classical", "taiwanese")


def tiles(text: str):
    return tuple(TILES[code] for code in text.split())


def played(name: str, level: str, seed: int):
    """Plays a hand by one level and yields each state with the seat that is asked."""
    wall = list(SORTED_SET)
    random.Random(seed).shuffle(wall)
    hand, _ = start_hand(Deal(rule_set(name), tuple(wall), seed, seed % 16, 0, (2000,) * 4))
    while not hand.is_over:
        seat = open_decisions(hand)[0].seat
        yield hand, seat
        hand, _ = apply(hand, seat, decide(level, view(hand, seat)))


def asked(concealed: str, options, phase: Phase, offered: str | None = None, melds=()) -> HandView:
    """A view of seat 0 in mid-hand with these concealed tiles and this question."""
    wall = list(SORTED_SET)
    random.Random(1).shuffle(wall)
    hand, _ = start_hand(Deal(rule_set("classical"), tuple(wall), 0, 0, 0, (2000,) * 4))
    blank = view(hand, Seat(0))
    return blank._replace(
        keys=keys_of(tiles(concealed)),
        melds=(tuple(melds), (), (), ()),
        bonus=((), (), (), ()),
        is_opening=False,
        live_tiles_left=60,
        offered=None if offered is None else TILES[offered],
        decision=Decision(Seat(0), phase, tuple(options), ClockKind.TURN),
    )


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("level", LEVELS)
def test_every_answer_of_a_level_is_one_of_the_options_and_no_win_is_passed(name, level):
    for seed in range(4):
        for hand, seat in played(name, level, seed):
            options = view(hand, seat).decision.options
            choice = decide(level, view(hand, seat))
            assert choice in options
            if WIN in options:
                assert choice == WIN


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_decides_the_same_when_only_hidden_tiles_differ(name, level):
    shuffler = random.Random(3)
    compared = 0
    for hand, seat in played(name, level, 5):
        unseen = list(hand.deal.wall[hand.live_front : hand.live_end])
        shuffler.shuffle(unseen)
        wall = (*hand.deal.wall[: hand.live_front], *unseen, *hand.deal.wall[hand.live_end :])
        other = hand._replace(deal=dataclasses.replace(hand.deal, wall=wall))
        assert decide(level, view(other, seat)) == decide(level, view(hand, seat))
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("name", RULE_SETS)
def test_basic_never_leaves_its_hand_farther_from_ready_than_it_must(name):
    for seed in range(4):
        for hand, seat in played(name, "basic", seed):
            seen = view(hand, seat)
            choice = decide("basic", seen)
            if isinstance(choice, Discard) and len(seen.decision.options) > 1:
                sets = rule_set(name).sets - len(seen.melds[seat])
                assert shanten(remove(seen.keys, choice.tile), sets) == shanten(seen.keys, sets)


@pytest.mark.parametrize("level", LEVELS)
def test_a_claim_is_taken_if_it_brings_the_hand_nearer_and_else_passed(level):
    seen = asked("1b 2b 3b 4c 5c 6c 5b 5b 7d 7d 2c 8d S", [Pung(), PASS], Phase.CLAIM, "7d")
    assert decide(level, seen) == Pung()
    seen = asked("1b 2b 3b 4c 5c 6c 7d 8d 9d 5b 5b 2c 3c", [Pung(), PASS], Phase.CLAIM, "5b")
    assert decide(level, seen) == PASS


@pytest.mark.parametrize("level", LEVELS)
def test_a_ready_hand_is_not_thrown_away(level):
    concealed = "1b 2b 3b 4c 5c 6c 7d 8d 9d 5b 5b 2c 3c N"
    options = [Discard(tile) for tile in dict.fromkeys(tiles(concealed))]
    assert decide(level, asked(concealed, options, Phase.TURN)) == Discard(TILES["N"])


def test_an_unknown_level_and_a_view_without_a_question_are_refused():
    match = start_match(rule_set("classical"))
    hand, _ = start_hand(Deal(match.rule_set, SORTED_SET, 0, 0, 0, match.scores))
    unasked = next(seat for seat in map(Seat, range(4)) if view(hand, seat).decision is None)
    with pytest.raises(UnknownLevelError, match="grandmaster"):
        decide("grandmaster", view(hand, Seat(0)))
    for level in LEVELS:
        with pytest.raises(ValueError, match="no open decision"):
            decide(level, view(hand, unasked))
