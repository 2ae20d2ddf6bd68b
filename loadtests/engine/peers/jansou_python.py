"""jansou: a Riichi engine in pure Python with tables, and its optional kernel in Rust."""

import jansou.analysis._native as native
import jansou.analysis.shanten as memos
from jansou.analysis.decompose import decompose
from jansou.analysis.shanten import shanten_counts
from jansou.core.hand import CallSource, Hand, Meld, MeldType
from jansou.core.rules import preset
from jansou.core.tiles import Tile, TileKind, Wind
from jansou.game.agents import RandomAgent, SmartEfficiencyAgent
from jansou.game.environment import Environment
from jansou.scoring.context import WinContext
from jansou.scoring.score import score

from loadtests.engine import samples
from loadtests.engine.contest import Contender

ENGINE = "jansou 0.14.0 (Python)"
WITH_KERNEL = "jansou 0.14.0 + kernel (Rust)"
KERNEL = native.KERNEL
WINDS = (Wind.EAST, Wind.SOUTH, Wind.WEST, Wind.NORTH)
TILES = [Tile(TileKind(number)) for number in samples.RIICHI_TILE]
RULES = preset("tenhou")


def contenders():
    found = [
        Contender(
            ENGINE,
            "splits14",
            samples.WIN_14,
            lambda hand: [TILES[tile] for tile in samples.tiles(hand)],
            lambda tiles: decompose(tiles, (), tiles[0]),
        ),
        Contender(
            ENGINE,
            "score14",
            samples.SCORE_14,
            prepare_score,
            lambda x: score(*x),
            lambda _, answer: answer.payment.total > 0,
        ),
        Contender(ENGINE, "random rounds", samples.SEEDS, int, play(RandomAgent), counts=True, least=1),
        Contender(
            ENGINE, "bot rounds", samples.SEEDS, int, play(lambda _: SmartEfficiencyAgent()), counts=True, least=1
        ),
        *shantens(ENGINE, None),
    ]
    for each in found:
        each.before_slice = forget(None)
    return found + (shantens(WITH_KERNEL, KERNEL) if KERNEL is not None else [])


def shantens(engine, kernel):
    return [
        Contender(
            engine,
            "win14",
            samples.MAYBE_WIN_14,
            lambda case: list(case[0]),
            lambda counts: shanten_counts(counts, 0) == -1,
            samples.is_label,
            before_slice=forget(kernel),
        ),
        Contender(
            engine,
            "shanten13",
            samples.UNFINISHED_13,
            list,
            lambda counts: shanten_counts(counts, 0),
            samples.is_riichi_shanten,
            checks=60,
            before_slice=forget(kernel),
        ),
    ]


def forget(kernel):
    """Chooses the kernel for the next slice and empties the memos of whole hands."""

    def choose():
        native.KERNEL = kernel
        memos._COUNT_MEMO.clear()  # noqa: SLF001
        memos._PROBE_MEMO.clear()  # noqa: SLF001

    return choose


def prepare_score(case):
    melds = []
    for kind, tile in case.melds:
        tiles = tuple(TILES[each] for each in samples.meld_tiles(kind, tile))
        if kind == "chow":
            melds.append(Meld(MeldType.CHII, tiles, tiles[0], CallSource.KAMICHA))
        else:
            melds.append(
                Meld(MeldType.DAIMINKAN if kind == "kong" else MeldType.PON, tiles, tiles[0], CallSource.TOIMEN)
            )
    hand = Hand([TILES[tile] for tile in samples.tiles(case.concealed)], melds)
    context = WinContext(
        rules=RULES,
        seat_wind=WINDS[case.seat],
        round_wind=WINDS[case.round % 3],  # it knows no north round
        is_tsumo=case.self_drawn,
        riichi=not melds,
    )
    return hand, TILES[case.tile], context


def play(agent):
    """Returns a call that plays a whole match of four such agents and returns its number of rounds."""

    def play_match(seed):
        env = Environment(RULES, seed=seed)
        env.run([agent(4 * seed + seat) for seat in range(4)])
        return len(env.records)

    return play_match
