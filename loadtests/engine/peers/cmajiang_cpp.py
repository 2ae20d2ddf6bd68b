"""cmajiang: Riichi, C++ behind pybind11."""

import cmajiang

from loadtests.engine import samples
from loadtests.engine.contest import Contender

ENGINE = "cmajiang 0.0.1 (C++)"
SUITS = (("m", 0, 9), ("p", 9, 18), ("s", 18, 27), ("z", 27, 34))


def contenders():
    return [
        Contender(
            ENGINE,
            "win14",
            samples.MAYBE_WIN_14,
            lambda case: cmajiang.Shoupai(text(case[0])),
            lambda hand: cmajiang.xiangting(hand) == -1,
            samples.is_label,
        ),
        Contender(
            ENGINE,
            "shanten13",
            samples.UNFINISHED_13,
            lambda counts: cmajiang.Shoupai(text(counts)),
            cmajiang.xiangting,
            samples.is_riichi_shanten,
            checks=60,
        ),
        Contender(
            ENGINE,
            "score14",
            samples.SCORE_14,
            prepare_score,
            lambda x: cmajiang.hule(x[0], x[1], zhuangfeng=x[2], menfeng=x[3], lizhi=x[4]),
            lambda _, answer: answer.defen > 0,
        ),
    ]


def text(counts):
    by_number = [0] * 34
    for tile, count in enumerate(counts):
        by_number[samples.RIICHI_TILE[tile]] = count
    return "".join(
        suit + "".join(str(number - first + 1) * by_number[number] for number in range(first, end))
        for suit, first, end in SUITS
        if any(by_number[first:end])
    )


def code(tile):
    number = samples.RIICHI_TILE[tile]
    suit, first, _ = SUITS[number // 9]
    return f"{suit}{number - first + 1}"


def prepare_score(case):
    counts = list(case.concealed)
    counts[case.tile] -= 1
    melds = ""
    for kind, tile in case.melds:
        suit, rank = code(tile)
        rank = int(rank)
        melds += (
            f",{suit}{rank}-{rank + 1}{rank + 2}"
            if kind == "chow"
            else f",{suit}{str(rank) * (4 if kind == 'kong' else 3)}="
        )
    winning = code(case.tile)
    hand = cmajiang.Shoupai(text(counts) + (winning if case.self_drawn else "") + melds)
    return hand, "" if case.self_drawn else f"{winning}-", case.round % 3, case.seat, 0 if case.melds else 1
