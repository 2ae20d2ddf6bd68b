"""Playing a hand: state in, state and events out (docs/engine.md, "Playing a hand")."""

from mahjong_engine.action import (
    DISCARD,
    PASS,
    WIN,
    Action,
    option_of,
)
from mahjong_engine.claim import is_settled
from mahjong_engine.errors import IllegalActionError, Rule
from mahjong_engine.event import Event, HandDealt
from mahjong_engine.keys import NO_TILES, tiles_of
from mahjong_engine.play import NO_ANSWERS, NOBODY_ASKED, Play
from mahjong_engine.refusal import refusal
from mahjong_engine.state import SEATS, Answer, ClockKind, Deal, Decision, HandState, Phase
from mahjong_engine.tile import KIND_COUNT, SORTED_SET, Seat, Tile
from mahjong_engine.turn import answer_claims, answer_robbery, answer_turn


def start_hand(deal: Deal) -> tuple[HandState, tuple[Event, ...]]:
    """Deals the tiles and plays the opening up to the first question; a hand may even end here (T18).

    Raises:
        ValueError: the wall is not the 144 tiles (C6, T7).
    """
    if tuple(sorted(deal.wall)) != SORTED_SET:
        raise ValueError("the wall is not the 144 tiles")
    rules = deal.rule_set
    play = Play(_undealt(deal))
    held: list[list[Tile]] = [[], [], [], []]
    dealt: list[tuple[Tile, ...]] = [(), (), (), ()]
    for wind, places in enumerate(rules.dealt):
        seat = SEATS[(deal.dealer + wind) % 4]
        tiles = [deal.wall[place] for place in places]
        for tile in tiles:
            if tile < KIND_COUNT:
                play.give(seat, tile)
            else:
                held[seat].append(tile)
        play.concealed_counts[seat] = len(tiles)
        dealt[seat] = tuple(sorted(tiles))
    play.drawn = deal.wall[rules.dealt[0][-1]]
    a, b, c, d = play.concealed_counts
    left = play.live_tiles_left, rules.reserve_tiles_left(0)
    play.events.append(
        HandDealt(
            deal.hand, deal.dealer, deal.round_wind, deal.dealer_changes, deal.dealer_wins, deal.scores, tuple(dealt),
            (a, b, c, d), *left,
        )
    )  # fmt: skip
    rules.open_hand(play, held)
    return play.freeze()


def _undealt(deal: Deal) -> HandState:
    live = deal.rule_set.live_wall
    return HandState(
        deal=deal,
        phase=Phase.TURN,
        is_opening=True,
        actor=deal.dealer,
        keys=(NO_TILES, NO_TILES, NO_TILES, NO_TILES),
        concealed_counts=(0, 0, 0, 0),
        melds=((), (), (), ()),
        bonus=((), (), (), ()),
        ponds=((), (), (), ()),
        original_calls=(False, False, False, False),
        discard_counts=(0, 0, 0, 0),
        kongs_in_row=(0, 0, 0, 0),
        live_front=live.start,
        live_end=live.stop,
        reserve_taken=0,
        drawn=None,
        source=None,
        offered=None,
        offered_kong=None,
        options=NOBODY_ASKED,
        answers=NO_ANSWERS,
        decisions=(),
        result=None,
    )


def apply(
    state: HandState, seat: Seat, action: Action, *, timeout: bool = False
) -> tuple[HandState, tuple[Event, ...]]:
    """Answers an open decision of a seat.

    Answers of seats asked together are collected before anything happens; the block is resolved as soon as no open
    answer can change the outcome, and answers still open then lapse (C24, T28).

    Args:
        state: stays as it was.
        seat: whose answer it is.
        action: one of `legal_actions`.
        timeout: whether the server gives the answer because the time is over; then only `default_action` is legal.

    Returns:
        The next state and its events, in the order they happened; none while other answers are awaited.

    Raises:
        IllegalActionError: the action is not legal; its `rule` says why.
    """
    option = option_of(legal_actions(state, seat), action)
    if option is None:
        raise refusal(state, seat, action)
    if timeout and option != default_action(state, seat):
        raise IllegalActionError(Rule.NOT_THE_DEFAULT, f"the default is {default_action(state, seat)}")
    play = Play(state)
    play_on(play, Answer(seat, option, timeout))
    return play.freeze()


def play_on(play: Play, answer: Answer) -> None:
    """Gives an answer that is known to be legal, one of the very options, and plays on to the next question."""
    play.answers[answer.seat] = answer
    _resolve(play, answer.action)


def _resolve(play: Play, action: Action) -> None:
    phase = play.phase
    if phase is Phase.TURN or phase is Phase.TURN_AFTER_CLAIM:
        play.close_question()
        answer_turn(play, action)
    elif phase is Phase.CLAIM:
        if is_settled(play):
            answer_claims(play, play.close_question())
    elif phase is Phase.ROB_KONG:
        if is_settled(play):
            answer_robbery(play, play.close_question())
    elif all(play.answers[seat] or not play.options[seat] for seat in SEATS):
        play.rules.answer_own(play)


def legal_actions(state: HandState, seat: Seat) -> tuple[Action, ...]:
    """Returns every legal answer of a seat; none if it has no open decision."""
    if not 0 <= seat <= 3 or state.answers[seat] is not None:
        return ()
    return state.options[seat]


def open_decisions(state: HandState) -> tuple[Decision, ...]:
    """Returns the decisions that still wait for an answer, in seat order; none if the hand is over."""
    return tuple(d for seat in SEATS if (d := open_decision(state, seat)) is not None)


def open_decision(state: HandState, seat: Seat) -> Decision | None:
    """Returns the open decision of one seat, if it has one."""
    options = state.options[seat]
    if not options or state.answers[seat] is not None:
        return None
    return Decision(seat, state.phase, options, _clock(state, seat, options))


def _clock(state: HandState, seat: Seat, options: tuple[Action, ...]) -> ClockKind:
    if state.is_opening:
        return ClockKind.OPENING
    if state.phase is Phase.TURN:
        forced = state.original_calls[seat] and len(options) == 1
        return ClockKind.NONE if forced else ClockKind.TURN
    return ClockKind.TURN if state.phase is Phase.TURN_AFTER_CLAIM else ClockKind.CLAIM


def default_action(state: HandState, seat: Seat) -> Action:
    """Returns the answer that the server gives for a seat when its time is over (C47, T50).

    Raises:
        IllegalActionError: the seat has no open decision.
    """
    options = legal_actions(state, seat)
    if not options:
        raise refusal(state, seat, None)
    rules, phase = state.deal.rule_set, state.phase
    if options[0] is WIN and rules.rulings.timeout_takes_win:
        return WIN
    if phase is Phase.TURN:
        assert state.drawn is not None
        return DISCARD[state.drawn]
    if phase is Phase.TURN_AFTER_CLAIM:
        return DISCARD[tiles_of(state.keys[seat])[rules.rulings.timeout_discard_after_claim]]
    return PASS if phase is Phase.CLAIM or phase is Phase.ROB_KONG else rules.default_own(phase)
