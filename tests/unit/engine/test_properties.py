"""What holds in every hand, whatever is played: properties over random hands of both games."""

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mahjong_engine.action import Discard, Pass
from mahjong_engine.errors import IllegalActionError
from mahjong_engine.event import Drew, HandDealt
from mahjong_engine.hand import apply, default_action, legal_actions, open_decisions, start_hand
from mahjong_engine.invariant import broken_invariants
from mahjong_engine.keys import keys_of, size_of, tiles_of
from mahjong_engine.match import MatchLength, next_hand, settle_hand, start_match
from mahjong_engine.record import hand_record
from mahjong_engine.referee import verify_record
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import SEATS, Deal
from mahjong_engine.tile import SORTED_SET
from mahjong_engine.view import view, view_event
from tests.unit.engine.told import Told
from tests.unit.engine.walls import rare_wall

NAMES = st.sampled_from(["classical", "taiwanese"])
HANDS = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def hands(draw):
    """Draws a deal and the chance that answers for the seats; half of the walls are of the rare kind."""
    name = draw(NAMES)
    chance = random.Random(draw(st.integers(0, 2**64)))
    wall = list(SORTED_SET)
    chance.shuffle(wall)
    tiles = rare_wall(rule_set(name), chance) if draw(st.booleans()) else tuple(wall)
    return Deal(rule_set(name), tiles, 20, draw(st.integers(0, 15)), 0, (1_500, 2_500, -100, 4_100)), chance


def play(deal, chance):
    """Yields (state, seat, action, next state, events) of a hand played by chance, the deal first."""
    state, events = start_hand(deal)
    yield None, None, None, state, events
    while not state.is_over:
        decision = chance.choice(open_decisions(state))
        rare = [a for a in decision.options if not isinstance(a, Discard | Pass)]
        action = chance.choice(rare if rare and chance.random() < 0.4 else decision.options)
        after, events = apply(state, decision.seat, action)
        yield state, decision.seat, action, after, events
        state = after


@HANDS
@given(hands())
def test_the_144_tiles_are_there_after_every_action_and_changes_sum_to_zero(hand):
    for *_, state, _events in play(*hand):
        assert broken_invariants(state) == ()


@HANDS
@given(hands())
def test_a_transition_leaves_the_state_that_went_in_as_it_was(hand):
    before = None
    for state, _, _, after, _ in play(*hand):
        assert state == before or before is None
        before = after


@HANDS
@given(hands())
def test_a_record_plays_to_the_same_state_and_the_same_events(hand):
    deal, chance = hand
    steps = list(play(deal, chance))
    end = steps[-1][3]
    assert verify_record(hand_record(end)) == end
    state, events = start_hand(deal)
    for _, seat, action, after, happened in steps[1:]:
        state, events = apply(state, seat, action)
        assert (state, events) == (after, happened)


@HANDS
@given(hands())
def test_exactly_the_listed_answers_are_legal_and_the_default_is_one_of_them(hand):
    deal, chance = hand
    everything = set()
    for _state, _, _action, after, _ in play(deal, chance):
        everything |= {a for seat in SEATS for a in legal_actions(after, seat)}
        for seat in SEATS:
            options = legal_actions(after, seat)
            assert len(options) == len(set(options))
            if options:
                assert default_action(after, seat) in options
            illegal = sorted(everything - set(options), key=repr)
            for other in chance.sample(illegal, k=min(2, len(illegal))):
                with pytest.raises(IllegalActionError):
                    apply(after, seat, other)


@HANDS
@given(hands())
def test_of_seats_asked_together_any_order_of_the_same_answers_ends_alike(hand):
    deal, chance = hand
    for *_, state, _events in play(deal, chance):
        asked = list(open_decisions(state))
        if len(asked) < 2:
            continue
        answers = {decision.seat: chance.choice(decision.options) for decision in asked}
        ends = []
        for order in (list(answers), list(answers)[::-1]):
            after = state
            for seat in order:
                if legal_actions(after, seat) and len(after.decisions) == len(state.decisions):
                    after, _ = apply(after, seat, answers[seat])
            ends.append(after._replace(decisions=()))
        assert ends[0] == ends[1]


def with_other_walls(state, chance):
    """Returns the deal of another hand in which only the tiles still in the walls lie otherwise."""
    rules = state.deal.rule_set
    hidden = [*range(state.live_front, state.live_end), *rules.reserve(state.reserve_taken)]
    tiles = [state.deal.wall[place] for place in hidden]
    chance.shuffle(tiles)
    wall = list(state.deal.wall)
    for place, tile in zip(hidden, tiles, strict=True):
        wall[place] = tile
    return replace(state.deal, wall=tuple(wall))


@HANDS
@given(hands(), st.integers(0, 3))
def test_a_view_is_the_same_whatever_lies_in_the_walls(hand, seat):
    deal, chance = hand
    steps = list(play(deal, chance))
    cut = chance.randrange(len(steps))
    state = steps[cut][3]
    other, _ = start_hand(with_other_walls(state, chance))
    for _, who, action, _, _ in steps[1 : cut + 1]:
        other, _ = apply(other, who, action)
    if not state.is_over:
        assert view(other, seat) == view(state, seat)


@HANDS
@given(hands(), st.integers(0, 3))
def test_a_view_is_the_same_whatever_the_others_hold(hand, seat):
    """The hidden tiles of the others and of the walls are dealt anew; what the seat sees stays as it is."""
    deal, chance = hand
    steps = list(play(deal, chance))
    for *_, state, _events in steps[:: max(1, len(steps) // 12)]:
        if state.is_over:
            continue
        assert view(_with_other_hidden_tiles(state, seat, chance), seat) == view(state, seat)


def _with_other_hidden_tiles(state, seat, chance):
    """Returns a state in which the others hold other tiles, are asked other things and have answered otherwise."""
    others = [s for s in SEATS if s != seat]
    rules = state.deal.rule_set
    hidden = [*range(state.live_front, state.live_end), *rules.reserve(state.reserve_taken)]
    pool = [state.deal.wall[place] for place in hidden]
    sizes = {s: size_of(state.keys[s]) for s in others}
    for s in others:
        pool += tiles_of(state.keys[s])
    plain_tiles = [tile for tile in pool if tile < 34]
    chance.shuffle(plain_tiles)
    keys = list(state.keys)
    for s in others:
        keys[s] = keys_of(plain_tiles.pop() for _ in range(sizes[s]))
    rest = plain_tiles + [tile for tile in pool if tile >= 34]
    chance.shuffle(rest)
    wall = list(state.deal.wall)
    for place, tile in zip(hidden, rest, strict=True):
        wall[place] = tile
    options, answers = list(state.options), list(state.answers)
    for s in others:
        options[s], answers[s] = (), None
    actor_hidden = state.actor != seat
    return state._replace(
        deal=replace(state.deal, wall=tuple(wall)),
        keys=tuple(keys),
        options=tuple(options),
        answers=tuple(answers),
        decisions=(),
        drawn=None if actor_hidden else state.drawn,
    )


@HANDS
@given(hands(), st.integers(0, 3))
def test_events_that_a_seat_sees_name_no_hidden_tile(hand, seat):
    for *_, events in play(*hand):
        for event in events:
            seen = view_event(event, seat)
            if isinstance(event, Drew):
                assert seen.tile == (event.tile if event.seat == seat else None)
            elif isinstance(event, HandDealt):
                assert [s for s in SEATS if seen.concealed[s] is not None] == [seat]


@HANDS
@given(hands(), st.integers(0, 3))
def test_the_events_that_a_seat_sees_add_up_to_its_view(hand, seat):
    deal, chance = hand
    told = Told(seat)
    for *_, state, events in play(deal, chance):
        for event in events:
            told.add(view_event(event, seat))
        seen = view(state, seat)
        assert told.bonus == [list(shown) for shown in seen.bonus]
        assert told.ponds == [list(pond) for pond in seen.ponds]
        assert told.melds == [[(m.kind, m.tile) for m in melds] for melds in seen.melds]
        assert told.live_left == seen.live_tiles_left
        assert told.reserve_left == seen.reserve_tiles_left
        assert sorted(told.concealed) == list(seen.concealed)
        assert told.result == seen.result


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(NAMES, st.integers(0, 2**32))
def test_scores_of_a_match_sum_to_what_they_began_with_and_it_ends_by_the_rules(name, seed):
    chance = random.Random(seed)
    rules = rule_set(name)
    match = start_match(rules, MatchLength.EAST_ROUND)
    while not match.is_over and match.hand < 60:
        deal = next_hand(match, rare_wall(rules, chance))[0].deal
        *_, (*_, state, _events) = play(deal, chance)
        after = settle_hand(match, state)
        assert sum(after.scores) == 8_000
        assert after.dealer_changes - match.dealer_changes in (0, 1)
        assert after.is_over == (after.dealer_changes == 4)
        match = after
