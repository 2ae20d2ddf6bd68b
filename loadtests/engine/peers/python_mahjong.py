"""MahjongRepository/mahjong: Riichi, pure Python, the reference that most others compare with."""

from mahjong.agari import Agari
from mahjong.hand_calculating.divider import HandDivider
from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig
from mahjong.meld import Meld
from mahjong.shanten import Shanten

from loadtests.engine import samples
from loadtests.engine.contest import Contender
from loadtests.engine.peers.copies import Copies

ENGINE = "mahjong 2.1.0 (Python)"
WINDS = (27, 28, 29, 30)
KINDS = {"chow": Meld.CHI, "pung": Meld.PON, "kong": Meld.KAN}


def contenders():
    calculator = HandCalculator()
    return [
        Contender(ENGINE, "win14", samples.MAYBE_WIN_14, lambda c: list(c[0]), Agari.is_agari, samples.is_label),
        Contender(ENGINE, "splits14", samples.WIN_14, list, HandDivider.divide_hand),
        Contender(
            ENGINE,
            "shanten13",
            samples.UNFINISHED_13,
            list,
            Shanten.calculate_shanten,
            samples.is_riichi_shanten,
            checks=60,
        ),
        Contender(
            ENGINE,
            "score14",
            samples.SCORE_14,
            prepare_score,
            lambda x: calculator.estimate_hand_value(x[0], x[1], x[2], config=x[3]),
            lambda _, answer: answer.cost is not None,
        ),
    ]


def prepare_score(case):
    copies = Copies()
    melds = [Meld(KINDS[kind], copies.of(samples.meld_tiles(kind, tile)), opened=True) for kind, tile in case.melds]
    concealed = copies.of(samples.tiles(case.concealed))
    winning = next(copy for copy in concealed if copy // 4 == samples.RIICHI_TILE[case.tile])
    config = HandConfig(
        is_tsumo=case.self_drawn,
        is_riichi=not melds,  # else a concealed hand may have no yaku
        player_wind=WINDS[case.seat],
        round_wind=WINDS[case.round],
    )
    return sorted(concealed + [copy for meld in melds for copy in meld.tiles]), winning, melds or None, config
