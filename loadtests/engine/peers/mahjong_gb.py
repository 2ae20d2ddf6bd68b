"""ailab-pku/PyMahjongGB: Chinese Official rules (MCR), C++."""

from MahjongGB import MahjongFanCalculator, MahjongShanten, RegularShanten

from loadtests.engine import samples
from loadtests.engine.contest import Contender

ENGINE = "PyMahjongGB 1.4.0 (C++)"
CODES = [f"{suit}{rank}" for suit in "TWB" for rank in range(1, 10)] + ["F1", "F2", "F3", "F4", "J1", "J2", "J3"]
KINDS = {"chow": "CHI", "pung": "PENG", "kong": "GANG"}


def contenders():
    return [
        Contender(ENGINE, "win14", samples.MAYBE_WIN_14, prepare_win, is_win, samples.is_label),
        Contender(ENGINE, "shanten13", samples.UNFINISHED_13, codes, lambda tiles: MahjongShanten((), tiles)),
        Contender(ENGINE, "useful13", samples.UNFINISHED_13, codes, RegularShanten),
        Contender(
            ENGINE,
            "score14",
            samples.SCORE_14,
            prepare_score,
            lambda x: MahjongFanCalculator(*x),
            lambda _, fans: bool(fans),
        ),
    ]


def codes(counts):
    return tuple(CODES[tile] for tile in samples.tiles(counts))


def prepare_win(case):
    tiles = codes(case[0])
    return tiles[:-1], tiles[-1]


def is_win(hand):
    """It has no check of its own: whatever cannot be scored does not win."""
    try:
        MahjongFanCalculator((), hand[0], hand[1], 0, True, False, False, False, 0, 0)  # noqa: FBT003 - their signature
    except TypeError:
        return False
    return True


def prepare_score(case):
    packs = tuple((KINDS[kind], CODES[tile + (kind == "chow")], 1) for kind, tile in case.melds)
    tiles = list(codes(case.concealed))
    tiles.remove(CODES[case.tile])
    flags = (case.self_drawn, False, False, False)
    return packs, tuple(tiles), CODES[case.tile], case.flowers, *flags, case.seat, case.round
