"""Win checks, splits, shanten and useful tiles, each asked of what those who ask it hold.

A table asks for wins, and has the state of a hand: concealed tiles and melds are looked up in it, and both shapes of
the rule set are tried. Scoring and computer players ask the rest, and have the keys and the number of sets to make.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from loadtests.engine import samples
from loadtests.engine.contest import OURS, Contender
from mahjong_engine.hand import start_hand
from mahjong_engine.keys import Keys, parse_keys
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
        plain.keys,
        lambda keys: decompositions(keys, sets),
        lambda counts, found: {(d.chows, d.triplets, d.pair) for d in found} == plain.splits(counts, sets),
        loop=partial(_ask_all, decompositions, sets),
    )
    yield Contender(
        OURS,
        f"shanten{size - 1}",
        unfinished,
        plain.keys,
        lambda keys: shanten(keys, sets),
        samples.is_shanten,
        checks=60,
        loop=partial(_ask_all, shanten, sets),
    )
    yield Contender(
        OURS,
        f"useful{size - 1}",
        unfinished,
        plain.keys,
        lambda keys: useful_tiles(keys, sets),
        samples.is_useful,
        checks=4,
        loop=partial(_ask_all, useful_tiles, sets),
    )


def _check_all(is_complete: Callable[..., bool], states: Sequence[HandState]) -> None:
    for state in states:
        is_complete(state.keys[0], state.melds[0])


def _ask_all(question: Callable[..., Any], sets: int, hands: Sequence[Keys]) -> None:
    for keys in hands:
        question(keys, sets)
