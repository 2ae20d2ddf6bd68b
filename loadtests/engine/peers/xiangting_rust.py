"""Apricot-S/xiangting: replacement numbers from perfect-hash tables, Rust."""

from xiangting import PlayerCount, calculate_necessary_tiles, calculate_replacement_number

from loadtests.engine import samples
from loadtests.engine.contest import Contender

ENGINE = "xiangting 6.0.2 (Rust)"
FOUR = PlayerCount.FOUR


def contenders():
    return [
        Contender(
            ENGINE,
            "win14",
            samples.MAYBE_WIN_14,
            lambda case: list(case[0]),
            lambda counts: calculate_replacement_number(counts, FOUR) == 0,
            samples.is_label,
            loop=replace_all,
        ),
        Contender(
            ENGINE,
            "shanten13",
            samples.UNFINISHED_13,
            list,
            lambda counts: calculate_replacement_number(counts, FOUR) - 1,
            samples.is_riichi_shanten,
            checks=60,
            loop=replace_all,
        ),
        Contender(
            ENGINE, "useful13", samples.UNFINISHED_13, list, lambda counts: calculate_necessary_tiles(counts, FOUR)
        ),
    ]


def replace_all(hands):
    for counts in hands:
        calculate_replacement_number(counts, FOUR)
