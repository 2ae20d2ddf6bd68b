"""Win checks, splits, shanten and useful tiles, asked of the hand state that a table holds, or of its notation."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from loadtests.engine import samples
from loadtests.engine.contest import OURS, Contender
from mahjong_engine.hand import start_hand
from mahjong_engine.keys import parse_keys
from mahjong_engine.rule_set import RuleSet, rule_set
from mahjong_engine.shape import decompositions, shanten, useful_tiles
from mahjong_engine.state import Deal, HandState
from mahjong_engine.tile import CODES, SORTED_SET
from tests.unit.engine import plain

SIZES = (
    (14, rule_set("classical"), samples.MAYBE_WIN_14, samples.WIN_14, samples.UNFINISHED_13),
    (17, rule_set("taiwanese"), samples.MAYBE_WIN_17, samples.WIN_17, samples.UNFINISHED_16),
)


def contenders() -> list[Contender]:
    """Returns every question of this group."""
    return [each for size in SIZES for each in _contenders(*size)]


@cache
def _some_state(rules: RuleSet) -> HandState:
    state, _ = start_hand(Deal(rules, SORTED_SET[::-1], 0, 0, 0, (0, 0, 0, 0)))
    return state


def held(rules: RuleSet, counts: samples.Hand) -> HandState:
    """Returns a table's state in which seat 0 holds these tiles."""
    state = _some_state(rules)
    return state._replace(keys=(plain.keys(counts), *state.keys[1:]))


def _contenders(
    size: int, rules: RuleSet, maybe_win: samples.Sample, win: samples.Sample, unfinished: samples.Sample
) -> Iterator[Contender]:
    sets = rules.sets
    hold = partial(held, rules)
    yield Contender(
        OURS,
        f"win{size}",
        maybe_win,
        lambda case: held(rules, case[0]),
        lambda state: rules.is_complete(state.keys[0], state.melds[0]),
        samples.is_label,
        loop=partial(_check_all, rules.is_complete),
    )
    yield Contender(
        OURS,
        f"win{size} from notation",
        maybe_win,
        lambda case: [CODES[tile] for tile in samples.tiles(case[0])],
        lambda codes: rules.is_complete(parse_keys(codes), ()),
        samples.is_label,
    )
    yield Contender(
        OURS,
        f"splits{size}",
        win,
        hold,
        lambda state: decompositions(state.keys[0], sets - len(state.melds[0])),
        lambda counts, found: {(d.chows, d.triplets, d.pair) for d in found} == plain.splits(counts, sets),
        loop=partial(_ask_all, decompositions, sets),
    )
    yield Contender(
        OURS,
        f"shanten{size - 1}",
        unfinished,
        hold,
        lambda state: shanten(state.keys[0], sets - len(state.melds[0])),
        samples.is_shanten,
        checks=60,
        loop=partial(_ask_all, shanten, sets),
    )
    yield Contender(
        OURS,
        f"useful{size - 1}",
        unfinished,
        hold,
        lambda state: useful_tiles(state.keys[0], sets - len(state.melds[0])),
        loop=partial(_ask_all, useful_tiles, sets),
    )


def _check_all(is_complete: Callable[..., bool], states: Sequence[HandState]) -> None:
    for state in states:
        is_complete(state.keys[0], state.melds[0])


def _ask_all(question: Callable[..., Any], sets: int, states: Sequence[HandState]) -> None:
    for state in states:
        question(state.keys[0], sets - len(state.melds[0]))
